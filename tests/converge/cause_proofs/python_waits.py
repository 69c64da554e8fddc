"""Python servers that hold themselves up: blocked loop, full pool, no connection, deadlock."""

from __future__ import annotations

from msgspec import structs

from cause_proofs import prove
from cause_proofs.core import DECODE, all_slow, deadlocked, frozen, preprocess
from weaklink.model.fact import Frame, Stack, StackThread, Thread
from weaklink.testing.fake_chain import CACHE, END, WORKERS, FakeChain, process_key

SECOND = WORKERS[1]
MOMENTS = (END - 5, END - 4, END - 3, END - 2, END - 1)
RUNNER = Frame(function="_run_once", file="/usr/lib/python3.11/asyncio/base_events.py", line=1)
SELECT = Frame(function="select", file="/usr/lib/python3.11/selectors.py", line=9, origin="stdlib")
WORKER = Frame(
    function="_worker",
    file="/usr/lib/python3.11/concurrent/futures/thread.py",
    line=81,
    origin="stdlib",
)
HANDLER = Frame(function="handle", file="/app/worker.py", line=40, origin="app")
SLEEP = Frame(function="charge", file="/app/billing.py", line=12, origin="app")
GET = Frame(function="get", file="/usr/lib/python3.11/queue.py", line=180, origin="stdlib")
POOL_GET = Frame(
    function="BlockingConnectionPool.get_connection",
    file="/x/site-packages/redis/connection.py",
    line=1500,
    origin="redis",
)


def dumped(
    chain: FakeChain, pid: int, threads: list[tuple[str, bool, list[Frame]]], *, wchan: str = ""
) -> None:
    """The same threads in each of five stacks; the kernel says what they sleep in."""
    for at in MOMENTS:
        rows = [
            StackThread(tid=pid + n, name=name, running=running, frames=frames)
            for n, (name, running, frames) in enumerate(threads)
        ]
        chain.stacks.append(Stack(process=process_key(pid), at=at, threads=rows))
        for n, (name, _, _) in enumerate(threads):
            chain.threads.append(
                Thread(
                    process=process_key(pid), tid=pid + n, name=name, state="S", at=at,
                    cpu_seconds=1.0, waits_in=wchan,
                )
            )  # fmt: skip


def loop_blocked(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        dumped(chain, pid, [("MainThread", False, [SLEEP, HANDLER, RUNNER])])


def loop_in_select(chain: FakeChain) -> None:
    """Slow, but the loop is free whenever it is looked at."""
    all_slow(chain)
    for pid in WORKERS:
        dumped(chain, pid, [("MainThread", False, [SELECT, RUNNER])])


def pool_taken(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        dumped(
            chain,
            pid,
            [(f"ThreadPoolExecutor-0_{n}", False, [SLEEP, HANDLER, WORKER]) for n in range(4)],
        )


def pool_with_a_free_thread(chain: FakeChain) -> None:
    """Three of four wait, the fourth waits for work."""
    all_slow(chain)
    busy = [(f"ThreadPoolExecutor-0_{n}", False, [SLEEP, HANDLER, WORKER]) for n in range(3)]
    for pid in WORKERS:
        dumped(chain, pid, [*busy, ("ThreadPoolExecutor-0_3", False, [GET, WORKER])])


def pool_computes(chain: FakeChain) -> None:
    """All taken, all on the CPU: more threads would not help."""
    preprocess(chain)
    for pid in WORKERS:
        dumped(
            chain, pid, [(f"ThreadPoolExecutor-0_{n}", True, [*DECODE, WORKER]) for n in range(4)]
        )


def no_connection(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        dumped(
            chain,
            pid,
            [
                (f"ThreadPoolExecutor-0_{n}", False, [GET, POOL_GET, HANDLER, WORKER])
                for n in range(4)
            ],
            wchan="futex_do_wait",
        )


def slow_cache_empties_the_pool(chain: FakeChain) -> None:
    """Threads wait for a connection because the cache holds each of them for long."""
    no_connection(chain)
    for pid in WORKERS:
        chain.waiting(CACHE, caller=pid, count=6, age=2.0)
    chain.counter("cache_ping_seconds", process_key(CACHE), 0.0, start=0.6)


def locked(chain: FakeChain) -> None:
    deadlocked(chain)
    first = [Frame(function="debit", file="/app/ledger.py", line=20, origin="app"), HANDLER]
    second = [Frame(function="credit", file="/app/ledger.py", line=31, origin="app"), HANDLER]
    dumped(chain, SECOND, [("a", False, first), ("b", False, second)], wchan="futex_do_wait")


def sleeps_alike(chain: FakeChain) -> None:
    """The same lines in every stack, but asleep in a timer: somebody wrote sleep, not a lock."""
    all_slow(chain)
    rows: list[tuple[str, bool, list[Frame]]] = [(f"t{n}", False, [SLEEP, HANDLER]) for n in (1, 2)]
    for pid in WORKERS:
        dumped(chain, pid, rows, wchan="hrtimer_nanosleep")


def stopped_with_the_same_stacks(chain: FakeChain) -> None:
    """A stopped process shows the same lines as well: it is stopped, not locked."""
    frozen(chain)
    rows: list[tuple[str, bool, list[Frame]]] = [(f"t{n}", False, [SLEEP, HANDLER]) for n in (1, 2)]
    dumped(chain, SECOND, rows, wchan="do_signal_stop")


prove("event-loop-blocked", loop_blocked, near_miss=loop_in_select)
prove("event-loop-blocked", loop_blocked, near_miss=stopped_with_the_same_stacks)
prove("thread-pool-exhausted", pool_taken, near_miss=pool_with_a_free_thread)
prove("thread-pool-exhausted", pool_taken, near_miss=pool_computes)
prove("connection-pool-exhausted", no_connection, near_miss=slow_cache_empties_the_pool)
prove("connection-pool-exhausted", no_connection, near_miss=pool_taken)
prove("deadlock", locked, near_miss=sleeps_alike)
prove("deadlock", locked, near_miss=stopped_with_the_same_stacks)


RESOLVE = Frame(
    function="getaddrinfo", file="/usr/lib/python3.11/socket.py", line=962, origin="stdlib"
)
SCHEDULE = Frame(function="schedule", file="/app/engine.py", line=210, origin="app")


def resolves(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        dumped(chain, pid, [(f"t{n}", False, [RESOLVE, HANDLER]) for n in range(3)])


def holds_the_lock(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        chain.cpu(pid, 1.0)
        for at in MOMENTS:
            rows = [
                StackThread(tid=pid, name="main", running=True, holds_gil=True, frames=[SCHEDULE]),
                StackThread(tid=pid + 1, name="t1", running=True, frames=[HANDLER]),
            ]
            chain.stacks.append(Stack(process=process_key(pid), at=at, threads=rows))


def lock_comes_and_goes(chain: FakeChain) -> None:
    """A busy service, whose lock is free in half of the stacks."""
    holds_the_lock(chain)
    chain.stacks = [
        stack if n % 2 else structs.replace(stack, threads=stack.threads[1:])
        for n, stack in enumerate(chain.stacks)
    ]


prove("dns-slow", resolves, near_miss=pool_taken)
prove("scheduling-overhead", holds_the_lock, near_miss=lock_comes_and_goes)
prove("scheduling-overhead", holds_the_lock, near_miss=preprocess)
