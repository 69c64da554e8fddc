"""Inference engines in pasted logs and metrics: queues, KV cache, collectives, GPU memory."""

from __future__ import annotations

import pytest

from weaklink.testing.pasted import read_pasted, said


def vllm(
    running: int, waiting: int, kv: float, rate: float = 400.0, prompt: float = 0.0, at: int = 0
) -> str:
    return (
        f"INFO 03-02 10:00:{at:02} [loggers.py:118] Engine 000: Avg prompt throughput: {prompt} "
        f"tokens/s, Avg generation throughput: {rate} tokens/s, Running: {running} reqs, Waiting: "
        f"{waiting} reqs, GPU KV cache usage: {kv}%, Prefix cache hit rate: 1.0%\n"
    )


def old_vllm(running: int, pending: int, kv: float) -> str:
    return (
        "INFO 03-02 10:00:00 metrics.py:349] Avg prompt throughput: 9.0 tokens/s, Avg generation "
        f"throughput: 90.0 tokens/s, Running: {running} reqs, Swapped: 0 reqs, Pending: {pending} "
        f"reqs, GPU KV cache usage: {kv}%, CPU KV cache usage: 0.0%.\n"
    )


@pytest.mark.parametrize(
    ("log", "verdict", "cause", "words"),
    [
        (vllm(0, 4, 0.0, 0.0), "critical", "engine-dead", "even where HTTP still answers"),
        (vllm(0, 0, 0.0, 0.0), "healthy", "engine-dead", "idle"),
        (vllm(9, 0, 40.0), "healthy", "engine-dead", "9 running"),
        (vllm(6, 30, 99.1), "critical", "kv-cache-exhausted", "99.1%"),
        (old_vllm(6, 30, 99.1), "critical", "kv-cache-exhausted", "30 requests wait"),
        (vllm(1, 9, 71.0, 6.0), "critical", "kv-cache-exhausted", "the engine is alive"),
        (vllm(200, 900, 28.0), "critical", "gpu-compute-saturated", "not a matter of KV"),
        (vllm(40, 2, 60.0), "healthy", "", "2 of 42"),
        (vllm(3, 0, 97.5), "warn", "kv-cache-exhausted", "none waits yet"),
    ],
)
def test_an_engines_report(log: str, verdict: str, cause: str, words: str) -> None:
    reading = read_pasted(log)
    assert reading.verdict == verdict
    assert reading.findings[0].cause == cause
    assert words in reading.findings[0].text


def test_answers_with_200_do_not_make_a_dead_engine_healthy() -> None:
    log = vllm(0, 4, 0.0, 0.0) + 'INFO:     10.0.0.1:9 - "POST /v1/chat HTTP/1.1" 200 OK\n' * 5
    assert read_pasted(log).verdict == "critical"


def test_standing_still_takes_more_than_one_report() -> None:
    one = vllm(7, 0, 30.0, 0.0)
    assert read_pasted(one).verdict != "critical"
    reading = read_pasted(vllm(7, 0, 30.0, 0.0, at=0) + vllm(7, 0, 30.0, 0.0, at=10))
    assert (reading.verdict, reading.findings[0].cause) == ("critical", "engine-dead")
    # Prompts are being computed: no token yet, and no fault.
    filling = vllm(7, 0, 30.0, 0.0, 900.0, 0) + vllm(7, 0, 31.0, 0.0, 900.0, 10)
    assert read_pasted(filling).verdict != "critical"


def test_what_is_over_does_not_count() -> None:
    log = vllm(6, 30, 99.1, at=0) + vllm(6, 0, 50.0, at=10) + vllm(5, 0, 41.0, at=20)
    assert read_pasted(log).verdict == "healthy"


def test_long_prompts_that_starve_decoding() -> None:
    log = vllm(4, 0, 30.0, 0.9, 7000.0, 0) + vllm(4, 0, 40.0, 1.2, 7100.0, 10)
    assert read_pasted(log).findings[0].cause == "long-prefill-blocking"


METRICS = (
    "# TYPE {p}:num_requests_running gauge\n"
    '{p}:num_requests_running{{model_name="m"}} {running}\n'
    '{p}:num_requests_waiting{{model_name="m"}} {waiting}\n'
    '{p}:{kv_name}{{model_name="m"}} {kv}\n'
)


