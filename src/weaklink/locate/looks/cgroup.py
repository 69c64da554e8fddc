"""What control groups allow: CPU quota, memory limit, and who was killed for it."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.event import Event
from weaklink.model.evidence import evidence
from weaklink.model.fact import Cgroup
from weaklink.model.finding import Finding
from weaklink.model.message import say
from weaklink.stats.robust import ramp
from weaklink.words import sign, texts

THROTTLED = sign(
    "cpu.throttled",
    "kernel-counters",
    "The kernel stops the link's processes each time they have used up their CPU quota.",
    "throttled in {percent} % of the periods; its quota is {quota} CPUs",
    hurts=True,
)
QUOTA = sign(
    "cpu.quota-is-tight",
    "configuration",
    "The link uses all that its CPU quota allows, while the machine has CPUs to spare.",
    "it uses {used} of the {quota} CPUs that its quota allows; the machine has {cpus}",
)
OOM = sign(
    "memory.oom-killed",
    "kernel-counters",
    "The kernel killed a process of the link for lack of memory.",
    "the kernel killed {name} for lack of memory ({where})",
    hurts=True,
)
NEAR_LIMIT = sign(
    "memory.near-limit",
    "app-metrics",
    "What the link's group cannot drop (anonymous and shared memory) is close to its limit.",
    "{used} of {limit} MB of its memory limit cannot be dropped",
)
RESTARTED = sign(
    "process.restarted",
    "events",
    "A process of the link started after the service had been running for long.",
    "pid {pid} of it started {ago:seconds} ago, its peers or caller are older",
)
texts(
    {
        "finding.cgroup.throttled": "{path} is throttled in {percent} % of its periods",
        "finding.cgroup.limit": "{path} holds {percent} % of its memory limit in pages that stay",
    }
)

THROTTLED_SHARE = (0.1, 0.5)
"""Of the periods: 0.15 % is normal for a burst, from one in ten on users notice."""
KERNEL = ("/dev/kmsg",)
"""Where only the kernel itself writes: a line in a log file may be anybody's."""
LIMIT_SHARE = (0.85, 0.97)
OOM_LOOK_BACK = 120.0
"""Seconds before the onset in which a kill still explains it: restart and load take that long."""
THRASH = 20.0
"""Seconds before a kill in which reclaiming memory already hurts: the kill is not the beginning."""
YOUNG = 180.0
"""Seconds of age up to which a process counts as just restarted."""


@look("cgroup")
def quota(view: View) -> Iterable[Judged]:
    """Whether a link's CPU quota stops it."""
    for link in view.on_chain():
        worst: tuple[float, Cgroup] | None = None
        looked = False
        for group in view.cgroups(link):
            periods = view.grown("cgroup_cpu_periods_total", group.key)
            stopped = view.grown("cgroup_cpu_throttled_periods_total", group.key)
            if periods is None or stopped is None:
                continue
            looked = True
            share = stopped / periods if periods >= 5 else 0.0
            if worst is None or share > worst[0]:
                worst = (share, group)
        if not looked or worst is None:
            continue
        yield from _throttled(view, link, *worst)


def _throttled(view: View, link: Link, share: float, group: Cgroup) -> Iterable[Judged]:
    limit = group.cpu_quota
    strength = ramp(share, *THROTTLED_SHARE)
    yield evidence(
        THROTTLED,
        group.key,
        strength,
        link=link.key,
        value=round(share, 3),
        command=f"cat /sys/fs/cgroup/cpu{group.path}/cpu.stat",
        percent=round(100 * share),
        quota=round(limit, 2) if limit else "?",
    )
    used = view.rate("cgroup_cpu_seconds_total", group.key) or view.cpu(link)
    if limit and used is not None:
        cpus = view.case.host.cpus
        tight = ramp(used / limit, 0.7, 0.95) if limit < cpus else 0.0
        yield evidence(
            QUOTA,
            group.key,
            tight,
            link=link.key,
            value=round(used, 2),
            command=f"cat /sys/fs/cgroup/cpu{group.path}/cpu.cfs_quota_us",
            used=round(used, 2),
            quota=round(limit, 2),
            cpus=cpus,
        )
    if strength:
        yield Finding(
            verdict="warn",
            target=group.key,
            subject="cgroup",
            cause="cpu-throttled",
            message=say("finding.cgroup.throttled", path=group.path, percent=round(100 * share)),
        )


