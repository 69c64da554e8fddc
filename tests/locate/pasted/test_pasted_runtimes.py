"""Runtimes in pasted text: GC logs, thread dumps of JVMs, stacks of Python processes."""

from __future__ import annotations

import pytest

from weaklink.testing.pasted import read_pasted, said


def full_gc(at: float, cause: str, after: int, seconds: float = 0.4) -> str:
    return (
        f"2026-03-02T10:00:{at % 60:06.3f}+0000: {at:.3f}: [Full GC ({cause}) [PSYoungGen: 100K->0K"
        f"(200K)] [ParOldGen: 900K->{after}K(1000K)] 1000K->{after}K(1200K), [Metaspace: 9K->9K"
        f"(99K)], {seconds:.7f} secs] [Times: user=1.00 sys=0.00, real={seconds:.2f} secs]\n"
    )


def test_collections_that_were_asked_for_are_no_sign_of_a_small_heap() -> None:
    text = full_gc(3, "System.gc()", 100) + full_gc(90, "System.gc()", 100)
    reading = read_pasted(text)
    assert reading.verdict == "warn"
    assert "System.gc()" in reading.findings[0].text
    assert "too small" not in reading.findings[0].text


def test_collecting_in_vain_is_thrashing() -> None:
    text = "".join(full_gc(3 + n, "Ergonomics", 1190) for n in range(7))
    reading = read_pasted(text)
    assert (reading.verdict, reading.findings[0].cause) == ("critical", "gc-storm")


UNIFIED = "[{at:.3f}s][info][gc] GC({n}) Pause {what} {before}M->{after}M(4096M) {ms:.3f}ms\n"


def test_the_unified_log() -> None:
    young = "".join(
        UNIFIED.format(at=9 + n, n=n, what="Young (Normal) (G1 Evacuation Pause)", before=900,
                       after=100, ms=12.5)
        for n in range(9)
    )  # fmt: skip
    assert read_pasted(young).verdict == "healthy"
    full = UNIFIED.format(
        at=30, n=99, what="Full (Allocation Failure)", before=4000, after=3100, ms=9000.5
    )
    first = read_pasted(young + full).findings[0]
    assert first.verdict == "critical"
    assert "Pause Full (Allocation Failure) stopped the JVM for 9 s" in first.text


def test_named_troubles() -> None:
    young = (
        "12.000: [GC pause (G1 Evacuation Pause) (young) (to-space exhausted), 0.0900000 secs]\n"
        "   [Eden: 0.0B(1.0G)->0.0B(1.0G) Survivors: 0.0B->0.0B Heap: 3.9G(4.0G)->3.9G(4.0G)]\n"
    )
    assert "to-space exhausted 1 times" in said(young)
    mode = (
        "9.000: [GC 9.000: [ParNew (promotion failed): 900K->900K(900K), 0.1 secs]9.100: [CMS "
        "(concurrent mode failure): 9000K->8900K(9000K), 1.1000000 secs] 9900K->8900K(9900K), "
        "1.2000000 secs]\n"
    )
    assert read_pasted(mode * 6).verdict == "critical"


def thread(
    name: str, state: str, *lines: str, held: str = "", kind: str = "waiting on condition"
) -> str:
    rows = "".join(f"\t{line}\n" for line in lines)
    return (
        f'"{name}" #7 prio=5 os_prio=0 tid=0x00007f01 nid=0x99 {kind} [0x00007f02]\n'
        f"   java.lang.Thread.State: {state}\n{rows}{held}\n"
    )


DUMP = "Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n\n"
IDLE = (
    "at jdk.internal.misc.Unsafe.park(Native Method)",
    "- parking to wait for  <0x0000000700001111> (a java.util.concurrent.locks."
    "AbstractQueuedSynchronizer$ConditionObject)",
    "at java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:433)",
)
BLOCKED = (
    "at com.acme.Index.add(Index.java:9)",
    "- waiting to lock <0x00000007aaaabbbb> (a com.acme.Index)",
)


def test_idle_pool_threads_are_no_hang() -> None:
    text = DUMP + "".join(
        thread(f"pool-1-thread-{n}", "WAITING (parking)", *IDLE) for n in range(80)
    )
    reading = read_pasted(text)
    assert reading.verdict == "healthy"
    assert "80 waiting" in reading.findings[0].text


def test_a_convoy_names_the_lock_and_its_holder() -> None:
    text = DUMP + "".join(
        thread(f"http-{n}", "BLOCKED (on object monitor)", *BLOCKED) for n in range(9)
    )
    text += thread(
        "merger", "RUNNABLE", "at com.acme.Index.merge(Index.java:40)",
        "- locked <0x00000007aaaabbbb> (a com.acme.Index)",
    )  # fmt: skip
    first = read_pasted(text).findings[0]
    assert first.verdict == "critical"
    assert "9 threads" in first.text
    assert '"merger"' in first.text
    assert "deadlock" not in first.text


