"""What one Python thread of a dump is: an event loop, one of a pool, idle, waiting in a client.

Told by files and functions of the standard library and of well-known packages, never by the names
that an application chose. Functions are compared without their class: py-spy writes `Pool.get` from
Python 3.11 on and `get` before.
"""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.model.fact import Frame, StackThread

DEEP = 25
"""Innermost frames that are looked at for what a thread waits in."""
IDLE_FUNCTIONS = frozenset(
    {"select", "poll", "epoll", "kqueue", "accept", "get_next_task", "serve_forever",
     "_get_next_task_from_local_scheduler", "get_task", "wait_for_work", "worker_busy_loop"}
)  # fmt: skip
WAITS_FOR_EVENTS = frozenset({"select", "poll", "epoll", "kqueue"})
CLIENTS = ("urllib3", "requests", "httpx", "httpcore", "aiohttp", "redis", "psycopg", "psycopg2",
           "pymysql", "pymongo", "grpc", "botocore", "asyncpg", "sqlalchemy", "boto3")  # fmt: skip
POOL_GETS: tuple[tuple[str, str, frozenset[str]], ...] = (
    # (package, end of the file, functions): a thread below them waits for a free connection
    ("sqlalchemy", "pool/impl.py", frozenset({"_do_get"})),
    ("redis", "connection.py", frozenset({"get_connection"})),
    ("valkey", "connection.py", frozenset({"get_connection"})),
    ("urllib3", "connectionpool.py", frozenset({"_get_conn"})),
    ("httpcore", "connection_pool.py", frozenset({"wait_for_connection"})),
    ("psycopg_pool", "pool.py", frozenset({"getconn", "wait"})),
    ("pymongo", "pool.py", frozenset({"_get_conn", "_get_socket"})),
    ("dbutils", "pooled_db.py", frozenset({"connection", "steady_connection"})),
    ("peewee", "pool.py", frozenset({"_connect"})),
)
LOCK_FILES = ("queue.py", "threading.py", "_synchronization.py")
LOCK_WAITS = frozenset({"get", "wait", "acquire", "__enter__", "wait_for"})
"""Functions of those files that a thread sits in while it waits for another."""


def base(frame: Frame) -> str:
    """The function's name without its class."""
    return frame.function.rpartition(".")[2]


def frame_in(thread: StackThread, file: str, *functions: str) -> Frame | None:
    """A frame near the top in a file that ends so, with one of these functions (none: any)."""
    return next(
        (
            frame
            for frame in thread.frames[:DEEP]
            if frame.file.endswith(file) and (not functions or base(frame) in functions)
        ),
        None,
    )


def application_frame(frames: Iterable[Frame]) -> Frame | None:
    """The innermost frame of the application's own code; None where there is none."""
    return next((frame for frame in frames if frame.origin == "app"), None)


def idle(thread: StackThread) -> Frame | None:
    """The frame that shows that the thread waits for work; None where it does not."""
    for pool in (
        frame_in(thread, "concurrent/futures/thread.py", "_worker"),
        frame_in(thread, "/thread.py", "_worker"),
        next(
            (
                frame
                for frame in thread.frames[:DEEP]
                if frame.file == "thread.py" and base(frame) == "_worker"
            ),
            None,
        ),
    ):
        if pool and (
            pool is thread.frames[0] or any(base(frame) == "get" for frame in thread.frames[:4])
        ):
            return pool
    if frame_in(thread, "anyio/_backends/_asyncio.py", "run"):
        free = frame_in(thread, "queue.py", "get")
        if free:
            return free
    first = thread.frames[0]
    if base(first) in WAITS_FOR_EVENTS | {"accept"} and first.origin in {"stdlib", ""}:
        return first
    return next((f for f in thread.frames[:4] if base(f) in IDLE_FUNCTIONS), None) or (
        frame_in(thread, "shm_broadcast.py", "dequeue")
        if frame_in(thread, "", "worker_busy_loop")
        else None
    )


def in_loop(thread: StackThread) -> list[Frame] | None:
    """Frames that an event loop called, innermost first: empty where it waits for events.

    None where the thread runs no event loop. A loop in native code (uvloop) has no frames of its
    own: then the runner is what called.
    """
    for at, frame in enumerate(thread.frames):
        name = base(frame)
        if name in {"_run_once", "run_forever"} and (
            "asyncio" in frame.file or frame.file.endswith("base_events.py")
        ):
            inside = thread.frames[:at]
            waits = any(base(f) in WAITS_FOR_EVENTS for f in inside[:2])
            return [] if waits else inside
        if name == "run" and frame.file.endswith("asyncio/runners.py"):
            return thread.frames[:at]
    return None


def pool_of(thread: StackThread) -> str | None:
    """Name of the pool that a thread belongs to; None where it is in none that is known."""
    if thread.name.startswith("AnyIO worker thread"):
        return "AnyIO worker"
    if thread.name.startswith("ThreadPoolExecutor-"):
        return thread.name.rpartition("_")[0]
    if frame_in(thread, "waitress/task.py", "handler_thread"):
        return "waitress"
    pools = [f for f in thread.frames if f.file.endswith("concurrent/futures/thread.py")]
    if any(base(frame) == "_worker" for frame in pools):
        return thread.name.rpartition("_")[0] or thread.name
    return None


def waits_for_connection(thread: StackThread) -> Frame | None:
    """The frame of a client's pool in which a thread waits for a connection to become free."""
    for at, frame in enumerate(thread.frames[:DEEP]):
        for package, file, functions in POOL_GETS:
            if frame.origin == package and frame.file.endswith(file) and base(frame) in functions:
                above = thread.frames[:at]
                blocked = any(
                    base(f) in LOCK_WAITS
                    and f.file.endswith(("queue.py", "threading.py", "_sync.py"))
                    for f in above
                )
                return frame if blocked and not thread.running else None
    return None
