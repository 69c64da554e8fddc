"""Caches that evict, began anew, lack what is asked, refuse, fork, or are full of work."""

from __future__ import annotations

from msgspec import structs

from cause_proofs import prove
from cause_proofs.core import DECODE, all_slow, hot_key, mass_expiry, preprocess, slow_commands
from weaklink.testing.fake_chain import CACHE, END, FRONT, WORKERS, FakeChain, process_key

KEY = process_key(CACHE)


def computes(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        chain.busy_in(pid, cpus=1.1, frames=DECODE, native="av:h264:df0")


def evicts(chain: FakeChain) -> None:
    computes(chain)
    chain.cache(hits=10, misses=20, sets=20, keys=2000, key_growth=0, expired=1)
    chain.counter("cache_evicted_keys_total", KEY, 19.0)
    chain.counter("cache_memory_limit_bytes", KEY, 0.0, start=1e8)
    chain.counter("cache_used_memory_bytes", KEY, 0.0, start=1e8)


def at_its_limit_and_fine(chain: FakeChain) -> None:
    """It turns over a few keys a minute, as a cache at its limit does; hits are as always."""
    preprocess(chain)
    chain.counter("cache_evicted_keys_total", KEY, 0.3)


def restarted(chain: FakeChain) -> None:
    computes(chain)
    chain.cache(hits=5, misses=25, sets=24, keys=200, key_growth=24, expired=0)
    chain.counter("cache_hits_total", KEY, 5.0, start=20)
    chain.counter("cache_misses_total", KEY, 25.0, start=170)
    chain.counter("cache_uptime_seconds", KEY, 1.0, start=20)
    chain.counter("cache_set_commands_total", KEY, 24.0, start=170)
    chain.counter("cache_expired_keys_total", KEY, 0.0)


def all_young(chain: FakeChain) -> None:
    """The whole service has just come up, with its cache."""
    restarted(chain)
    for pid, process in list(chain.processes.items()):
        chain.processes[pid] = structs.replace(process, start=END - 40)


def flushed(chain: FakeChain) -> None:
    computes(chain)
    chain.cache(hits=5, misses=25, sets=24, keys=300, key_growth=24, expired=0)
    chain.counter("cache_flush_commands_total", KEY, 0.0, start=1)


def penetrated(chain: FakeChain) -> None:
    computes(chain)
    chain.cache(hits=20, misses=40, sets=1, keys=9000, key_growth=1, expired=1)


def misses_are_stored(chain: FakeChain) -> None:
    computes(chain)
    chain.cache(hits=20, misses=40, sets=38, keys=9000, key_growth=36, expired=1)


def hot(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.9)
    for pid in WORKERS:
        chain.waiting(pid, caller=FRONT, count=4, age=1.0)
        chain.waiting(CACHE, caller=pid, count=4, age=1.0)
    chain.cpu(CACHE, 1.0)
    chain.counter("cache_commands_total", KEY, 60_000.0, start=1_200_000)
    chain.counter("cache_ping_seconds", KEY, 0.0, start=0.1)


def refuses(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.5, seconds=0.02, status=500)
    chain.counter("cache_refused_commands_total", KEY, 14.0, start=400)
    chain.counter("cache_save_failed", KEY, 0.0, start=1)


def refused_long_ago(chain: FakeChain) -> None:
    """Errors of last week stand in its counters; now it refuses nothing."""
    preprocess(chain)
    chain.counter("cache_refused_commands_total", KEY, 0.0, start=90_000)


def forks(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.2)
    for pid in WORKERS:
        chain.waiting(pid, caller=FRONT, count=4, age=1.0)
        chain.waiting(CACHE, caller=pid, count=4, age=1.0)
    chain.counter("cache_last_fork_seconds", KEY, 0.0, start=1.4)
    chain.counter("cache_saving", KEY, 0.0, start=1)
    chain.counter("cache_ping_seconds", KEY, 0.0, start=0.9)


def saves_quickly(chain: FakeChain) -> None:
    """A snapshot is written; its fork took 12 ms."""
    preprocess(chain)
    chain.counter("cache_last_fork_seconds", KEY, 0.0, start=0.012)
    chain.counter("cache_saving", KEY, 0.0, start=1)


def queue(chain: FakeChain, *, pushes: float, pops: float) -> None:
    chain.counter("cache_push_commands_total", KEY, pushes, start=9000)
    chain.counter("cache_pop_commands_total", KEY, pops, start=8990)


def nobody_takes(chain: FakeChain) -> None:
    all_slow(chain)
    queue(chain, pushes=3, pops=0)


def taken_as_it_comes(chain: FakeChain) -> None:
    preprocess(chain)
    queue(chain, pushes=3, pops=3)


prove("dead-consumer", nobody_takes, near_miss=taken_as_it_comes)
prove("cache-eviction", evicts, near_miss=at_its_limit_and_fine)
prove("cache-eviction", evicts, near_miss=mass_expiry)
prove("cache-cold", restarted, near_miss=all_young)
prove("cache-cold", flushed, near_miss=mass_expiry)
prove("cache-penetration", penetrated, near_miss=misses_are_stored)
prove("cache-penetration", penetrated, near_miss=hot_key)
prove("hot-key", hot, near_miss=slow_commands)
prove("cache-down", refuses, near_miss=refused_long_ago)
prove("cache-fork-stall", forks, near_miss=saves_quickly)
prove("cache-fork-stall", forks, near_miss=slow_commands)
