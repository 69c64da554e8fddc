"""Who in a Python process holds up the others: a blocked event loop, a full pool, a lock.

Several stacks of each process, spread over the window, tell a wait from a moment: a thread that is
in the same line of the application in all of them is stuck there or does nothing else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.python_threads import (
    application_frame,
    base,
    idle,
    in_loop,
    pool_of,
    waits_for_connection,
)
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import Evidence, evidence
from weaklink.model.fact import Frame, Stack, StackThread, Thread
from weaklink.stats.robust import ramp
from weaklink.words import sign

LOOP_BLOCKED = sign(
    "stack.loop-blocked",
    "process-stacks",
    "The event loop sits in one synchronous call: nothing else is served meanwhile.",
    "the event loop [waits in {waiting} ][computes in {computing} ]{file}:{line} in {share} of its "
    "stacks",
    hurts=True,
)
POOL_TAKEN = sign(
    "stack.pool-taken",
    "process-stacks",
    "All threads of a pool are taken, and they wait instead of computing.",
    "all {count} threads of {pool} are taken in {percent} % of the stacks, most wait in {function} "
    "{file}:{line}",
    hurts=True,
)
WAITS_FOR_CONNECTION = sign(
    "stack.waits-for-connection",
    "process-stacks",
    "Threads wait until a connection of a client's own pool becomes free.",
    "{count} threads wait for a free connection of {package}'s pool, for {function} {file}:{line}",
    hurts=True,
)
LOCKED = sign(
    "stack.locked",
    "process-stacks",
    "Threads wait for locks in the same lines in every stack, and nobody releases them.",
    "{count} threads sit in the same lines for {seconds:seconds}, waiting for locks: {where}",
    hurts=True,
)
LEAST_STACKS = 3
"""Of one process: fewer show a moment, not a habit."""
BLOCKED_SHARE = (0.5, 0.9)
"""Of a loop's stacks: one that serves is back in select between two of them."""
COMPUTING = 0.6
"""Strength of a loop that computes in one function: it may be many short requests as well."""
TAKEN_SHARE = (0.6, 0.95)
"""Of a pool's stacks, all threads taken and waiting: a pool that is just busy has free moments."""
LEAST_POOL = 2
POOL_WAITERS = (0.4, 2.0)
"""Mean number of threads that wait for a connection."""
LEAST_LOCKED = 2
"""Threads: one that waits for a lock waits for somebody's work."""
ANYIO_THREADS = 40
"""anyio's default limit; it starts threads as it needs them, so fewer are not all."""
LOCK_WAITS = ("futex",)
"""Beginnings of the kernel functions that a lock sleeps in; time.sleep is hrtimer_nanosleep."""


@look("stacks")
def python_waits(view: View) -> Iterable[Judged]:
    """For every process of the chain with enough stacks; the worst process of a link speaks."""
    for link in view.on_chain():
        stacks = sorted(view.stacks(link), key=lambda stack: (stack.process, stack.at))
        found: dict[str, Evidence] = {}
        for key, group in groupby(stacks, key=lambda stack: stack.process):
            dumps = [stack for stack in group if stack.threads]
            if len(dumps) < LEAST_STACKS:
                continue
            for item in _of_process(view, link, key, dumps):
                before = found.get(item.sign)
                if before is None or item.strength > before.strength:
                    found[item.sign] = item
        yield from found.values()


def _of_process(view: View, link: Link, key: str, dumps: list[Stack]) -> Iterator[Evidence]:
    command = f"py-spy dump --nonblocking --pid {key.rpartition('/')[2].partition('@')[0]}"
    yield from _loop(link, key, dumps, command)
    yield from _pools(link, key, dumps, command)
    yield _connections(link, key, dumps, command)
    yield from _locks(view, link, key, dumps, command)


class Place(NamedTuple):
    """Where in the code, as a person would write it."""

    function: str = "?"
    file: str = "?"
    line: int = 0


def _place(frame: Frame | None) -> Place:
    if frame is None:
        return Place()
    return Place(frame.function, frame.file.rpartition("/")[2], frame.line)


def _own(thread: StackThread) -> Frame:
    """The application's innermost frame, else that of any package, else the innermost."""
    return (
        application_frame(thread.frames)
        or next((frame for frame in thread.frames if frame.origin != "stdlib"), None)
        or thread.frames[0]
    )


