"""Memory and CPU that are not there: swapping, groups at their limit, stolen time."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.evidence import evidence
from weaklink.stats.robust import log_ramp, ramp
from weaklink.words import sign

SWAPS = sign(
    "memory.swaps-back-and-forth",
    "kernel-counters",
    "The machine swaps pages out and in at the same time: more is in use than there is memory.",
    "{out} pages a second go out to swap and {in_} come back",
    hurts=True,
)
FAULTS = sign(
    "process.faults-from-disk",
    "kernel-counters",
    "The link waits for pages of its own memory to be read from a disk.",
    "{rate} page faults a second of {name} need a disk",
    hurts=True,
)
STALLS = sign(
    "memory.stalls",
    "kernel-counters",
    "Tasks of the machine stand still for lack of memory (pressure).",
    "tasks of this machine stood still {percent} % of the time for lack of memory",
    hurts=True,
)
RECLAIMS = sign(
    "memory.group-reclaims",
    "kernel-counters",
    "The link's group is at its memory limit and keeps dropping pages that it needs again.",
    "{path} hit its memory limit of {limit:bytes} {times} times a second",
    hurts=True,
)
STOLEN = sign(
    "cpu.stolen",
    "kernel-counters",
    "The hypervisor gives this machine's CPUs to others.",
    "{percent} % of the CPU time of this machine was stolen by its hypervisor",
    hurts=True,
)

SWAPPED = (200.0, 4000.0)
"""Pages a second, in AND out: one way only is a slow clean-up."""
DISK_FAULTS = (20.0, 500.0)
"""A second: each costs 0.1 ms on flash and 10 ms on a spinning disk."""
STALLED = (0.05, 0.3)
"""Share of the time (PSI full): under 5 % nobody feels it."""
LIMIT_HITS = (20.0, 1000.0)
"""A second. memory.failcnt also counts harmless bursts of page cache: pain must be there too."""
STEAL = (0.05, 0.25)
"""Share of CPU time: a few percent is a busy neighbour, a tenth is felt in every tail."""


@look("memory")
def machine(view: View) -> Iterable[Judged]:
    """Swap, pressure and steal of the machine as a whole."""
    key = view.host_key
    into, out = (
        view.rate("host_swap_in_pages_total", key),
        view.rate("host_swap_out_pages_total", key),
    )
    if into is not None and out is not None:
        yield evidence(
            SWAPS,
            key,
            log_ramp(min(into, out), *SWAPPED),
            value=min(into, out),
            command="vmstat 1 5",
            out=round(out),
            in_=round(into),
        )
    stalled = view.rate("host_pressure_memory_full_seconds_total", key)
    if stalled is not None:
        yield evidence(
            STALLS,
            key,
            ramp(stalled, *STALLED),
            value=round(stalled, 3),
            command="cat /proc/pressure/memory",
            percent=round(100 * stalled),
        )
    stolen = view.rate("host_cpu_steal_seconds_total", key)
    if stolen is not None:
        share = stolen / max(1, view.case.host.cpus)
        yield evidence(
            STOLEN,
            key,
            ramp(share, *STEAL),
            value=round(share, 3),
            command="mpstat -P ALL 1 3",
            percent=round(100 * share),
        )


@look("memory")
def links(view: View) -> Iterable[Judged]:
    """Faults that need a disk, and limits that are hit, of each link."""
    for link in view.on_chain():
        rate = view.rates("process_major_faults_total", link.processes)
        if rate is not None:
            yield evidence(
                FAULTS,
                link.processes[0],
                log_ramp(rate, *DISK_FAULTS),
                link=link.key,
                value=round(rate, 1),
                command=f"ps -o pid,maj_flt,rss,cmd -p {link.pids[0]}",
                name=link.name,
                rate=round(rate),
            )
        for group in view.cgroups(link):
            hits = view.rate("cgroup_memory_failures_total", group.key)
            if hits is None or not group.memory_limit:
                continue
            yield evidence(
                RECLAIMS,
                group.key,
                log_ramp(hits, *LIMIT_HITS),
                link=link.key,
                value=round(hits, 1),
                command=f"cat /sys/fs/cgroup/memory{group.path}/memory.failcnt",
                path=group.path,
                limit=group.memory_limit,
                times=round(hits),
            )
            break
