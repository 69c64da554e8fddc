"""Requests that no log tells of: sockets say when users surely wait for too long."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from weaklink import incident
from weaklink.model.fact import Connection
from weaklink.observe.flight import stuck
from weaklink.testing.fake_chain import END, FRONT, WINDOW, FakeChain, address

TICKS = [END - WINDOW + n for n in range(int(WINDOW) + 1)]


def waiting(tick: float, port: int, age: float) -> Connection:
    """A request that came `age` seconds before the tick and is not answered."""
    return Connection(
        local=address(FRONT), remote=f"10.9.9.9:{port}", netns="-", pid=FRONT, at=tick,
        received_age=age, sent_age=age + 20.0,
    )  # fmt: skip


def answered(tick: float, port: int) -> Connection:
    return Connection(
        local=address(FRONT), remote=f"10.9.9.9:{port}", netns="-", pid=FRONT, at=tick,
        received_age=2.0, sent_age=1.0,
    )  # fmt: skip


def steady(tick: float) -> list[Connection]:
    """Long answers, as a model gives them: ten a second come, each takes five seconds."""
    return [waiting(tick, 1000 + n, 5.0 * n / 50) for n in range(50)]


def frozen(tick: float) -> list[Connection]:
    """Since five seconds before the window nobody is answered; three come each second."""
    return [waiting(tick, 1000 + n, n / 3) for n in range(int(3 * (tick - END + WINDOW + 5)))]


def half(tick: float) -> list[Connection]:
    """The same for every second request; the others are answered at once."""
    return [*frozen(tick), *(answered(tick, 5000 + n) for n in range(20))]


def polling(tick: float) -> list[Connection]:
    """Twenty clients hold a request open by design."""
    return [waiting(tick, 1000 + n, 20.0 + tick - END) for n in range(20)]


def of(rows: Callable[[float], list[Connection]]) -> bool:
    case = FakeChain().case()
    sockets = [row for tick in TICKS for row in rows(tick)]
    case = msgspec.structs.replace(case, connections=sockets, requests=[], answers=[])
    case = incident.judge(case)
    entry = next(link.key for link in case.chain.links if FRONT in link.pids)
    assert (case.pain is not None and case.pain.shape.id != "none") == (
        stuck(case, entry) is not None
    )
    return stuck(case, entry) is not None


@pytest.mark.parametrize("rows", [frozen, half])
def test_what_piles_up_hurts(rows: Callable[[float], list[Connection]]) -> None:
    assert of(rows)


@pytest.mark.parametrize("rows", [steady, polling, lambda tick: frozen(tick)[:3]])
def test_long_answers_and_long_polls_do_not(rows: Callable[[float], list[Connection]]) -> None:
    assert not of(rows)
