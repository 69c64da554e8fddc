"""A pasted dump of Python stacks: who waits for whom, and which threads are merely idle.

A dump is one moment. Pool threads in queue.get are free, a subscriber in listen() waits for
messages, an event loop in select is idle. What it can show is a wait for one certain thing, an
event loop that sits in a blocking call, and a pool whose threads are all taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.python_threads import CLIENTS, DEEP, base, frame_in, idle, in_loop
from weaklink.locate.verdicts import Said
from weaklink.locate.view import View
from weaklink.model.fact import Frame, Stack, StackThread
from weaklink.model.fact_text_engine import EngineSample
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.py.engine-waits": "{who} waits for the reply of a worker ({at}): the hang is in a "
        "worker, not here",
        "finding.py.collective": "{who} waits in a collective operation ({at}) for the other ranks",
        "finding.py.loop-blocked": "the event loop of {who} sits in a blocking call, {at}[, called "
        "from {caller}]: nothing else is served meanwhile",
        "finding.py.pool-taken": "all {count} {pool} threads are taken, most in {at}: further "
        "requests wait for a free one",
        "finding.py.future": "{who} waits for a future in {at}[; {free} pool threads are free]",
        "finding.py.lock": "{count} threads wait for a lock in {at}",
        "finding.py.remote": "{count} of {all} threads wait for another service's answer ({at})",
        "finding.py.subscriber": "a thread waits for messages in {at}: a subscriber does that "
        "always[; {rest}]",
        "finding.py.idle": "{count} threads, all of them wait for work (such as {at})",
        "finding.py.lost-wake-up": "all {count} threads wait for work (as in {at}) while {waiting} "
        "requests wait in the engine: a message between queue and worker was lost, nobody is slow",
        "finding.py.running": "at that moment {who} ran {at}; one dump does not show how often",
        "finding.py.unclear": "nothing certain in one dump: {count} threads, such as {at}",
    }
)
ANYIO_THREADS = 40
"""anyio's default limit, which Starlette's and FastAPI's plain functions share."""
TAKEN = 4
LOCKED = 3
REMOTE, REMOTE_SHARE = 3, 0.5
COLLECTIVES = ("all_reduce", "all_gather", "broadcast", "barrier", "reduce_scatter", "gather",
               "all_gather_into_tensor", "all_to_all_single", "recv", "send")  # fmt: skip
BLOCKING = {
    "stdlib": frozenset({"sleep", "recv", "recv_into", "read", "readinto", "readline", "connect",
                         "create_connection", "getaddrinfo", "accept", "communicate", "wait",
                         "acquire", "join", "_wait", "_try_wait", "_readline", "send", "sendall"}),
}  # fmt: skip


@look("stacks")
def py_stack(view: View) -> Iterable[Judged]:
    """Each dumped process, where no chain tells what it is."""
    said = Said(view, "stacks", "process")
    for stack in view.case.stacks:
        if stack.process.startswith("process:text/"):
            yield from _judge(view, said, stack)


def _judge(view: View, said: Said, stack: Stack) -> Iterator[Finding]:
    name = stack.process.rpartition("/")[2]
    found = [
        *_engine(said, name, stack),
        *_loops(said, name, stack),
        *_pools(said, name, stack),
        *_locks(said, name, stack),
        *_futures(said, name, stack),
        *_remote(said, name, stack),
    ]
    yield from found or [_calm(said, name, stack, _outstanding(view))]


def _outstanding(view: View) -> EngineSample | None:
    """The engine's newest report beside the dump, if requests wait or run without a token."""
    samples = [fact for fact in view.case.software if isinstance(fact, EngineSample)]
    last = samples[-1] if samples else None
    return last if last is not None and last.waiting and not last.output_rate else None


def _who(thread: StackThread, stack: Stack) -> str:
    title = f" of {stack.title}" if stack.title else ""
    return f"{thread.name or 'a thread'}{title}"


def _at(frame: Frame) -> str:
    return f"{frame.function} ({frame.file}:{frame.line})"


def _own(thread: StackThread) -> Frame:
    """The innermost frame outside of the standard library, else the innermost."""
    return next((frame for frame in thread.frames if frame.origin != "stdlib"), thread.frames[0])


