"""Who uses the CPUs, and who of the chain waits for one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact import Process
from weaklink.model.finding import Finding
from weaklink.model.message import say
from weaklink.stats.robust import ramp
from weaklink.words import sign, texts

HOST_FULL = sign(
    "cpu.host-full",
    "kernel-counters",
    "The machine has no idle CPU left.",
    "CPUs of the machine are {percent} % busy",
    hurts=True,
)
OUTSIDERS = sign(
    "cpu.outsiders-busy",
    "kernel-counters",
    "Processes that are not part of the chain use much of the machine's CPUs.",
    "{name} and {others} others off the chain use {cpus} of {of} CPUs",
)
STARVED = sign(
    "cpu.link-waits-for-cpu",
    "kernel-counters",
    "The link's threads are ready to run but wait for a CPU.",
    "its threads waited {percent} % of their time for a CPU",
    hurts=True,
)
BUSY = sign(
    "cpu.link-busy",
    "kernel-counters",
    "The link itself burns CPU.",
    "it uses {cpus} of {of} CPUs, most of it in threads named {thread}",
    hurts=True,
)
texts(
    {
        "finding.cpu.fine": "CPU ({percent} % busy)",
        "finding.cpu.full": "the CPUs are {percent} % busy",
    }
)

FULL = (0.85, 0.97)
"""Busy share of all CPUs: under 85 % a new task finds a CPU at once."""
OUTSIDE = (0.25, 0.6)
"""Share of all CPUs used off the chain: under a quarter it cannot starve anybody."""
WANTED = (0.2, 0.35)
"""Share of the demand for CPUs: who makes less than a fifth of it does not make the queue."""
WAITING = (0.25, 0.6)
"""Share of (running + ready) time spent ready: at 50 % every computation takes twice as long."""
LEAST_WAIT = 0.05
"""CPUs' worth of waiting below which the share is noise of a process that does nothing."""
BUSY_SHARE = (0.5, 0.85)
"""Of what the link and its peers together may use (quota, else the machine)."""
BUSY_PROCESS = (0.5, 0.95)
"""CPUs of one process: an interpreter with one lock, or one event loop, ends at one CPU."""
BUSY_DEMAND = (1.0, 2.5)
"""CPUs used and waited for together: on a full machine a busy link gets less than it wants."""
NICED = 10
"""From this niceness on a process gets a tenth of a share: it hardly takes CPU from others."""


@look("cpu")
def host_cpu(view: View) -> Iterable[Judged]:
    """Whether the machine is full, and who fills it."""
    busy = host_busy(view)
    if busy is None:
        return
    key = view.host_key
    yield evidence(
        HOST_FULL,
        key,
        ramp(busy, *FULL),
        value=round(busy, 3),
        command="mpstat 1 3",
        percent=round(100 * busy),
    )
    full = busy >= FULL[1]
    yield Finding(
        verdict="warn" if full else "healthy",
        target=key,
        subject="cpu",
        message=say("finding.cpu.full" if full else "finding.cpu.fine", percent=round(100 * busy)),
        next="top -H" if full else "",
    )
    yield from _outsiders(view)


def host_busy(view: View) -> float | None:
    """Share of all CPUs' time that was not idle (waiting for a disk is idle), 0 to 1."""
    names = ("user", "nice", "system", "irq", "steal")
    used = [view.grown(f"host_cpu_{name}_seconds_total", view.host_key) for name in names]
    idle = [
        view.grown(f"host_cpu_{name}_seconds_total", view.host_key) for name in ("idle", "iowait")
    ]
    if any(value is None for value in used + idle):
        return None
    total = sum(value or 0.0 for value in used + idle)
    return sum(value or 0.0 for value in used) / total if total > 0 else None


