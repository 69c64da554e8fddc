"""What arrives at the entry: too much, too heavy, again and again, unevenly; or turned away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from cause_proofs import prove
from cause_proofs.core import DECODE, all_slow, ejected, mass_expiry, model_computes, preprocess
from weaklink.model.event import Event
from weaklink.model.requests import Requests
from weaklink.model.target import target_key
from weaklink.testing.fake_chain import (
    END,
    FRONT,
    HOST,
    LOG,
    LOG_SECONDS,
    ONSET,
    WORKERS,
    FakeChain,
    address,
    process_key,
)

FIRST = WORKERS[0]
Row = dict[str, object]


def more_rows(
    chain: FakeChain, count: int, since: float, until: float, row: Callable[[int], Row]
) -> None:
    """Further lines of the proxy's log, evenly between two moments before the end."""
    columns: dict[str, list[object]] = defaultdict(list)
    for n in range(count):
        at = END - since + (since - until) * n / count
        own = row(n)
        took = float(str(own.get("duration", 0.02)))
        upstream = own.get("upstream", address(WORKERS[n % 3]))
        for name, value in (
            ("start", at), ("end", at + took), ("duration", took), ("status", 200),
            ("method", "GET"), ("path", f"/v1/thumb/{n % 397}"), ("route", "/v1/thumb/{}"),
            ("client", f"10.8.0.{n % 200}"), ("upstream", upstream), ("upstream_status", 200),
            ("upstream_duration", took if upstream else None), ("tries", 1 if upstream else 0),
            ("sent", 2000),
        ):  # fmt: skip
            columns[name].append(own.get(name, value))
    chain.also["requests"].append(
        Requests(
            source=target_key("log", LOG, host=HOST),
            covered_from=END - LOG_SECONDS,
            **columns,  # type: ignore[arg-type]
        )
    )


def full(chain: FakeChain) -> None:
    all_slow(chain)
    chain.host_cpu(busy=0.95)
    for pid in WORKERS:
        chain.cpu(pid, 1.2)


def surge(chain: FakeChain) -> None:
    full(chain)
    more_rows(chain, 1500, ONSET, 2, lambda n: {"duration": 1.9})


def a_little_more(chain: FakeChain) -> None:
    """A fifth more than before: an ordinary evening; something else is slow."""
    model_computes(chain)
    more_rows(chain, 110, ONSET, 2, lambda n: {})


def heavier(chain: FakeChain) -> None:
    full(chain)
    row = {"route": "/v1/page/{}", "path": "/v1/page/7", "sent": 20_000}
    more_rows(chain, 400, LOG_SECONDS, ONSET, lambda n: row)
    more_rows(chain, 60, ONSET, 2, lambda n: {**row, "sent": 120_000, "duration": 1.8})


def as_heavy_as_ever(chain: FakeChain) -> None:
    """Large answers, and they were as large before."""
    model_computes(chain)
    row = {"route": "/v1/page/{}", "path": "/v1/page/7", "sent": 120_000}
    more_rows(chain, 400, LOG_SECONDS, ONSET, lambda n: row)
    more_rows(chain, 60, ONSET, 2, lambda n: {**row, "duration": 1.8})


def again(chain: FakeChain) -> None:
    full(chain)
    more_rows(
        chain, 1600, ONSET, 2,
        lambda n: {"client": f"10.8.1.{n % 80}", "path": f"/v1/thumb/{n % 80}", "duration": 1.9},
    )  # fmt: skip


def skewed(chain: FakeChain) -> None:
    chain.slow_members(FIRST, share=0.8)
    chain.waiting(FIRST, caller=FRONT, count=9, age=2.0)
    chain.busy_in(FIRST, cpus=1.0, frames=DECODE)
    rate = 30
    more_rows(chain, int(rate * (LOG_SECONDS - ONSET)), LOG_SECONDS, ONSET, lambda n: {})
    more_rows(
        chain, int(rate * ONSET), ONSET, 0,
        lambda n: {"upstream": address(FIRST), "duration": 0.4 if n % 3 else 1.9},
    )  # fmt: skip


def turned_away(chain: FakeChain) -> None:
    more_rows(
        chain, 700, ONSET, 0.2,
        lambda n: {"status": 503, "upstream": "", "upstream_status": 0, "duration": 0.0},
    )  # fmt: skip
    chain.events.append(
        Event(
            at=END - 20, kind="log", target=process_key(FRONT), text="limiting requests",
            source="nginx-error", details={"code": "limited", "count": 700},
        )
    )  # fmt: skip


def limits_now_and_then(chain: FakeChain) -> None:
    """A limit is configured and sheds one in a hundred, as always; something else is slow."""
    preprocess(chain)
    more_rows(
        chain, 120, LOG_SECONDS, 2,
        lambda n: {"status": 503, "upstream": "", "upstream_status": 0, "duration": 0.0},
    )  # fmt: skip


prove("traffic-surge", surge, near_miss=a_little_more)
prove("traffic-surge", surge, near_miss=mass_expiry)
prove("work-surge", heavier, near_miss=as_heavy_as_ever)
prove("retry-storm", again, near_miss=surge)
prove("lb-skew", skewed, near_miss=ejected)
prove("gateway-limit", turned_away, near_miss=limits_now_and_then)
