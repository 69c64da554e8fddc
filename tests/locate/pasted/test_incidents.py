"""Incidents that others had, re-enacted as the texts their people would have pasted.

The table of all of them is docs/incidents.md; the figures here are our own.
"""

from __future__ import annotations

from weaklink.testing.pasted import read_pasted, said

IDLE_WORKER = (
    'Process 9: VLLM::Worker\n\nThread 9 (idle): "MainThread"\n    wait (threading.py:327)\n'
    "    get (queue.py:171)\n    _worker (concurrent/futures/thread.py:81)\n"
)
WAITING = (
    "INFO 03-02 10:00:00 [loggers.py:118] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg "
    "generation throughput: 0.0 tokens/s, Running: 2 reqs, Waiting: 6 reqs, GPU KV cache usage: "
    "12.0%, Prefix cache hit rate: 1.0%\n"
)


def test_all_stacks_idle_is_no_all_clear_while_requests_wait() -> None:
    alone = read_pasted(IDLE_WORKER)
    assert alone.verdict == "healthy"
    assert "a wake-up was lost" in alone.findings[0].next
    both = read_pasted(IDLE_WORKER + WAITING)
    assert both.verdict == "critical"
    assert "lost" in said(IDLE_WORKER + WAITING)


def status(pid: int, anon: int, swap: int) -> str:
    return (
        f"Name:\trunner\nPid:\t{pid}\nVmRSS:\t  900000 kB\nRssAnon:\t  {anon} kB\n"
        f"VmSwap:\t  {swap} kB\nThreads:\t9\n"
    )


def test_a_leak_that_swaps_out_is_not_hidden_by_a_flat_rss() -> None:
    text = "".join(status(31, 800_000, swap) for swap in (0, 400_000, 900_000))
    reading = read_pasted(text)
    assert (reading.verdict, reading.findings[0].cause) == ("warn", "memory-leak")
    assert "1.6 GiB" in reading.findings[0].text
    assert read_pasted(status(31, 800_000, 0)).verdict == "healthy"


def test_a_full_cpu_beside_a_half_idle_gpu_is_the_limit() -> None:
    top = (
        "top - 10:00:00 up 9 days,  1:02,  1 user,  load average: 1.20, 1.10, 1.00\n"
        "Threads: 400 total,   1 running, 399 sleeping,   0 stopped,   0 zombie\n"
        "%Cpu(s):  9.0 us,  1.0 sy,  0.0 ni, 90.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n\n"
        "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
        "   7101 svc       20   0   40.1g   6.2g   1.1g R  99.9   4.9 120:11.90 api_server\n"
        "   7130 svc       20   0   40.1g   6.2g   1.1g S   3.0   4.9   1:11.90 grpc\n"
        "   7131 svc       20   0   40.1g   6.2g   1.1g S   0.3   4.9   0:11.90 python\n"
    )
    gpu = (
        "utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n"
        "{busy} %, 20000 MiB, 81559 MiB\n"
    )
    assert "preprocess-on-cpu" in {
        one.cause for one in read_pasted(top + gpu.format(busy=31)).findings
    }
    full = read_pasted(top + gpu.format(busy=98))
    assert "preprocess-on-cpu" not in {one.cause for one in full.findings}


def test_a_busy_engine_behind_an_impatient_probe() -> None:
    """The probe's timeout is read as such; whether the engine is dead, its tokens tell."""
    event = (
        "  Warning  Unhealthy  9m (x8 over 2h)  kubelet  Liveness probe failed: Get "
        '"http://10.0.0.9:8000/health": context deadline exceeded\n'
    )
    busy = WAITING.replace(
        "throughput: 0.0 tokens/s, Running", "throughput: 900.0 tokens/s, Running"
    )
    texts = [one.text for one in read_pasted(event + busy).findings]
    assert any("shorter than a busy step" in text for text in texts)
    assert not any("the engine is dead" in text for text in texts)


def test_a_stub_killed_for_memory_leaves_its_server_waiting() -> None:
    text = (
        "E0302 10:00:00.123456 1 python_be.cc:9] Stub process 'ocr_0_0' is not healthy.\n"
        "==> memory.events <==\nmax 90\noom 1\noom_kill 1\n"
    )
    assert {one.cause for one in read_pasted(text).findings} == {"oom-killed"}


def test_a_host_with_free_memory_does_not_clear_a_full_container() -> None:
    text = (
        "$ free -g\n"
        "               total        used        free      shared  buff/cache   available\n"
        "Mem:             503          31         402           0          69         470\n"
        "$ cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.current\n"
        "17179869184\n17100000000\n"
        "$ cat /sys/fs/cgroup/memory.events\nlow 0\nmax 990\noom 2\noom_kill 2\n"
    )
    reading = read_pasted(text)
    assert (reading.verdict, reading.findings[0].cause) == ("critical", "oom-killed")


def test_answers_cut_at_one_length_are_seen_in_the_finish_reasons() -> None:
    text = "".join(
        f'vllm:request_success_total{{finished_reason="{reason}",model_name="m"}} {count}\n'
        for reason, count in (("stop", 30), ("length", 170))
    )
    assert "output-truncated" in {one.cause for one in read_pasted(text).findings}


def test_a_pool_of_plain_functions_that_starves_the_health_check() -> None:
    frames = (
        "    recv (ssl.py:9)\n    stream (app/chat.py:3)\n    run (anyio/_backends/_asyncio.py:1)\n"
    )
    text = "Process 5: uvicorn\n\n" + "".join(
        f'Thread {600 + n} (idle): "AnyIO worker thread"\n{frames}' for n in range(40)
    )
    assert "thread-pool-exhausted" in {one.cause for one in read_pasted(text).findings}
