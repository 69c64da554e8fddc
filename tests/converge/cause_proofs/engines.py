"""Causes of inference engines and of answers that are wrong in content, on a made-up chain.

The counters stand where a day's work has left them; what they do within the window is the trouble.
"""

from __future__ import annotations

from cause_proofs import prove
from cause_proofs.core import all_slow, model_computes
from cause_proofs.outside import log_of, says, talks_outside
from weaklink.model.event import Event
from weaklink.model.fact import Connection, Frame, Process, Stack, StackThread
from weaklink.model.look import Look
from weaklink.testing.fake_chain import (
    END,
    FRONT,
    ONSET,
    WORKERS,
    FakeChain,
    process_key,
)

FIRST, SECOND, THIRD = WORKERS
DAY = 50_000.0
"""Requests that an engine has answered so far."""


def engine(
    chain: FakeChain,
    *pids: int,
    running: float = 6.0,
    waiting: float = 0.0,
    kv: float = 0.6,
    rate: float = 7.0,
    tokens: float = 200.0,
    prompt: float = 400.0,
    gap: float = 0.02,
    first: float = 0.2,
    cut: float = 0.05,
    preempted: float = 0.0,
) -> None:
    """Counters of engines: what they did for a day, and what they do a second now."""
    for pid in pids or WORKERS:
        key = process_key(pid)
        chain.counter("engine_requests_running", key, 0.0, start=running)
        chain.counter("engine_requests_waiting", key, 0.0, start=waiting)
        chain.counter("engine_kv_used_ratio", key, 0.0, start=kv)
        chain.counter("engine_preemptions_total", key, preempted, start=40.0)
        for name, once, usual in (
            ("engine_requests_done_total", 1.0, 1.0),
            ("engine_first_tokens_total", 1.0, 1.0),
            ("engine_output_tokens_total", tokens, 200.0),
            ("engine_prompt_tokens_total", prompt, 400.0),
            ("engine_token_gaps_total", tokens, 200.0),
            ("engine_token_gap_seconds_total", tokens * gap, 200.0 * 0.02),
            ("engine_first_token_seconds_total", first, 0.2),
            ("engine_ended_length_total", cut, 0.05),
            ("engine_ended_stop_total", 1 - cut, 0.95),
        ):
            chain.counter(name, key, rate * once, start=DAY * usual)


def dead(chain: FakeChain) -> None:
    chain.slow_members(SECOND, share=1.0, status=504)
    chain.waiting(SECOND, caller=FRONT, count=6, age=6.0)
    engine(chain, FIRST, THIRD)
    engine(chain, SECOND, running=4, waiting=9, rate=0.0)


def reads_a_long_prompt(chain: FakeChain) -> None:
    """No token for some seconds, but one request alone runs and nobody waits: it is being read."""
    model_computes(chain)
    engine(chain, running=1, waiting=0, rate=0.0)


def kv_full(chain: FakeChain) -> None:
    all_slow(chain)
    engine(chain, running=30, waiting=14, kv=0.99, preempted=2.0, first=2.5)


def kv_high_as_ever(chain: FakeChain) -> None:
    """Nine tenths are normal: nobody waits and nobody is put back."""
    model_computes(chain)
    engine(chain, running=30, waiting=0, kv=0.96)


def queue_without_kv(chain: FakeChain) -> None:
    """A queue, and room in the cache: it computes as fast as it can."""
    model_computes(chain)
    engine(chain, running=16, waiting=20, kv=0.4, first=2.0)


def long_prompts(chain: FakeChain) -> None:
    all_slow(chain)
    engine(chain, prompt=6000.0, gap=0.06, first=2.0, running=7, waiting=1)


def long_prompts_that_fit(chain: FakeChain) -> None:
    """Prompts are a little longer than the mean of the day, as they are at this hour."""
    model_computes(chain)
    engine(chain, prompt=560.0, running=7)


def cut_off(chain: FakeChain) -> None:
    """In time, status 200, and nearly all end at their limit; bodies shrank with them."""
    engine(chain, cut=0.9, tokens=40.0)
    chain.shrunk_to = 300


