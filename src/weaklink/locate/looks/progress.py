"""Looks alive is not alive: does a process make progress while work waits for it."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.pileup import inside
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.finding import Finding
from weaklink.model.message import say
from weaklink.stats.robust import ramp
from weaklink.words import sign, texts

STOPPED = sign(
    "process.stopped",
    "kernel-counters",
    "A process of the link is stopped or frozen: it cannot run at all.",
    "pid {pid} is {how}: it cannot run, though its port accepts connections",
    hurts=True,
)
NO_PROGRESS = sign(
    "process.no-progress",
    "kernel-counters",
    "Work waits for the process, and it uses no CPU and sends nothing.",
    "{waiting} requests wait for it, the oldest {oldest:seconds}; it used {cpu} ms of CPU a second",
    hurts=True,
)
texts(
    {
        "finding.process.stopped": "{name} (pid {pid}) is {how}",
    }
)
IDLE_CPU = 0.005
"""CPUs: an event loop that merely polls uses about a tenth of this."""
OLD = (2.0, 6.0)
"""Seconds that the oldest request has waited."""


@look("process")
def stopped(view: View) -> Iterable[Judged]:
    """Stopped by a signal, a debugger or the freezer."""
    for link in view.on_chain():
        members = view.members(link)
        if not members:
            continue
        found = next((process for process in members if process.state in "Tt"), None)
        how = "stopped"
        if found is None:
            frozen = [group for group in view.cgroups(link) if group.frozen]
            pids = {pid for group in frozen for pid in group.pids}
            found = next((process for process in members if process.pid in pids), None)
            how = "frozen"
        target = found or members[0]
        yield evidence(
            STOPPED,
            target.key,
            1.0 if found else 0.0,
            link=link.key,
            command=f"ps -o pid,stat,wchan,cmd -p {target.pid}",
            pid=target.pid,
            how=how,
        )
        if found:
            yield Finding(
                verdict="critical",
                target=found.key,
                subject="process",
                cause="worker-frozen",
                message=say("finding.process.stopped", name=found.name, pid=found.pid, how=how),
                next=f"kill -CONT {found.pid}" if how == "stopped" else "",
            )


@look("process")
def no_progress(view: View) -> Iterable[Judged]:
    """Requests wait for a link that neither computes nor waits for another."""
    for link in view.on_chain():
        if link.role in ("client", "job", "external") or not link.listen:
            continue
        held = inside(view, link)
        used = view.cpu(link)
        if held is None or used is None:
            continue
        idle = used <= IDLE_CPU * max(1, len(link.pids))
        owes = held.own >= 0.8
        strength = ramp(held.oldest, *OLD) if idle and owes and not _speaks(view, link) else 0.0
        yield evidence(
            NO_PROGRESS,
            link.processes[0],
            strength,
            link=link.key,
            value=round(held.own, 1),
            command=f"py-spy dump --nonblocking --pid {link.pids[0]}",
            waiting=round(held.own, 1),
            oldest=round(held.oldest, 1),
            cpu=round(1000 * used, 1),
        )


def _speaks(view: View, link: Link) -> bool:
    """Whether it sent anything on a served connection during the window."""
    start = view.case.window[0]
    return any(
        (age := connection.awaited_age) is not None and connection.at - age > start
        for connection in view.connections(link)
        if link.serves(connection.local)
    )
