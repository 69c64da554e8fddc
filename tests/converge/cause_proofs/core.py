"""The ten causes of the core, on a made-up chain: where each is, and where it only seems to be."""

from __future__ import annotations

from cause_proofs import prove
from weaklink.model.fact import Frame, SlowCommand
from weaklink.testing.fake_chain import (
    CACHE,
    END,
    FRONT,
    WORKERS,
    FakeChain,
    group_key,
    process_key,
)

FIRST, SECOND, THIRD = WORKERS
DECODE = [
    Frame(function="decode", file="/x/av/container/core.py", line=9, origin="av"),
    Frame(function="make_thumb", file="/app/worker.py", line=31, origin="app"),
]
COMPUTE = [
    Frame(function="run", file="/x/onnxruntime/session.py", line=9, origin="onnxruntime"),
    Frame(function="infer", file="/app/worker.py", line=60, origin="app"),
]


def all_slow(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.7)
    for pid in WORKERS:
        chain.waiting(pid, caller=FRONT, count=4, age=1.5)


def mass_expiry(chain: FakeChain) -> None:
    all_slow(chain)
    chain.cache(
        hits=10, misses=20, sets=15, keys=800, key_growth=12, expired=0, past_expired=900_000
    )
    chain.ttls([590 + n / 10 for n in range(100)])
    for pid in WORKERS:
        chain.busy_in(pid, cpus=1.1, frames=DECODE, native="av:h264:df0")


def misses_of_something_else(chain: FakeChain) -> None:
    """The hit ratio is as it always was: nine in ten."""
    all_slow(chain)
    chain.cache(hits=27, misses=3, sets=3, keys=9000, key_growth=0, expired=3)
    chain.ttls([float(n) for n in range(1, 600, 6)])
    for pid in WORKERS:
        chain.busy_in(pid, cpus=1.1, frames=COMPUTE)


def hot_key(chain: FakeChain) -> None:
    chain.one_path = "/v1/thumb/launch"
    chain.cache(hits=30, misses=9, sets=8, keys=9000, key_growth=0, expired=1)
    for pid in WORKERS:
        chain.busy_in(pid, cpus=0.9, frames=DECODE)
        chain.waiting(pid, caller=FRONT, count=3, age=1.0)


def one_poisonous_thing(chain: FakeChain) -> None:
    """One thing is slow each time; nothing is stored again and again: no stampede on a key."""
    chain.one_path = "/v1/thumb/broken"
    chain.cache(hits=36, misses=1, sets=0, keys=9000, key_growth=0, expired=1)
    for pid in WORKERS:
        chain.busy_in(pid, cpus=0.9, frames=COMPUTE)
        chain.waiting(pid, caller=FRONT, count=3, age=1.0)