def cut_as_ever(chain: FakeChain) -> None:
    """Some answers always end at their limit."""
    engine(chain, cut=0.12)


def empty(chain: FakeChain) -> None:
    engine(chain, tokens=3.0, cut=0.0)
    chain.shrunk_to = 90


def empty_by_the_counter_alone(chain: FakeChain) -> None:
    """Fewer tokens an answer, and bodies as large as ever: short questions at this hour."""
    engine(chain, tokens=60.0)


def too_long(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.4, status=500, seconds=0.03)
    engine(chain, prompt=2500.0)
    for pid in WORKERS:
        log_of(chain, pid, errors=3)
        says(chain, pid, "vllm.prompt-too-long")


def too_long_now_and_then(chain: FakeChain) -> None:
    """There has always been one now and then; what fails now fails for something else."""
    too_long(chain)
    chain.also["software"] = []
    engine(chain)
    for pid in WORKERS:
        log_of(chain, pid)
        says(chain, pid, "vllm.prompt-too-long", count=100, always=True)


def slow_tokens(chain: FakeChain) -> None:
    all_slow(chain)
    engine(chain, gap=0.07)


def slow_tokens_of_a_crowd(chain: FakeChain) -> None:
    """Three times as many requests share each step: each token takes longer, as it must."""
    slow_tokens(chain)
    for pid in WORKERS:
        key = process_key(pid)
        chain.past["engine_requests_running", key] = 2.0
        chain.counter("engine_requests_running", key, 0.0, start=9.0)


def waits_to_fill(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.9, seconds=0.4)
    chain.waiting(WORKERS[0], caller=FRONT, count=2, age=0.6)
    batches(chain, queue=0.3, size=1.1, waiting=1.0)


def waits_in_a_crowd(chain: FakeChain) -> None:
    """The same time in the queue with many before it: load, and batches are full."""
    model_computes(chain)
    batches(chain, queue=0.3, size=7.5, waiting=24.0)


def batches(chain: FakeChain, *, queue: float, size: float, waiting: float) -> None:
    for pid in WORKERS:
        key = process_key(pid)
        chain.counter("engine_requests_waiting", key, 0.0, start=waiting)
        for name, rate, usual in (
            ("engine_requests_done_total", 7.0, 1.0),
            ("engine_batched_total", 7.0, 1.0),
            ("engine_batches_total", 7.0 / size, 0.15),
            ("engine_queued_total", 7.0, 1.0),
            ("engine_queue_seconds_total", 7.0 * queue, 0.01),
            ("engine_compute_seconds_total", 7.0 * 0.02, 0.02),
        ):
            chain.counter(name, key, rate, start=DAY * usual)


def changed(chain: FakeChain, *pids: int, ago: float) -> None:
    """These processes started `ago` seconds before the onset, with code changed just before."""
    chain.also["looks"].append(Look(name="changes", target="", outcome="value", at=END))
    for pid in pids:
        at = END - ONSET - ago
        old = chain.processes[pid]
        fields = {f: getattr(old, f) for f in Process.__struct_fields__}
        chain.processes[pid] = Process(**{**fields, "start": at})
        chain.events.append(
            Event(
                at=at - 5,
                kind="code-change",
                target=process_key(pid),
                text="/app/worker.py",
                source="/app/worker.py",
                details={"loaded": 1},
            )
        )


def deployed(chain: FakeChain) -> None:
    chain.slow_members(SECOND, share=0.7, status=500, seconds=0.05)
    changed(chain, SECOND, ago=4)
    log_of(chain, SECOND, errors=6)
    says(chain, SECOND, "exception", about="KeyError")


def deployed_long_ago(chain: FakeChain) -> None:
    chain.slow_members(SECOND, share=0.7, status=500, seconds=0.05)
    changed(chain, SECOND, ago=1500)
    log_of(chain, SECOND, errors=6)
    says(chain, SECOND, "exception", about="KeyError")