def _lines(thread: StackThread, frame: Frame) -> list[str]:
    first = thread.frames[0]
    rows = [f"{first.function} ({first.file}:{first.line})"]
    return rows if frame is first else [*rows, _at(frame)]


def _engine(said: Said, name: str, stack: Stack) -> Iterator[Finding]:
    for thread in stack.threads:
        waits = frame_in(
            thread, "multiproc_executor.py", "get_response", "_wait_for_response", "collective_rpc"
        ) or frame_in(thread, "ray_distributed_executor.py", "_run_workers", "execute_model")
        if waits is not None:
            inner = frame_in(thread, "shm_broadcast.py") or waits
            yield said.finding(
                "critical",
                "finding.py.engine-waits",
                name,
                _at(inner),
                _at(waits),
                cause="collective-hang",
                sure=0.8,
                next="py-spy dump of each worker process; dmesg for Xid; nvidia-smi",
                who=_who(thread, stack),
                at=_at(inner),
            )
            return
        joint = next(
            (
                frame
                for frame in thread.frames[:DEEP]
                if "torch/distributed" in frame.file and base(frame) in COLLECTIVES
            ),
            None,
        )
        if joint is not None:
            yield said.finding(
                "warn", "finding.py.collective", name, *_lines(thread, joint),
                cause="collective-hang", sure=0.6,
                next="py-spy dump of ALL ranks: which one is elsewhere", who=_who(thread, stack),
                at=_at(joint),
            )  # fmt: skip
            return


def _loops(said: Said, name: str, stack: Stack) -> Iterator[Finding]:
    """An event loop that does not wait in select but in something that blocks."""
    for thread in stack.threads:
        inside = in_loop(thread)
        if not inside:
            continue
        first = thread.frames[0]
        clients = [frame for frame in inside if frame.origin in CLIENTS]
        stdlib_block = first.origin == "stdlib" and base(first) in BLOCKING["stdlib"]
        waits = not thread.running and (stdlib_block or bool(clients))
        if not waits and base(first) != "sleep":
            continue
        own = next((f for f in inside if f.origin not in {"stdlib", *CLIENTS}), None)
        yield said.finding(
            "critical",
            "finding.py.loop-blocked",
            name,
            *_lines(thread, own or first),
            cause="event-loop-blocked",
            sure=0.8,
            next="run that call in a thread (asyncio.to_thread), or use an asynchronous client",
            who=_who(thread, stack),
            at=_at(first),
            more={"caller": _at(own)} if own else {},
        )


def _pools(said: Said, name: str, stack: Stack) -> Iterator[Finding]:
    """Pools none of whose threads is free."""
    pools: dict[str, list[StackThread]] = {}
    for thread in stack.threads:
        if thread.name.startswith("AnyIO worker thread"):
            pools.setdefault("AnyIO worker", []).append(thread)
        elif thread.name.startswith("ThreadPoolExecutor-"):
            pools.setdefault(thread.name.rpartition("_")[0], []).append(thread)
    for pool, threads in pools.items():
        if any(idle(thread) for thread in threads):
            continue
        least = ANYIO_THREADS if pool == "AnyIO worker" else TAKEN
        if len(threads) < least:
            continue
        places = Counter(_at(_own(thread)) for thread in threads)
        at = places.most_common(1)[0][0]
        yield said.finding(
            "critical", "finding.py.pool-taken", name, at, cause="thread-pool-exhausted",
            sure=0.75, next="what they wait for there; a second dump: are they the same",
            count=len(threads), pool=pool, at=at,
        )  # fmt: skip


def _locks(said: Said, name: str, stack: Stack) -> Iterator[Finding]:
    waiting: dict[str, int] = {}
    for thread in stack.threads:
        first = thread.frames[0]
        is_lock = base(first) in {"acquire", "__enter__", "_acquire_restore"} and (
            first.file.endswith("threading.py")
        )
        if is_lock and not idle(thread):
            at = _at(_own(thread))
            waiting[at] = waiting.get(at, 0) + 1
    for at, count in waiting.items():
        if count >= LOCKED:
            yield said.finding(
                "critical", "finding.py.lock", name, at, cause="deadlock", sure=0.5,
                next="which thread holds it: the one that is elsewhere in the same module",
                count=count, at=at,
            )  # fmt: skip


