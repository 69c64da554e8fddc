"""Pressure stall information: for how much of the time tasks wait for CPU, memory or I/O."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, percent
from weaklink.locate.view import View
from weaklink.model.fact_text_host import Pressure
from weaklink.model.finding import Verdict
from weaklink.words import texts

texts(
    {
        "finding.psi.stalls": "tasks wait for {resource} {share} of the time ({kind}, last 10 s; "
        "last 5 min {longer})",
        "finding.psi.ended": "tasks waited for {resource} {longer} of the last 5 min ({kind}), but "
        "no longer: last 10 s {share}",
        "finding.psi.calm": "hardly any waiting for {resource} ({kind} {share})",
    }
)
LIMITS: dict[tuple[str, str], tuple[float, float]] = {
    ("cpu", "some"): (0.25, 0.6),
    ("memory", "some"): (0.05, 0.3),
    ("memory", "full"): (0.02, 0.1),
    ("io", "some"): (0.2, 0.6),
    ("io", "full"): (0.1, 0.4),
    ("irq", "full"): (0.05, 0.2),
    ("", "some"): (0.25, 0.6),
    ("", "full"): (0.1, 0.4),
}
"""(warn, critical). Waiting for a CPU a quarter of the time adds a third to every answer; memory
stalls are reclaim on the way of a request, and systemd-oomd kills at 60 % for 30 s, long after
users have left; I/O of a batch may wait without hurting anybody, so it counts later. `full` of
cpu is defined only for groups."""
CAUSE = {"memory": "swap-thrash", "io": "disk-saturated", "irq": "softirq-bound"}


@look("pressure")
def pressure(view: View) -> Iterable[Judged]:
    """One finding a resource: its worst line."""
    said = Said(view, "pressure", "pressure")
    rows: dict[str, list[Pressure]] = {}
    for fact in view.case.software:
        if isinstance(fact, Pressure):
            rows.setdefault(fact.resource, []).append(fact)
    for resource, facts in rows.items():
        judged = [(_verdict(fact, fact.avg10), fact) for fact in facts]
        rank: dict[Verdict, int] = {"healthy": 0, "unknown": 0, "warn": 1, "critical": 2}
        verdict, fact = max(judged, key=lambda pair: (rank[pair[0]], pair[1].avg10))
        before = max(facts, key=lambda one: (rank[_verdict(one, one.avg300)], one.avg300))
        key = "stalls" if verdict != "healthy" else "calm"
        if verdict == "healthy" and _verdict(before, before.avg300) != "healthy":
            key, fact, verdict = "ended", before, "warn"
        yield said.finding(
            verdict,
            f"finding.psi.{key}",
            resource,
            fact.line,
            cause=CAUSE.get(resource, "") if verdict != "healthy" else "",
            sure=0.7,
            next="who: cat /sys/fs/cgroup/*/*.pressure; pidstat -dru 2" if key == "stalls" else "",
            resource=resource or "a resource that the text does not name",
            kind=fact.kind,
            share=percent(fact.avg10),
            longer=percent(fact.avg300),
        )


def _verdict(fact: Pressure, share: float) -> Verdict:
    warn, critical = LIMITS.get((fact.resource, fact.kind), (2.0, 2.0))
    return "critical" if share >= critical else "warn" if share >= warn else "healthy"
