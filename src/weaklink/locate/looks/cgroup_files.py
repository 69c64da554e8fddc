"""Whether a control group's own limits are what hurts, from its files.

`memory.current` counts page cache, which is dropped before anybody is killed: only anonymous and
shared memory close to the limit is danger. `max` is no limit. Counters run since the group was
made, and die with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, known, percent, sized
from weaklink.locate.view import View
from weaklink.model.fact_text_platform import CgroupFiles, HostMemory
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import Argument
from weaklink.words import texts

texts(
    {
        "finding.cgfile.killed": "processes of this group were killed for lack of memory: "
        "oom_kill {kills} since it was made[; its limit is {limit}]",
        "finding.cgfile.near": "{working} of the limit of {limit} cannot be dropped "
        "({share}): a kill is near",
        "finding.cgfile.full": "usage is at {share} of the limit {limit}; the text does not show "
        "how much of it is page cache, which would be dropped first",
        "finding.cgfile.memory-ok": "uses [{usage} of ]its memory limit of {limit}"
        "[ (peak {peak}, {share} of it: that came close)][, oom_kill {kills}]",
        "finding.cgfile.limit": "its memory limit is {limit}; how much of it is used the text "
        "does not show",
        "finding.cgfile.unlimited": "this control group has no limit of memory (max)[; it uses "
        "{usage}]",
        "finding.cgfile.host-view": "the true ceiling is {limit} (the control group's limit); "
        "meminfo shows the host's memory ({host}), so whoever sizes caches, heaps or workers by "
        "it will be killed",
        "finding.cgfile.throttled": "the CPU quota[ of {quota} CPUs] stopped it in {throttled} of "
        "{periods} periods ({share})[, {seconds} s in all]: bursts wait although the mean is low",
        "finding.cgfile.cpu-ok": "the CPU quota[ of {quota} CPUs] hardly stops it: {throttled} of "
        "{periods} periods ({share})",
        "finding.cgfile.no-quota": "no CPU quota is set",
        "finding.cgfile.pids": "{pids} of at most {limit} processes and threads: forks and new "
        "threads fail",
        "finding.cgfile.frozen": "the group is frozen: its processes look alive and do not run",
    }
)
NEAR, FULL = 0.85, 0.97
"""Share of the limit that cannot be dropped; from 97 % on the next allocation may kill."""
CLOSE_PEAK = 0.8
THROTTLED, STRANGLED = 0.10, 0.25
"""Of the periods: from one in ten users notice; the alert CPUThrottlingHigh of
kubernetes-mixin fires at 25 %."""
FEW_PERIODS = 50
"""Five seconds of runs: fewer say nothing about a share."""
PIDS = 0.95


@look("cgroup")
def cgroup_files(view: View) -> Iterable[Judged]:
    """Memory, CPU, pids and the freezer of each group whose files were pasted."""
    said = Said(view, "cgroup", "cgroup")
    hosts = [fact for fact in view.case.software if isinstance(fact, HostMemory)]
    for fact in _by_group([f for f in view.case.software if isinstance(f, CgroupFiles)]):
        yield from _memory(said, fact)
        yield from _host_view(said, fact, hosts)
        yield from _cpu(said, fact)
        yield from _rest(said, fact)


def _by_group(facts: list[CgroupFiles]) -> list[CgroupFiles]:
    """One fact a group: its files may have been printed by several commands."""
    found: dict[str, CgroupFiles] = {}
    for fact in facts:
        known_fact = found.get(fact.path)
        if known_fact is None:
            found[fact.path] = fact
            continue
        new = {
            name: getattr(fact, name)
            for name in fact.__struct_fields__
            if getattr(fact, name) and name not in {"path", "lines"}
        }
        lines = known_fact.lines | {name: line for name, line in fact.lines.items() if line}
        found[fact.path] = msgspec.structs.replace(known_fact, lines=lines, **new)
    return list(found.values())


def _memory(said: Said, fact: CgroupFiles) -> Iterator[Finding]:
    limit_line, usage_line = fact.lines.get("limit", ""), fact.lines.get("usage", "")
    limit = known(limit=sized(fact.limit) if fact.limit is not None else "")
    if fact.oom_kills:
        kill_line = next((line for name, line in fact.lines.items() if "oom_kill" in name
                          and "disable" not in name and name.startswith("memory")), "")  # fmt: skip
        yield said.finding(
            "critical",
            "finding.cgfile.killed",
            fact.path,
            kill_line,
            limit_line,
            cause="oom-killed",
            sure=0.85,
            next="dmesg -T | grep -i oom-kill; memory.stat: anon, shmem, file",
            kills=int(fact.oom_kills),
            more=limit,
        )
        return
    if fact.unlimited:
        usage = known(usage=sized(fact.usage) if fact.usage is not None else "")
        yield said.finding(
            "healthy", "finding.cgfile.unlimited", fact.path, limit_line, usage_line,
            cause="oom-killed", more=usage
        )  # fmt: skip
        return
    if not fact.limit:
        return
    working = fact.working
    if working is None and fact.usage is not None and fact.file is not None:
        working = fact.usage - fact.file
    if working is not None and working >= NEAR * fact.limit:
        yield said.finding(
            "critical" if working >= FULL * fact.limit else "warn",
            "finding.cgfile.near",
            fact.path,
            limit_line,
            usage_line,
            cause="oom-killed",
            next="raise the limit, or fewer workers; memory.stat says who",
            working=sized(working),
            limit=sized(fact.limit),
            share=percent(working / fact.limit),
        )
    elif working is None and fact.usage is not None and fact.usage >= FULL * fact.limit:
        yield said.finding(
            "unknown",
            "finding.cgfile.full",
            fact.path,
            limit_line,
            usage_line,
            next="memory.stat of the group: anon and shmem",
            share=percent(fact.usage / fact.limit),
            limit=sized(fact.limit),
        )
    else:
        yield _calm(said, fact, limit_line, usage_line)


def _calm(said: Said, fact: CgroupFiles, limit_line: str, usage_line: str) -> Finding:
    assert fact.limit is not None
    more: dict[str, Argument] = {}
    if fact.usage is not None:
        more["usage"] = sized(fact.usage)
    if fact.peak is not None and fact.peak >= CLOSE_PEAK * fact.limit:
        more |= {"peak": sized(fact.peak), "share": percent(fact.peak / fact.limit, 0)}
    if fact.oom_kills is not None:
        more["kills"] = int(fact.oom_kills)
    key = "memory-ok" if fact.usage is not None or fact.oom_kills is not None else "limit"
    verdict: Verdict = "healthy" if key == "memory-ok" else "unknown"
    return said.finding(
        verdict,
        f"finding.cgfile.{key}",
        fact.path,
        limit_line,
        usage_line,
        cause="oom-killed" if verdict == "healthy" else "",
        limit=sized(fact.limit),
        more=more,
    )


def _host_view(said: Said, fact: CgroupFiles, hosts: list[HostMemory]) -> Iterator[Finding]:
    for host in hosts:
        shown = host.total or host.available
        if fact.limit and shown and fact.limit < 0.9 * shown:
            yield said.finding(
                "warn",
                "finding.cgfile.host-view",
                fact.path,
                fact.lines.get("limit", ""),
                next(iter(host.lines.values()), ""),
                cause="oom-killed",
                next="size by memory.max, not by /proc/meminfo or free",
                limit=sized(fact.limit),
                host=sized(shown),
            )
            return


def _cpu(said: Said, fact: CgroupFiles) -> Iterator[Finding]:
    periods, throttled = fact.periods, fact.throttled
    quota = known(quota=figure(fact.quota, 2) if fact.quota else "")
    line = fact.lines.get("cpu.stat nr_throttled", "")
    if periods is None or throttled is None or periods < FEW_PERIODS:
        if fact.no_quota and fact.limit is None and not fact.unlimited:
            yield said.finding(
                "healthy", "finding.cgfile.no-quota", fact.path, fact.lines.get("cpu.max", ""),
                cause="cpu-throttled",
            )  # fmt: skip
        return
    share = throttled / periods
    seconds = fact.throttled_seconds
    bad = share >= THROTTLED
    if bad and seconds is not None:
        quota["seconds"] = figure(seconds, 0)
    yield said.finding(
        "critical" if share >= STRANGLED else "warn" if bad else "healthy",
        "finding.cgfile.throttled" if bad else "finding.cgfile.cpu-ok",
        fact.path,
        line,
        fact.lines.get("cpu.stat nr_periods", ""),
        cause="cpu-throttled",
        sure=0.85,
        next="raise or remove the limit; fewer threads than CPUs of the quota" if bad else "",
        periods=int(periods),
        throttled=int(throttled),
        share=percent(share, 2),
        more=quota,
    )


def _rest(said: Said, fact: CgroupFiles) -> Iterator[Finding]:
    if fact.pids is not None and fact.pids_limit and fact.pids >= PIDS * fact.pids_limit:
        yield said.finding(
            "critical",
            "finding.cgfile.pids",
            fact.path,
            fact.lines.get("pids.current", ""),
            cause="thread-pool-exhausted",
            sure=0.6,
            pids=int(fact.pids),
            limit=int(fact.pids_limit),
        )
    if fact.frozen:
        yield said.finding(
            "critical",
            "finding.cgfile.frozen",
            fact.path,
            fact.lines.get("cgroup.freeze", "") or fact.lines.get("freezer.state", ""),
            cause="worker-frozen",
            sure=0.95,
            next="who froze it: docker pause, a checkpoint, an operator",
        )