@pytest.mark.parametrize("kv_name", ["gpu_cache_usage_perc", "kv_cache_usage_perc"])
def test_metrics_under_their_old_and_new_names(kv_name: str) -> None:
    text = METRICS.format(p="vllm", running=2, waiting=40, kv=0.97, kv_name=kv_name)
    first = read_pasted(text).findings[0]
    assert (first.verdict, first.cause) == ("critical", "kv-cache-exhausted")
    assert "97%" in first.text
    idle = METRICS.format(p="vllm", running="0.0", waiting="0.0", kv=0.0, kv_name=kv_name)
    assert read_pasted(idle).verdict == "healthy"


def test_a_long_queue_with_little_kv_is_not_blamed_on_kv() -> None:
    text = (
        'sglang:token_usage{model_name="m"} 0.31\n'
        'sglang:num_running_reqs{model_name="m"} 120.0\n'
        'sglang:num_queue_reqs{model_name="m"} 2000.0\n'
    )
    first = read_pasted(text).findings[0]
    assert first.verdict == "critical"
    assert "31%" in first.text
    assert first.cause != "kv-cache-exhausted"


def triton(queue: int, compute: int, count: int = 100, runs: int = 100) -> str:
    return "".join(
        f'nv_inference_{name}{{model="m",version="1"}} {value}\n'
        for name, value in (
            ("count", count),
            ("exec_count", runs),
            ("request_duration_us", queue + compute),
            ("queue_duration_us", queue),
            ("compute_infer_duration_us", compute),
        )
    )


def test_queueing_is_told_from_a_slow_model() -> None:
    slow = read_pasted(triton(900, 30_000_000))
    assert slow.verdict == "healthy"
    assert "the model's own" in slow.findings[0].text
    queue = read_pasted(triton(900_000_000, 40_000_000))
    assert queue.verdict == "critical"
    assert "not the model that is slow" in queue.findings[0].text


def test_first_tokens_that_came_late_for_many() -> None:
    rows = "".join(
        f'vllm:time_to_first_token_seconds_bucket{{le="{bound}",model_name="m"}} {count}\n'
        for bound, count in (("1.0", 10), ("20.0", 300), ("40.0", 500), ("+Inf", 1000))
    )
    rows += 'vllm:time_to_first_token_seconds_count{model_name="m"} 1000\n'
    rows += 'vllm:time_to_first_token_seconds_sum{model_name="m"} 60000\n'
    first = read_pasted(rows).findings[0]
    assert first.verdict == "critical"
    assert "50 % of 1000" in first.text
    assert "40 s" in first.text


def nccl(rank: int, operation: str, seconds: int = 600, sequence: int = 9) -> str:
    return (
        f"[rank{rank}]:[E302 10:00:00.000 ProcessGroupNCCL.cpp:629] [Rank {rank}] Watchdog caught "
        f"collective operation timeout: WorkNCCL(SeqNum={sequence}, OpType={operation}, NumelIn=1, "
        f"NumelOut=1, Timeout(ms)={seconds}000) ran for {seconds}123 milliseconds before timing "
        "out.\n"
    )


def test_the_rank_that_does_not_speak_is_the_suspect() -> None:
    log = nccl(0, "ALLREDUCE") + nccl(1, "ALLREDUCE") + nccl(3, "ALLREDUCE")
    first = read_pasted(log).findings[0]
    assert first.cause == "collective-hang"
    assert "rank 2" in first.text
    assert "600 s" in first.text


def test_ranks_in_different_collectives_ran_apart() -> None:
    text = said(nccl(0, "BROADCAST") + nccl(1, "ALLREDUCE", 1800))
    assert "rank 0 in BROADCAST, rank 1 in ALLREDUCE" in text
    assert "1800 s before anything was said" in text


NEW = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 1 has a total "
    "capacity of 40.00 GiB of which {free} GiB is free. Including non-PyTorch memory, this process "
    "has {ours} GiB memory in use. Of the allocated memory {allocated} GiB is allocated by PyTorch"
    ", and {unused} GiB is reserved by PyTorch but unallocated.\n"
)


