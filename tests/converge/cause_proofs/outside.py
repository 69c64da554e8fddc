"""Causes that lie outside this host, on a made-up chain: who is waited for, who limits us."""

from __future__ import annotations

from cause_proofs import prove
from weaklink.model.fact import Connection
from weaklink.model.fact_app_log import AppLog, AppSaying
from weaklink.testing.fake_chain import (
    CACHE,
    END,
    FRONT,
    ONSET,
    WORKERS,
    FakeChain,
    address,
    process_key,
)

PROVIDER = "203.0.113.9:443"


def log_of(chain: FakeChain, pid: int, *, errors: int = 0) -> None:
    """A log of a process that was read for the last ten minutes; its errors came since then."""
    chain.also["software"].append(
        AppLog(
            owner=process_key(pid),
            path=f"/var/log/app-{pid}.log",
            form="text",
            lines=5000,
            covered_from=END - 600,
            covered_to=END,
            counts=[(END - 600 + 5 * n, 40, 0) for n in range(114)]
            + [(END - ONSET + 5 * n, 40, errors) for n in range(6)],
        )
    )


def says(
    chain: FakeChain, pid: int, code: str, *, about: str = "", count: int = 12, always: bool = False
) -> None:
    """A statement of that log, since the onset, or all the time."""
    span = 600.0 if always else ONSET
    chain.also["software"].append(
        AppSaying(
            owner=process_key(pid),
            path=f"/var/log/app-{pid}.log",
            code=code,
            about=about,
            count=count,
            times=[END - span + span * n / count for n in range(count)],
            line="a line of the log",
        )
    )


def calls_outside(
    chain: FakeChain, pid: int, *, count: int, age: float, address: str = PROVIDER
) -> None:
    """Requests that a process sent to an address outside and that are not answered."""
    for tick in chain._ticks():
        for n in range(count):
            chain.open_connections.append(
                chain_call(pid, address, 51_000 + n, tick, sent=age, received=age + 20)
            )


def talks_outside(chain: FakeChain, pid: int, address: str = PROVIDER) -> None:
    """A connection to an address outside on which everything was answered."""
    for tick in chain._ticks():
        chain.open_connections.append(
            chain_call(pid, address, 52_000, tick, sent=0.4, received=0.2)
        )


def chain_call(
    pid: int, address: str, port: int, tick: float, *, sent: float, received: float
) -> Connection:
    return Connection(
        local=f"10.0.0.{pid % 100 or 1}:{port}", remote=address, netns="-", pid=pid, at=tick,
        sent_age=sent, received_age=received,
    )  # fmt: skip


def provider_slow(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.8)
    for pid in WORKERS:
        chain.waiting(pid, caller=FRONT, count=5, age=1.8)
        calls_outside(chain, pid, count=5, age=1.7)


def provider_is_streamed_from(chain: FakeChain) -> None:
    """Long before users hurt, something was asked outside that answers by and by: a stream."""
    chain.slow_members(*WORKERS, share=0.8)
    for pid in WORKERS:
        chain.waiting(pid, caller=FRONT, count=5, age=1.8)
        calls_outside(chain, pid, count=5, age=300.0)


def provider_limits(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.8)
    for pid in WORKERS:
        talks_outside(chain, pid)
        chain.waiting(pid, caller=FRONT, count=4, age=1.8)
        log_of(chain, pid, errors=4)
        says(chain, pid, "rate-limited", about="api.example.com:443")


def limited_all_along(chain: FakeChain) -> None:
    """The log has always told of a limit now and then: it was no trouble before either."""
    provider_limits(chain)
    chain.also["software"] = []
    for pid in WORKERS:
        log_of(chain, pid)
        says(chain, pid, "rate-limited", about="api.example.com:443", count=120, always=True)


def limit_in_a_prompt(chain: FakeChain) -> None:
    """Words of a stranger in the log, and nobody outside is called at all."""
    provider_limits(chain)
    chain.open_connections = [c for c in chain.open_connections if c.remote != PROVIDER]


GONE = "127.0.0.1:9100"


def balances_itself(chain: FakeChain) -> None:
    """The workers call a backend by a list of their own; one address of it is gone."""
    chain.slow_members(*WORKERS, share=0.3, status=500, seconds=0.03)
    for pid in WORKERS:
        log_of(chain, pid, errors=5)
        says(chain, pid, "refused", about=GONE)


def refused_in_a_prompt(chain: FakeChain) -> None:
    """The log is full of a refused address at which somebody listens: words, no more."""
    balances_itself(chain)
    chain.also["software"] = []
    for pid in WORKERS:
        log_of(chain, pid)
        says(chain, pid, "refused", about=address(CACHE))


prove("upstream-down", balances_itself, near_miss=refused_in_a_prompt)
prove("external-slow", provider_slow, near_miss=provider_is_streamed_from)
prove("external-slow", provider_slow, near_miss=provider_limits)
prove("external-rate-limited", provider_limits, near_miss=limited_all_along)
prove("external-rate-limited", provider_limits, near_miss=limit_in_a_prompt)
prove("external-rate-limited", provider_limits, near_miss=provider_slow)