def _futures(said: Said, name: str, stack: Stack) -> Iterator[Finding]:
    free = sum(idle(thread) is not None for thread in stack.threads)
    for thread in stack.threads:
        waits = frame_in(thread, "_base.py", "result") or frame_in(
            thread, "futures/_base.py", "result"
        )
        if waits is None or waits not in thread.frames[:4]:
            continue
        above = thread.frames[thread.frames.index(waits) + 1 :]
        own = next((frame for frame in above if frame.origin != "stdlib"), waits)
        yield said.finding(
            "warn",
            "finding.py.future",
            name,
            _at(waits),
            _at(own),
            sure=0.6,
            next="who was to fulfil it: free pool threads mean that it was never queued or lost",
            who=_who(thread, stack),
            at=_at(own),
            more={"free": free} if free else {},
        )
        return


def _remote(said: Said, name: str, stack: Stack) -> Iterator[Finding]:
    busy = [thread for thread in stack.threads if not idle(thread) and not _listens(thread)]
    places = Counter(
        _at(frame)
        for thread in busy
        if (frame := next((f for f in thread.frames[:DEEP] if f.origin in CLIENTS), None))
        and base(thread.frames[0]) in {"recv", "recv_into", "read", "readline", "connect",
                                          "_read_from_socket", "readinto", "wait_for_read"}
    )  # fmt: skip
    if not places:
        return
    at, count = places.most_common(1)[0]
    if count >= REMOTE and count >= REMOTE_SHARE * len(stack.threads):
        yield said.finding(
            "warn", "finding.py.remote", name, at, cause="external-slow", sure=0.5,
            next="ss -tnp of the process: to whom, and that service's own log",
            count=count, all=len(stack.threads), at=at,
        )  # fmt: skip


def _listens(thread: StackThread) -> Frame | None:
    """A subscriber of Redis or of another broker waits for messages for ever."""
    return next(
        (
            frame
            for frame in thread.frames[:DEEP]
            if base(frame) in {"listen", "get_message", "consume", "drain_events"}
        ),
        None,
    )


def _calm(said: Said, name: str, stack: Stack, work: EngineSample | None) -> Finding:
    listeners = [frame for thread in stack.threads if (frame := _listens(thread))]
    free = [frame for thread in stack.threads if (frame := idle(thread))]
    running = [t for t in stack.threads if t.running and not idle(t) and not _listens(t)]
    gil = next((thread for thread in running if thread.holds_gil), None)
    if gil is not None:
        own = _own(gil)
        return said.finding(
            "unknown", "finding.py.running", name, *_lines(gil, own), sure=0.7,
            next="py-spy record -r 20 -d 5 --nonblocking", who=_who(gil, stack), at=_at(own),
        )  # fmt: skip
    if listeners and free:
        return said.finding(
            "healthy", "finding.py.subscriber", name, _at(listeners[0]), _at(free[0]), sure=0.6,
            at=_at(listeners[0]),
            rest=f"another waits for work in {_at(free[0])}: what would give it work is upstream",
        )  # fmt: skip
    if len(free) + len(listeners) >= len(stack.threads) and stack.threads:
        frame = (free or listeners)[0]
        if work is not None:
            return said.finding(
                "critical", "finding.py.lost-wake-up", name, _at(frame), work.line,
                cause="engine-dead", sure=0.7, next="dump the other processes too; restart it",
                count=len(stack.threads), at=_at(frame), waiting=int(work.waiting or 0),
            )  # fmt: skip
        return said.finding(
            "healthy", "finding.py.idle", name, _at(frame), sure=0.6, count=len(stack.threads),
            at=_at(frame), next="if requests wait all the same, a wake-up was lost",
        )  # fmt: skip
    own = _own(stack.threads[0])
    return said.finding(
        "unknown", "finding.py.unclear", name, _at(own), sure=0.7,
        next="three dumps, a second apart", count=len(stack.threads), at=_at(own),
    )  # fmt: skip