@pytest.mark.parametrize(
    ("free", "ours", "unused", "cause", "words"),
    [
        ("0.50", "20.00", "0.10", "gpu-memory-hog", "about 19.5 GiB is held by another process"),
        ("0.50", "39.00", "0.10", "gpu-memory-leak", "this process itself holds 39 GiB"),
        ("0.50", "39.00", "6.00", "gpu-memory-leak", "fragmentation"),
    ],
)
def test_who_holds_the_gpus_memory(
    free: str, ours: str, unused: str, cause: str, words: str
) -> None:
    first = read_pasted(NEW.format(free=free, ours=ours, unused=unused, allocated=ours)).findings[0]
    assert first.verdict == "critical"
    assert first.cause == cause
    assert words in first.text


def test_a_shortage_whose_end_is_cut_off_blames_nobody() -> None:
    text = NEW.format(free="0.50", ours="20.00", unused="0.1", allocated="20.00")
    cut = read_pasted(text[: text.index("Including")])
    assert "does not show who holds it" in cut.findings[0].text


@pytest.mark.parametrize(
    ("log", "verdict", "cause"),
    [
        (
            "time=2026-03-02T10:00:00.000Z level=WARN source=runner.go:9 "
            'msg="truncating input prompt" limit=4096 prompt=9001 keep=4 new=4096\n',
            "warn",
            "context-overflow",
        ),
        (
            "load_tensors: offloaded 30/61 layers to GPU\n",
            "warn",
            "gpu-memory-hog",
        ),
        ("load_tensors: offloaded 61/61 layers to GPU\n", "healthy", ""),
        (
            "WARNING 2026-03-02 10:00:00,000 proxy 10.0.0.1 ab pow_2_scheduler.py:698 - Failed to "
            "schedule request after 10 attempts over 3.1s. Retrying. Request ID: 9.\n",
            "warn",
            "upstream-down",
        ),
        (
            "[2026-03-02 10:00:00 TP0] Decode batch. #running-req: 3, #token: 9000, token usage: "
            "0.99, gen throughput (token/s): 30.00, #queue-req: 0\n"
            "[2026-03-02 10:00:01 TP0] KV cache pool is full. Retract requests. #retracted_reqs: 2"
            ", #new_token_ratio: 0.1 -> 0.9\n",
            "critical",
            "kv-cache-exhausted",
        ),
        (
            '{"timestamp":"2026-03-02T10:00:00Z","level":"WARN","message":"Model is overloaded"}\n',
            "critical",
            "gateway-limit",
        ),
        (
            "WARNING 03-02 10:00:00 scheduler.py:9] Sequence group 7 is preempted by PreemptionMode"
            ".RECOMPUTE mode because there is not enough KV cache space. "
            "total_num_cumulative_preemption=31\n",
            "warn",
            "kv-cache-exhausted",
        ),
        (
            "(EngineCore_DP0 pid=9) ValueError: Free memory on device cuda:3 (30.00/40.00 GiB) on "
            "startup is less than desired GPU memory utilization (0.9, 36.00 GiB). Decrease it.\n",
            "critical",
            "gpu-memory-hog",
        ),
        (
            "E0302 10:00:00.123456 1 model_lifecycle.cc:9] failed to load 'ocr' version 1: Internal"
            ": out of range\n",
            "critical",
            "engine-dead",
        ),
        (
            "loading in lowvram mode 900.5\n 50%|####     | 5/10 [01:00<01:00, 12.00s/it]\n",
            "critical",
            "gpu-memory-hog",
        ),
        ("100%|#########| 10/10 [00:01<00:00,  9.90it/s]\n", "unknown", ""),
        (
            "ERROR 03-02 10:00:00 [core.py:9] EngineCore encountered a fatal error.\n",
            "critical",
            "engine-dead",
        ),
    ],
)
def test_statements_of_model_servers(log: str, verdict: str, cause: str) -> None:
    reading = read_pasted(log)
    assert reading.verdict == verdict
    assert reading.findings[0].cause == cause


def test_a_pool_that_could_be_evicted_is_no_lack_of_capacity() -> None:
    log = (
        "[full] total=100000, available=100, evictable=99000, protected=0\n"
        "[TP0] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)\n"
    )
    text = said(log)
    assert "not a lack of capacity" in text
    assert "99 % of its pool is evictable" in text