@look("memory")
def killed(view: View) -> Iterable[Judged]:
    """Whether the kernel killed a process of a link, and how close its group is to the limit."""
    looked = any(row.name == "kernel-log" and row.outcome == "value" for row in view.case.looks)
    for link in view.on_chain():
        groups = view.cgroups(link)
        counted = [view.grown("cgroup_oom_kills_total", group.key) for group in groups]
        event = _oom_event(view, link, groups)
        grew = any(value for value in counted if value)
        if not grew and event is None and not looked and not any(v is not None for v in counted):
            continue
        where = groups[0].path if groups else "-"
        yield evidence(
            OOM,
            groups[0].key if groups else link.key,
            1.0 if grew or event else 0.0,
            link=link.key,
            onset=event.at if event else None,
            plus_minus=THRASH + event.plus_minus if event else 0.0,
            command="dmesg | grep -i 'killed process'",
            name=link.name,
            where=where,
        )
        yield from _near_limit(view, link, groups)


def _oom_event(view: View, link: Link, groups: list[Cgroup]) -> Event | None:
    """The first kill of the incident that hit this link: by pid, by control group or by name."""
    since = max((view.onset or view.case.window[0]) - OOM_LOOK_BACK, service_start(view))
    own = set(link.processes)
    paths = {group.path for group in groups if group.path != "/"}
    pids = {str(pid) for pid in link.pids}
    for event in sorted(view.case.events, key=lambda event: event.at):
        if event.kind != "oom-kill" or event.at < since or event.source not in KERNEL:
            continue
        victim = event.target.rpartition("/")[2].partition("@")[0]
        group = str(event.details.get("cgroup", ""))
        if event.target in own or group in paths or victim in pids:
            return event
    return None


def service_start(view: View) -> float:
    """When the service as a whole came up: the entry's first process; 0 where unknown.

    What the kernel killed before belongs to an earlier life of the service.
    """
    starts = [
        process.start for link in view.chain.links if link.entry for process in view.members(link)
    ]
    return min(starts, default=0.0)


def _near_limit(view: View, link: Link, groups: list[Cgroup]) -> Iterable[Judged]:
    for group in groups:
        limit = group.memory_limit
        used = view.peak("cgroup_memory_working_bytes", group.key)
        if not limit or used is None:
            continue
        share = used / limit
        yield evidence(
            NEAR_LIMIT,
            group.key,
            ramp(share, *LIMIT_SHARE),
            link=link.key,
            value=round(share, 3),
            command=f"cat /sys/fs/cgroup/memory{group.path}/memory.stat",
            used=round(used / 1e6),
            limit=round(limit / 1e6),
        )
        if share >= LIMIT_SHARE[1]:
            yield Finding(
                verdict="warn",
                target=group.key,
                subject="memory",
                message=say("finding.cgroup.limit", path=group.path, percent=round(100 * share)),
            )
        return


@look("process")
def restarted(view: View) -> Iterable[Judged]:
    """Whether a process of a link is younger than the service around it."""
    end = view.case.window[1]
    for link in view.on_chain():
        members = view.members(link)
        others = [
            process.start
            for other in view.on_chain()
            if other.key != link.key
            for process in view.members(other)[:1]
        ]
        if not members or not others:
            continue
        youngest = max(members, key=lambda process: process.start)
        age = end - youngest.start
        older = sum(1 for start in others if youngest.start - start > YOUNG / 6)
        fresh = age < YOUNG and older * 2 >= len(others)
        since = view.onset is None or youngest.start >= view.onset - OOM_LOOK_BACK
        yield evidence(
            RESTARTED,
            youngest.key,
            1.0 if fresh and since else 0.0,
            link=link.key,
            value=round(age, 1),
            onset=None,
            command=f"ps -o pid,lstart,cmd -p {youngest.pid}",
            pid=youngest.pid,
            ago=round(age),
        )