def deployed_and_fine(chain: FakeChain) -> None:
    """The member that was changed is fine, another one is not."""
    chain.slow_members(THIRD, share=0.7, status=500, seconds=0.05)
    changed(chain, SECOND, ago=4)


def turned_away(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.6, status=401, seconds=0.02)
    for pid in WORKERS:
        log_of(chain, pid, errors=2)
        says(chain, pid, "unauthorized", about="login.example.com:443")


def turned_away_as_ever(chain: FakeChain) -> None:
    """A stranger tries keys, as always; what fails now is something else."""
    chain.slow_members(*WORKERS, share=0.6, status=500, seconds=0.02)
    for pid in WORKERS:
        log_of(chain, pid)
        says(chain, pid, "unauthorized", count=150, always=True)


STORE = "10.0.9.9:9000"


def store_slow(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.8)
    frames = [
        Frame(
            function="_send_request", file="/x/botocore/awsrequest.py", line=9, origin="botocore"
        ),
        Frame(function="fetch", file="/app/worker.py", line=12, origin="app"),
    ]
    for pid in WORKERS:
        chain.waiting(pid, caller=FRONT, count=5, age=1.8)
        for at in (END - 5, END - 3):
            threads = [
                StackThread(tid=pid + n, name=f"w{n}", running=False, frames=frames)
                for n in range(4)
            ]
            chain.stacks.append(Stack(process=process_key(pid), at=at, threads=threads))
        for tick in chain._ticks():
            chain.open_connections += [
                Connection(
                    local=f"10.0.0.{pid % 100}:{53_000 + n}", remote=STORE, netns="-", pid=pid,
                    at=tick, sent_age=1.6, received_age=30.0,
                )
                for n in range(5)
            ]  # fmt: skip


def store_in_use(chain: FakeChain) -> None:
    """It is asked, and answers at once; the model is what takes its time."""
    model_computes(chain)
    for pid in WORKERS:
        talks_outside(chain, pid, STORE)


def poison(chain: FakeChain) -> None:
    chain.one_path = "/v1/thumb/broken"
    chain.status_when_slow = 502
    chain.slow_seconds = 0.5
    for pid in WORKERS:
        log_of(chain, pid, errors=3)
        says(chain, pid, "gunicorn.died", count=6)


def poison_that_is_only_dear(chain: FakeChain) -> None:
    """One thing is slow each time and nothing dies of it."""
    chain.one_path = "/v1/thumb/huge"
    for pid in WORKERS:
        log_of(chain, pid)


prove("engine-dead", dead, near_miss=reads_a_long_prompt)
prove("engine-dead", dead, near_miss=kv_full)
prove("kv-cache-exhausted", kv_full, near_miss=kv_high_as_ever)
prove("kv-cache-exhausted", kv_full, near_miss=queue_without_kv)
prove("kv-cache-exhausted", kv_full, near_miss=dead)
prove("long-prefill-blocking", long_prompts, near_miss=long_prompts_that_fit)
prove("long-prefill-blocking", long_prompts, near_miss=slow_tokens)
prove("output-truncated", cut_off, near_miss=cut_as_ever)
prove("output-truncated", cut_off, near_miss=empty)
prove("answers-empty", empty, near_miss=empty_by_the_counter_alone)
prove("answers-empty", empty, near_miss=cut_off)
prove("context-overflow", too_long, near_miss=too_long_now_and_then)
prove("tokens-slow", slow_tokens, near_miss=slow_tokens_of_a_crowd)
prove("tokens-slow", slow_tokens, near_miss=long_prompts)
prove("batch-waits-to-fill", waits_to_fill, near_miss=waits_in_a_crowd)
prove("bad-deploy", deployed, near_miss=deployed_long_ago)
prove("bad-deploy", deployed, near_miss=deployed_and_fine)
prove("auth-or-quota", turned_away, near_miss=turned_away_as_ever)
prove("object-store-slow", store_slow, near_miss=store_in_use)
prove("poison-request", poison, near_miss=poison_that_is_only_dear)