def _loop(link: Link, key: str, dumps: list[Stack], command: str) -> Iterator[Evidence]:
    loops = 0
    held: dict[tuple[str, str], list[tuple[Frame, bool]]] = defaultdict(list)
    for thread in (thread for dump in dumps for thread in dump.threads if thread.frames):
        inside = in_loop(thread)
        if inside is None:
            continue
        loops += 1
        own = application_frame(inside)
        if own is not None:
            held[(own.function, own.file)].append((own, thread.running))
    if not loops:
        return
    worst = max(held.values(), key=len, default=[])
    waiting = sum(1 for _, running in worst if not running)
    computes = waiting * 2 < len(worst)
    place = _place(worst[0][0] if worst else None)
    strength = ramp(len(worst) / loops, *BLOCKED_SHARE) if loops >= LEAST_STACKS else 0.0
    yield evidence(
        LOOP_BLOCKED,
        key,
        strength * (COMPUTING if computes else 1.0),
        link=link.key,
        value=round(len(worst) / loops, 3),
        command=command,
        share=f"{len(worst)}/{loops}",
        file=place.file,
        line=place.line,
        **{"computing" if computes else "waiting": place.function},  # type: ignore[arg-type]
    )


def _pools(link: Link, key: str, dumps: list[Stack], command: str) -> Iterator[Evidence]:
    taken: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    sizes: dict[str, int] = {}
    places: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    frames: dict[tuple[str, str], Frame] = {}
    for dump in dumps:
        pools: dict[str, list[StackThread]] = defaultdict(list)
        for thread in dump.threads:
            name = pool_of(thread) if thread.frames else None
            if name is not None:
                pools[name].append(thread)
        for name, threads in pools.items():
            seen[name] += 1
            sizes[name] = max(sizes.get(name, 0), len(threads))
            busy = [thread for thread in threads if idle(thread) is None]
            waiting = [thread for thread in busy if not thread.running]
            least = ANYIO_THREADS if name == "AnyIO worker" else LEAST_POOL
            if len(busy) == len(threads) >= least and len(waiting) * 2 > len(busy):
                taken[name] += 1
            for thread in waiting:
                own = _own(thread)
                places[name][(own.function, own.file)] += 1
                frames[(own.function, own.file)] = own
    if not seen:
        return
    name = max(seen, key=lambda pool: (taken[pool] / seen[pool], sizes[pool]))
    share = taken[name] / seen[name]
    most = places[name].most_common(1)
    place = _place(frames[most[0][0]] if most else None)
    yield evidence(
        POOL_TAKEN,
        key,
        ramp(share, *TAKEN_SHARE) if seen[name] >= LEAST_STACKS else 0.0,
        link=link.key,
        value=round(share, 3),
        command=command,
        count=sizes[name],
        pool=name,
        percent=round(100 * share),
        function=place.function,
        file=place.file,
        line=place.line,
    )


def _connections(link: Link, key: str, dumps: list[Stack], command: str) -> Evidence:
    waiting = [
        (frame, thread)
        for dump in dumps
        for thread in dump.threads
        if thread.frames and (frame := waits_for_connection(thread)) is not None
    ]
    mean = len(waiting) / len(dumps)
    frame, thread = waiting[0] if waiting else (None, None)
    place = _place(_own(thread) if thread else None)
    return evidence(
        WAITS_FOR_CONNECTION,
        key,
        ramp(mean, *POOL_WAITERS),
        link=link.key,
        value=round(mean, 2),
        command=command,
        count=round(mean, 1),
        package=frame.origin if frame else "?",
        function=place.function,
        file=place.file,
        line=place.line,
    )


def _locks(
    view: View, link: Link, key: str, dumps: list[Stack], command: str
) -> Iterator[Evidence]:
    asleep = _in_locks(view.threads_of(key))
    if asleep is None:
        return  # the kernel does not tell what threads sleep in
    lines: dict[int, set[tuple[str, int]]] = defaultdict(set)
    count: Counter[int] = Counter()
    last: dict[int, Frame] = {}
    for dump in dumps:
        for thread in dump.threads:
            own = application_frame(thread.frames)
            if own is None or thread.running or idle(thread) is not None:
                continue
            lines[thread.tid].add((own.file, own.line))
            count[thread.tid] += 1
            last[thread.tid] = own
    stuck = [
        tid
        for tid, places in lines.items()
        if len(places) == 1 and count[tid] == len(dumps) and tid in asleep
    ]
    places = Counter(f"{base(last[t])} {last[t].file.rpartition('/')[2]}:{last[t].line}"
                     for t in stuck)  # fmt: skip
    yield evidence(
        LOCKED,
        key,
        1.0 if len(stuck) >= LEAST_LOCKED else 0.0,
        link=link.key,
        value=float(len(stuck)),
        command=command,
        count=len(stuck),
        seconds=round(dumps[-1].at - dumps[0].at, 1),
        where=", ".join(place for place, _ in places.most_common(2)) or "-",
    )


def _in_locks(threads: list[Thread]) -> set[int] | None:
    """Threads that slept in a lock whenever they were read; None where the kernel hides it."""
    if not any(thread.waits_in for thread in threads):
        return None
    found: dict[int, bool] = {}
    for thread in threads:
        in_lock = thread.waits_in.startswith(LOCK_WAITS) and thread.state == "S"
        found[thread.tid] = found.get(thread.tid, True) and in_lock
    return {tid for tid, always in found.items() if always}