def test_only_the_ring_is_the_deadlock() -> None:
    rows = [("a", "b", "11"), ("b", "c", "22"), ("c", "b", "33")]
    text = "Found one Java-level deadlock:\n=============================\n" + "".join(
        f'"{name}":\n  waiting to lock monitor 0x01 (object 0x{lock}, a java.lang.Object),\n'
        f'  which is held by "{other}"\n'
        for name, other, lock in rows
    )
    first = read_pasted(text).findings[0]
    assert (first.verdict, first.cause) == ("critical", "deadlock")
    assert "b <-> c wait for each other" in first.text
    assert "a only wait behind" in first.text


def test_threads_that_wait_for_a_pooled_connection() -> None:
    frames = (
        "at jdk.internal.misc.Unsafe.park(Native Method)",
        "at com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:181)",
    )
    text = DUMP + "".join(
        thread(f"exec-{n}", "TIMED_WAITING (parking)", *frames) for n in range(12)
    )
    assert read_pasted(text).findings[0].cause == "connection-pool-exhausted"


def stack(*threads: tuple[str, str, list[str]], title: str = "python app.py") -> str:
    out = f"Process 77: {title}\nPython v3.11.2 (/usr/bin/python3.11)\n\n"
    for number, (name, state, frames) in enumerate(threads):
        out += f'Thread {100 + number} ({state}): "{name}"\n'
        out += "".join(f"    {frame}\n" for frame in frames)
    return out


LOOP = ["_run_once (asyncio/base_events.py:1922)", "run_forever (asyncio/base_events.py:607)"]
FREE = [
    "wait (threading.py:327)",
    "get (queue.py:171)",
    "_worker (concurrent/futures/thread.py:81)",
]
SELECT = ["select (selectors.py:468)", *LOOP]


@pytest.mark.parametrize(
    ("threads", "verdict", "cause", "words"),
    [
        ([("MainThread", "idle", SELECT)], "healthy", "", "wait for work"),
        (
            [("MainThread", "idle", ["sleep_on (app/api.py:9)", *SELECT[1:]])],
            "unknown",
            "",
            "nothing certain",
        ),
        (
            [("MainThread", "idle", ["recv_into (socket.py:706)", "load (app/db.py:9)", *LOOP])],
            "critical",
            "event-loop-blocked",
            "load (app/db.py:9)",
        ),
        (
            [("MainThread", "idle", SELECT), ("ThreadPoolExecutor-0_0", "idle", FREE)],
            "healthy",
            "",
            "2 threads",
        ),
        (
            [
                ("MainThread", "idle", ["wait (threading.py:1)", "result (concurrent/futures/"
                                        "_base.py:9)", "snapshot (jobs.py:44)"]),
                ("ThreadPoolExecutor-0_0", "idle", FREE),
            ],
            "warn",
            "",
            "snapshot (jobs.py:44); 1 pool threads are free",
        ),
        (
            [("MainThread", "active+gil", ["encode (app/tok.py:8)", "main (app/run.py:1)"])],
            "unknown",
            "",
            "encode (app/tok.py:8)",
        ),
        (
            [("MainThread", "idle", ["recv (redis/conn.py:9)", "listen (redis/client.py:7)"])],
            "healthy",
            "",
            "listen (redis/client.py:7)",
        ),
        (
            [("MainThread", "idle", ["poll (zmq/sugar/poll.py:106)", "dequeue (vllm/distributed/"
              "device_communicators/shm_broadcast.py:9)", "get_response (vllm/v1/executor/"
              "multiproc_executor.py:3)"])],
            "critical",
            "collective-hang",
            "the hang is in a worker",
        ),
    ],
)  # fmt: skip
def test_what_one_dump_can_show(
    threads: list[tuple[str, str, list[str]]], verdict: str, cause: str, words: str
) -> None:
    reading = read_pasted(stack(*threads))
    assert reading.verdict == verdict
    assert reading.findings[0].cause == cause
    assert words in reading.findings[0].text


def test_a_pool_with_no_free_thread() -> None:
    busy = ["recv (ssl.py:9)", "ask (app/api.py:3)", "run (anyio/_backends/_asyncio.py:867)"]
    taken = [("AnyIO worker thread", "idle", busy)] * 40
    reading = read_pasted(stack(("MainThread", "idle", SELECT), *taken))
    assert reading.verdict == "critical"
    assert reading.findings[0].cause == "thread-pool-exhausted"
    free = ["wait (threading.py:1)", "get (queue.py:171)", "run (anyio/_backends/_asyncio.py:867)"]
    one_free = [*taken[:-1], ("AnyIO worker thread", "idle", free)]
    assert read_pasted(stack(("MainThread", "idle", SELECT), *one_free)).verdict != "critical"


def test_a_stall_of_one_thread_is_quoted_and_no_pause_is_made_up() -> None:
    stall = "[{at}.345s][info][gc] Allocation Stall (http-nio-8080-exec-{n}) {ms}ms\n"
    text = "[0.512s][info][gc] Using The Z Garbage Collector\n" + "".join(
        stall.format(at=13 + n, n=n, ms=ms)
        for n, ms in enumerate(("212.345", "1200.100", "31.000"))
    )
    finding = read_pasted(text).findings[0]
    assert finding.verdict == "warn"
    assert "Allocation Stall 3 times" in finding.text
    assert "longest pause" not in finding.text
    assert "1200.100ms" in finding.line
