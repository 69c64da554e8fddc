"""The threads of processes on the chain: which of them burn the CPU, by name."""

from __future__ import annotations

from dataclasses import dataclass, field

from weaklink.model.case import Case
from weaklink.model.fact import Process, Thread
from weaklink.model.message import say
from weaklink.model.take import Take
from weaklink.parse.proc_stat import parse_pid_stat
from weaklink.probes.process_table import chain_pids, scanned_table
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.kernel_file import kernel_read, try_read
from weaklink.reach.memory import memory
from weaklink.reach.registry import probe
from weaklink.reach.root import Root
from weaklink.words import texts

texts({"threads.none": "no chain yet, so no threads to look at"})

MAX_THREADS = 512
"""Of one process. Pools larger than that show in the first ones, which the kernel lists by age."""
MAX_PROCESSES = 48
PACE_SECONDS = 1.8
"""Between two looks: a worker with 200 threads costs 3 ms a look."""


@dataclass
class Past:
    """When each process's threads were read last."""

    at: dict[str, float] = field(default_factory=dict)


@probe(
    "threads",
    subject="process",
    phase="tick",
    about="threads of the chain's processes: name, state, CPU time",
)
def look_at_threads(reach: Reach, case: Case) -> Take:
    """Thread facts with cumulative CPU seconds, at every other tick.

    Raises NotHere while the chain is unknown.
    """
    chain = chain_pids(case)
    if not chain:
        raise NotHere(say("threads.none"))
    root = reach.root
    past = memory(root, "threads", Past)
    known = scanned_table(root, case).by_pid
    at = reach.now()
    chosen = [known[pid] for pid in sorted(chain) if pid in known][:MAX_PROCESSES]
    threads: list[Thread] = []
    for fact in chosen:
        if at - past.at.get(fact.key, 0.0) < PACE_SECONDS:
            continue
        past.at[fact.key] = at
        threads += threads_of(root, fact, at, case.host.clock_ticks)
    past.at = {fact.key: past.at[fact.key] for fact in chosen if fact.key in past.at}
    return Take(threads=threads)


def threads_of(root: Root, fact: Process, at: float, clock_ticks: int) -> list[Thread]:
    """The threads of one process; none where it is gone or has become another."""
    folder = f"/proc/{fact.pid}/task"
    found: list[Thread] = []
    try:
        names = root.names(folder, MAX_THREADS)
    except OSError:
        return []
    for name in names:
        try:
            stat = parse_pid_stat(kernel_read(root, f"{folder}/{name}/stat", 4096))
        except OSError:
            continue
        if stat is None or (stat.pid == fact.pid and stat.start_ticks != fact.start_ticks):
            continue
        found.append(
            Thread(
                process=fact.key,
                tid=stat.pid,
                name=stat.name,
                state=stat.state,
                at=at,
                cpu_seconds=stat.cpu_ticks / clock_ticks,
                waits_in=_sleeps_in(root, f"{folder}/{name}") if stat.state in "SD" else "",
            )
        )
    return found


def _sleeps_in(root: Root, folder: str) -> str:
    """The kernel's name of what it sleeps in; '' where it may not be read or is not told."""
    name = try_read(root, f"{folder}/wchan", 64).decode("ascii", "replace").strip("\0\n")
    return name if name != "0" else ""