def preprocess(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        chain.busy_in(pid, cpus=1.2, frames=DECODE, native="av:h264:df0")


def model_computes(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        chain.busy_in(pid, cpus=1.2, frames=COMPUTE)


def frozen(chain: FakeChain) -> None:
    chain.state(SECOND, "T")
    chain.cpu(SECOND, 0.0)
    chain.slow_members(SECOND, share=1.0, status=504)
    chain.waiting(SECOND, caller=FRONT, count=6, age=6.0)


def deadlocked(chain: FakeChain) -> None:
    """Not stopped by anybody, and yet: work waits, no CPU, nothing sent."""
    chain.cpu(SECOND, 0.0)
    chain.silent.add(SECOND)
    chain.slow_members(SECOND, share=1.0, status=504)
    chain.waiting(SECOND, caller=FRONT, count=6, age=6.0)


def waits_for_the_cache(chain: FakeChain) -> None:
    """No CPU and old requests, but each of them waits for the cache: it is not the frozen one."""
    chain.slow_members(*WORKERS, share=0.9)
    chain.cpu(SECOND, 0.0)
    chain.waiting(SECOND, caller=FRONT, count=5, age=4.0)
    chain.waiting(CACHE, caller=SECOND, count=5, age=4.0)
    chain.cpu(CACHE, 0.9)


def down(chain: FakeChain) -> None:
    chain.refused = {THIRD}
    chain.listening.discard(THIRD)
    del chain.processes[THIRD]
    for at in (25, 20, 10, 2):
        chain.refuses(THIRD, at)


def slow_but_up(chain: FakeChain) -> None:
    """502 of a member that listens and was never refused: it broke off, it is not down."""
    chain.slow_members(THIRD, share=0.9, status=502, seconds=1.0)


def ejected(chain: FakeChain) -> None:
    chain.idle_workers = {SECOND, THIRD}
    chain.slow_members(FIRST, share=0.8)
    chain.waiting(FIRST, caller=FRONT, count=9, age=2.0)
    chain.busy_in(FIRST, cpus=1.0, frames=DECODE)


def rightly_ejected(chain: FakeChain) -> None:
    """The members that get nothing are stopped: taking them out was right."""
    ejected(chain)
    for pid in (SECOND, THIRD):
        chain.state(pid, "T")
        chain.cpu(pid, 0.0)


def throttled(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        chain.quota[pid] = 0.3
        chain.counter("cgroup_cpu_throttled_periods_total", group_key(pid), 8.0, start=3)
        chain.busy_in(pid, cpus=0.3, frames=DECODE, native="av:h264:df0")


def throttled_now_and_then(chain: FakeChain) -> None:
    """A quota and some throttled periods, as every burst has: 3 %."""
    preprocess(chain)
    for pid in WORKERS:
        chain.quota[pid] = 2.0
        chain.counter("cgroup_cpu_throttled_periods_total", group_key(pid), 0.3, start=3)


def neighbour(chain: FakeChain) -> None:
    all_slow(chain)
    chain.host_cpu(busy=1.0)
    for pid in range(900, 906):
        chain.outsider(pid, "encode-batch", cpus=0.6)
    for pid in WORKERS:
        chain.cpu(pid, 0.1)
        chain.counter("process_run_delay_seconds_total", process_key(pid), 0.6)


def polite_neighbour(chain: FakeChain) -> None:
    """A niced batch uses what is idle; the service's threads do not wait for a CPU."""
    preprocess(chain)
    chain.host_cpu(busy=1.0)
    for pid in range(900, 906):
        chain.outsider(pid, "encode-batch", cpus=0.3, nice=19)


def killed(chain: FakeChain) -> None:
    chain.counter("cgroup_oom_kills_total", group_key(SECOND), 0.4, start=2)
    chain.refused = {SECOND}
    chain.event("oom-kill", 20, SECOND, f"Killed process {SECOND} (python3) in /pods/{SECOND}")


def killed_yesterday(chain: FakeChain) -> None:
    """The counter stands where it stood, and the line is hours old."""
    preprocess(chain)
    chain.counter("cgroup_oom_kills_total", group_key(SECOND), 0.0, start=5)
    chain.event("oom-kill", 7200, SECOND, f"Killed process {SECOND} (python3) in /pods/{SECOND}")


def slow_commands(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.9)
    for pid in WORKERS:
        chain.waiting(pid, caller=FRONT, count=4, age=1.0)
        chain.waiting(CACHE, caller=pid, count=4, age=1.0)
    chain.counter("cache_slow_scan_seconds_total", process_key(CACHE), 0.8)
    chain.counter("cache_ping_seconds", process_key(CACHE), 0.0, start=0.4)
    chain.slow = [
        SlowCommand(cache=process_key(CACHE), at=END - n, duration=0.4, command="KEYS *")
        for n in range(1, 20)
    ]


def old_slow_log(chain: FakeChain) -> None:
    """The slow log is full of last night's job; now the server is idle and prompt."""
    preprocess(chain)
    chain.slow = [
        SlowCommand(cache=process_key(CACHE), at=END - 20_000 - n, duration=0.4, command="KEYS *")
        for n in range(20)
    ]


prove("cache-mass-expiry", mass_expiry, near_miss=misses_of_something_else)
prove("hot-key-expiry", hot_key, near_miss=one_poisonous_thing)
prove("preprocess-on-cpu", preprocess, near_miss=model_computes)
prove("preprocess-on-cpu", preprocess, near_miss=mass_expiry)
prove("preprocess-on-cpu", preprocess, near_miss=throttled)
prove("worker-frozen", frozen, near_miss=waits_for_the_cache)
prove("worker-frozen", deadlocked, near_miss=preprocess)
prove("upstream-down", down, near_miss=slow_but_up)
prove("peers-ejected", ejected, near_miss=rightly_ejected)
prove("cpu-throttled", throttled, near_miss=throttled_now_and_then)
prove("cpu-noisy-neighbour", neighbour, near_miss=polite_neighbour)
prove("oom-killed", killed, near_miss=killed_yesterday)
prove("slow-command", slow_commands, near_miss=old_slow_log)
