"""Two habits of Python services that look like something else: names, one lock for all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.python_threads import application_frame, base, idle
from weaklink.locate.view import View
from weaklink.model.evidence import evidence
from weaklink.model.fact import StackThread
from weaklink.stats.robust import ramp
from weaklink.words import sign

RESOLVES = sign(
    "stack.waits-for-names",
    "process-stacks",
    "Working threads of the link wait until a host's name is resolved.",
    "{percent} % of its working threads wait for a name to be resolved, for {function} "
    "{file}:{line}",
    hurts=True,
)
ONE_LOCK = sign(
    "stack.one-lock-for-all",
    "process-stacks",
    "The interpreter's one lock is always taken, and the process ends at one CPU.",
    "the interpreter's lock is taken in {percent} % of the stacks of pid {pid}, most by {function} "
    "{file}:{line}",
    hurts=True,
)

RESOLVERS = frozenset(
    {"getaddrinfo", "gethostbyname", "gethostbyname_ex", "getnameinfo", "gethostbyaddr", "getfqdn"}
)
NAMES_SHARE = (0.15, 0.5)
"""Of working threads: a name takes a millisecond; a healthy service is hardly seen in it."""
LEAST_WORKING = 4
LEAST_STACKS = 4
TAKEN = (0.7, 0.95)
"""Of a process's stacks with somebody holding the lock: half is an ordinary busy service."""
ONE_CPU = (0.75, 0.95)
"""CPUs of the process: an interpreter with one lock ends at one."""
MOST_CPUS = 1.25
"""Beyond it native code computes beside the lock, which is then no limit."""


@look("stacks")
def names(view: View) -> Iterable[Judged]:
    """How many working threads of each link are caught in the resolver."""
    for link in view.on_chain():
        working = [
            thread
            for stack in view.stacks(link)
            for thread in stack.threads
            if thread.frames and idle(thread) is None
        ]
        if len(working) < LEAST_WORKING:
            continue
        caught = [thread for thread in working if _resolves(thread)]
        share = len(caught) / len(working)
        own = application_frame(caught[0].frames) if caught else None
        yield evidence(
            RESOLVES,
            link.processes[0] if link.processes else link.key,
            ramp(share, *NAMES_SHARE),
            link=link.key,
            value=round(share, 3),
            command="cat /etc/resolv.conf; time getent hosts NAME",
            percent=round(100 * share),
            function=own.function if own else "?",
            file=own.file.rpartition("/")[2] if own else "?",
            line=own.line if own else 0,
        )


def _resolves(thread: StackThread) -> bool:
    return any(
        base(frame) in RESOLVERS and frame.file.endswith("socket.py") for frame in thread.frames[:4]
    )


@look("stacks")
def one_lock(view: View) -> Iterable[Judged]:
    """The process of each link whose interpreter is at its one CPU."""
    for link in view.on_chain():
        by_process: dict[str, list[list[StackThread]]] = defaultdict(list)
        for stack in view.stacks(link):
            by_process[stack.process].append(stack.threads)
        best = None
        for key, dumps in by_process.items():
            cpu = view.rate("process_cpu_seconds_total", key)
            if len(dumps) < LEAST_STACKS or cpu is None:
                continue
            holders = [t for threads in dumps for t in threads if t.holds_gil and t.frames]
            share = len(holders) / len(dumps)
            full = ramp(cpu, *ONE_CPU) if cpu <= MOST_CPUS else 0.0
            strength = ramp(share, *TAKEN) * full
            if best is None or strength > best[0]:
                best = (strength, key, share, holders)
        if best is None:
            continue
        strength, key, share, holders = best
        own = application_frame(holders[0].frames) if holders else None
        pid = key.rpartition("/")[2].partition("@")[0]
        yield evidence(
            ONE_LOCK,
            key,
            strength,
            link=link.key,
            value=round(share, 3),
            command=f"py-spy top --nonblocking --gil --pid {pid}",
            percent=round(100 * min(1.0, share)),
            pid=pid,
            function=own.function if own else "?",
            file=own.file.rpartition("/")[2] if own else "?",
            line=own.line if own else 0,
        )
