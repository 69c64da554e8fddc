"""Why the kernel killed for memory: a limit of one group, or the machine itself.

The two need opposite remedies: a larger limit does not help where the host ran out, and more
memory in the host does not help where a group hit its own limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, known, sized
from weaklink.locate.view import View
from weaklink.model.fact_hardware import KernelLine
from weaklink.model.finding import Finding
from weaklink.parse.oom_report import OomReport, oom_reports
from weaklink.words import texts

texts(
    {
        "finding.oom.memcg": "a control group hit its own memory limit[ of {limit}]"
        "[: usage {usage}][, limit hit {failures} times][ ({group})][; the kernel killed {who}]"
        "{times}: raise the limit or use less, the machine's own memory is not the problem",
        "finding.oom.global": "the whole host ran out of memory (global OOM, no group's limit): "
        "the kernel killed {who}[, which held {held}]{times}",
        "finding.oom.global-contained": "the whole host ran out of memory (global OOM): the "
        "kernel killed {who}[, which held {held}]{times}; it ran in a container, but a larger "
        "limit for it will not help",
        "finding.oom.node": "the memory of the NUMA nodes that {who} may use ran out ({why}); "
        "other nodes may have plenty: the kernel killed it{times}",
        "finding.oom.unsaid": "the kernel killed {who} for lack of memory{times}; the text does "
        "not show whether a group's limit or the whole host was the reason",
        "finding.oom.cascade": "{count} {name} processes were killed within {span} in a group at "
        "its memory limit, though each held only {each}: what processes use is not what fills "
        "it; look at kernel memory (kmem), tmpfs and sockets of the group",
        "finding.oom.hog": "at that moment {name} (pid {pid}) held most: {held}",
        "finding.oom.kernel-memory": "of the group's {limit} kernel memory takes {kernel}",
    }
)
CONTAINED = (
    "docker",
    "kubepods",
    "containerd",
    "cri-",
    "crio",
    "libpod",
    "podman",
    "lxc",
    "garden",
)
SMALL = 64 * 1024**2
"""Resident bytes below which a victim is no reason for a full group of a service."""
CASCADE, CASCADE_SECONDS = 3, 5.0
KERNEL_SHARE = 0.5
"""Of the limit: normal is a few per cent."""


@look("oom")
def oom(view: View) -> Iterable[Judged]:
    """Each group that hit its limit, and each time the host ran out."""
    lines = [
        (line.text, line.raw, line.at if line.uptime is None else line.uptime, line.number)
        for line in view.case.hardware
        if isinstance(line, KernelLine)
    ]
    grouped: dict[tuple[str, str], list[OomReport]] = {}
    for report in oom_reports(lines):
        if report.pid is None and report.limit is None and not report.lines.get("oom-kill"):
            continue
        key = report.cgroup if report.constraint == "memcg" else ""
        grouped.setdefault((report.constraint, key), []).append(report)
    said = Said(view, "oom", "cgroup")
    for (constraint, _), reports in grouped.items():
        yield from _judge(said, constraint, reports)


def _judge(said: Said, constraint: str, reports: list[OomReport]) -> Iterator[Finding]:
    cascade = _cascade(reports)
    if constraint == "memcg" and cascade:
        yield _cascaded(said, cascade)
        return
    report = max(reports, key=lambda one: (len(one.lines), one.number))
    who = _who(report)
    times = f" ({len(reports)} such kills)" if len(reports) > 1 else ""
    lines = [report.lines.get(name, "") for name in ("oom-kill", "usage", "kill", "cgroup")]
    lines = [line for line in lines if line]
    if constraint == "memcg":
        yield _memcg(said, report, who, times, lines)
    elif constraint == "global":
        contained = any(word in report.cgroup for word in CONTAINED)
        yield said.finding(
            "critical",
            "finding.oom.global-contained" if contained else "finding.oom.global",
            report.cgroup,
            *lines,
            cause="oom-killed",
            sure=0.97,
            next="free -m; ps -eo pid,rss,comm --sort=-rss | head: what took the host's memory",
            who=who,
            times=times,
            more=known(held=_held(report)),
        )
    elif constraint:
        yield said.finding(
            "critical",
            "finding.oom.node",
            report.cgroup,
            *lines,
            cause="oom-killed",
            next="numactl -H; cat cpuset.mems of the group",
            who=who,
            times=times,
            why=constraint,
        )
    else:
        yield said.finding(
            "critical",
            "finding.oom.unsaid",
            report.cgroup,
            *lines,
            cause="oom-killed",
            sure=0.8,
            next="dmesg -T | grep -iE 'oom-kill|memory: usage'",
            who=who,
            times=times,
        )
    yield from _hog(said, report)


def _memcg(said: Said, report: OomReport, who: str, times: str, lines: list[str]) -> Finding:
    limit = f"{sized(report.limit)} ({_kb(report.limit)} kB)" if report.limit else ""
    usage = _kb(report.usage)
    return said.finding(
        "critical",
        "finding.oom.memcg",
        report.cgroup,
        *lines,
        cause="oom-killed",
        sure=0.97,
        next="the group's memory.max (memory.limit_in_bytes) against what it needs: memory.stat",
        times=times,
        more=known(
            limit=limit,
            usage=f"{usage} kB" if usage else "",
            failures=str(report.failures or ""),
            group=report.cgroup,
            who=who if report.pid is not None else "",
        ),
    )


def _hog(said: Said, report: OomReport) -> Iterator[Finding]:
    """Who really held the memory, where the task table shows that it was not the victim."""
    big = report.biggest
    held = (report.anon or 0.0) + (report.swapped or 0.0)
    if big is not None and big.pid != report.pid and big.resident + big.swapped > 2 * held > 0:
        yield said.finding(
            "warn",
            "finding.oom.hog",
            report.cgroup,
            cause="oom-killed",
            name=big.name,
            pid=big.pid,
            held=sized(big.resident + big.swapped),
        )
    kernel = report.kernel_memory
    if report.limit and kernel and kernel > KERNEL_SHARE * report.limit:
        yield said.finding(
            "warn",
            "finding.oom.kernel-memory",
            report.cgroup,
            cause="oom-killed",
            limit=sized(report.limit),
            kernel=sized(kernel),
        )


def _cascade(reports: list[OomReport]) -> list[OomReport]:
    """Several kills of one program in one go, none of which held anything to speak of."""
    small = [
        one
        for one in reports
        if one.pid is not None
        and one.anon is not None
        and (one.anon + (one.file or 0.0)) < SMALL
        and not (one.limit and one.anon > 0.1 * one.limit)
    ]
    names = {one.name for one in small}
    if len(small) < CASCADE or len(small) < len(reports) or len(names) != 1:
        return []
    times = [one.at for one in small if one.at is not None]
    if len(times) == len(small) and max(times) - min(times) > CASCADE_SECONDS:
        return []
    return small


def _cascaded(said: Said, small: list[OomReport]) -> Finding:
    times = [one.at for one in small if one.at is not None]
    span = f"{round(1000 * (max(times) - min(times)))} ms" if len(times) > 1 else "moments"
    return said.finding(
        "critical",
        "finding.oom.cascade",
        small[0].cgroup,
        small[0].lines.get("kill", ""),
        small[-1].lines.get("kill", ""),
        cause="oom-killed",
        sure=0.8,
        next="memory.kmem.usage_in_bytes and memory.stat (slab, sock, shmem) of the group",
        count=len(small),
        name=small[0].name,
        span=span,
        each=sized(max(one.anon or 0.0 for one in small)),
    )


def _who(report: OomReport) -> str:
    if report.pid is None:
        return report.name or "a process"
    return f"{report.name or '?'} (pid {report.pid})"


def _held(report: OomReport) -> str:
    if report.anon is None:
        return ""
    swapped = f" and {sized(report.swapped)} in swap" if report.swapped else ""
    return f"{sized(report.anon)}{swapped}"


def _kb(value: float | None) -> str:
    return "" if value is None else str(round(value / 1024))
