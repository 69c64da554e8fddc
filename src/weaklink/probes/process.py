"""Who runs here: every process with its command, user, namespace, control groups and libraries."""

from __future__ import annotations

from weaklink.model.case import Case
from weaklink.model.fact import Process
from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.model.take import Take
from weaklink.probes.descriptors import complete, owners
from weaklink.probes.process_table import Table, scanned_table, with_libraries
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.registry import probe
from weaklink.words import texts

texts(
    {
        "process.none": "no process under /proc",
        "process.hidden": "program and sockets of other users' processes: {count}",
    }
)

MAX_MAPS = 64
"""Processes whose maps are read in one look: each takes that process's mmap lock for a moment."""
BUSY_SHARE = 0.01
"""Of one CPU, over the process's whole life: who used less cannot be what burns the machine."""


@probe(
    "process",
    subject="process",
    phase="first",
    about="every process: command, user, namespace, control groups, libraries",
)
def look_at_processes(reach: Reach, case: Case) -> Take:
    """Process facts. Maps are read only of those that serve, call or compute.

    Raises NotHere where /proc shows no process. What other users' processes hide is said in
    `looks`.
    """
    root = reach.root
    known = scanned_table(root, case)
    if not known.by_pid:
        raise NotHere(say("process.none"))
    complete(root, known.starts(), set())
    with known.lock:
        facts = dict(known.by_pid)
        for pid in worth_mapping(known, owners(root).holders(), reach.now(), case)[:MAX_MAPS]:
            facts[pid] = with_libraries(root, facts[pid])
        known.by_pid = facts
    hidden = sum(
        1
        for fact in facts.values()
        if not fact.kernel_thread and not fact.exe and fact.state not in ("Z", "X")
    )
    looks = []
    if hidden and not root.frozen and not reach.privileged:
        reason = say("process.hidden", count=hidden)
        looks.append(
            Look(
                name="process",
                target="",
                outcome="denied",
                at=reach.now(),
                reason=reason,
                remedy="sudo weaklink",
            )
        )
    return Take(processes=list(facts.values()), looks=looks)


def worth_mapping(known: Table, holders: list[int], now: float, case: Case) -> list[int]:
    """Processes whose libraries tell something, most CPU time first.

    Those that hold sockets, their children (pre-fork workers, helpers), and those that used the
    CPU; not ours.
    """
    serving = set(holders)
    chosen: list[tuple[int, int]] = []
    for pid, fact in known.by_pid.items():
        stat = known.stats.get(pid)
        if fact.kernel_thread or stat is None:
            continue
        age = max(1.0, now - fact.start)
        busy = stat.cpu_ticks / case.host.clock_ticks / age > BUSY_SHARE
        if pid in serving or fact.ppid in serving or busy:
            chosen.append((-stat.cpu_ticks, pid))
    return [pid for _, pid in sorted(chosen)]


def unusual(fact: Process) -> bool:
    """Whether its state alone says something: stopped, traced, uninterruptible, zombie, dead."""
    return fact.state in ("T", "t", "D", "Z", "X")