def _outsiders(view: View) -> Iterable[Judged]:
    """CPU off the chain, by the group (control group, else program) that uses most."""
    cpus = view.case.host.cpus or 1
    chained = {pid for link in view.on_chain() for pid in link.pids}
    used: dict[str, float] = defaultdict(float)
    who: dict[str, list[tuple[float, Process]]] = defaultdict(list)
    seen = False
    for process in view.processes.values():
        rate = view.rate("process_cpu_seconds_total", process.key)
        if rate is None or process.pid in chained:
            continue
        seen = True
        weighed = rate * (0.2 if process.nice >= NICED else 1.0)
        used[process.name] += weighed
        who[process.name].append((weighed, process))
    if not seen:
        return
    total = sum(used.values())
    wanted = _wanted(view, [process for rows in who.values() for _, process in rows])
    name = max(used, key=lambda name: (used[name], name), default="")
    top = max(who[name], key=lambda pair: (pair[0], -pair[1].pid))[1]
    yield evidence(
        OUTSIDERS,
        top.key,
        ramp(total / cpus, *OUTSIDE) * (1.0 if wanted is None else ramp(wanted, *WANTED)),
        value=round(total, 2),
        command=f"top -b -n1 -p {top.pid}",
        name=f"{name} (pid {top.pid})",
        others=sum(1 for rows in who.values() for rate, _ in rows if rate > 0.05) - 1,
        cpus=round(total, 2),
        of=cpus,
    )


def _wanted(view: View, outsiders: list[Process]) -> float | None:
    """Share of all demand for CPUs (used and waited for) that outsiders make; None if unknown.

    A service that wants eight CPUs is not starved by a neighbour that wants one.
    """

    def demand(keys: list[str]) -> float | None:
        waited = view.rates("process_run_delay_seconds_total", keys)
        used = view.rates("process_cpu_seconds_total", keys)
        return None if waited is None or used is None else waited + used

    theirs = demand([process.key for process in outsiders if process.nice < NICED])
    ours = demand([key for link in view.on_chain() for key in link.processes])
    if theirs is None or ours is None or theirs + ours <= 0:
        return None
    return theirs / (theirs + ours)


@look("cpu")
def link_cpu(view: View) -> Iterable[Judged]:
    """For every link: does it burn CPU, does it wait for one."""
    for link in view.on_chain():
        used = view.cpu(link)
        if used is None:
            continue
        waited = view.rates("process_run_delay_seconds_total", link.processes)
        allowed = allowance(view, link)
        threads = view.thread_cpu(link)
        thread = max(threads, key=lambda name: (threads[name], name), default=link.name)
        yield evidence(
            BUSY,
            busiest(view, link),
            max(
                ramp(_of_group(view, link) / allowed, *BUSY_SHARE),
                ramp(used, *BUSY_PROCESS),
                ramp(used + (waited or 0.0), *BUSY_DEMAND),
            ),
            link=link.key,
            value=round(used, 2),
            command=f"top -H -b -n1 -p {link.pids[0]}" if link.pids else "",
            cpus=round(used, 2),
            of=round(allowed, 2),
            thread=thread,
        )
        if waited is None:
            continue
        share = waited / (waited + used) if waited >= LEAST_WAIT else 0.0
        yield evidence(
            STARVED,
            busiest(view, link),
            ramp(share, *WAITING),
            link=link.key,
            value=round(share, 3),
            command=f"cat /proc/{link.pids[0]}/schedstat" if link.pids else "",
            percent=round(100 * share),
        )


def allowance(view: View, link: Link) -> float:
    """CPUs that a link may use: its tightest quota, else all of the machine."""
    quotas = [group.cpu_quota for group in view.cgroups(link) if group.cpu_quota]
    return min([*quotas, float(view.case.host.cpus or 1)])


def _of_group(view: View, link: Link) -> float:
    """CPUs that a link and those of its peers use that do work; without a quota they share all."""
    own = view.cpu(link) or 0.0
    if any(group.cpu_quota for group in view.cgroups(link)) or own < LEAST_WAIT:
        return own
    return own + sum(view.cpu(peer) or 0.0 for peer in view.chain.peers(link.key))


def busiest(view: View, link: Link) -> str:
    """Key of the link's process that uses most CPU."""
    return max(
        link.processes,
        key=lambda key: (view.rate("process_cpu_seconds_total", key) or 0.0, key),
        default=link.key,
    )
