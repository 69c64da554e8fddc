"""Requests that no log tells of: sockets say when users surely wait for too long."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from weaklink import incident
from weaklink.model.fact import Connection
from weaklink.model.series import Series
from weaklink.model.target import target_key
from weaklink.observe.flight import stuck
from weaklink.testing.fake_chain import END, FRONT, HOST, WINDOW, FakeChain, address

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


def queued(low: int) -> Series:
    """Connections before the entry's door, at every tick."""
    values = [float(low + n) for n in range(len(TICKS))]
    key = target_key("listener", address(FRONT), host=HOST)
    return Series(quantity="listener_queue", target=key, times=TICKS, values=values)


@pytest.mark.parametrize(("low", "hurts"), [(6, True), (0, False), (2, False)])
def test_a_door_that_nobody_opens_hurts(low: int, hurts: bool) -> None:
    case = FakeChain().case()
    more = [*case.series, queued(low)]
    case = msgspec.structs.replace(case, connections=[], requests=[], answers=[], series=more)
    case = incident.judge(case)
    assert case.pain is not None
    assert (case.pain.shape.id != "none") == hurts


def of(rows: Callable[[float], list[Connection]], *, logged: bool = False) -> bool:
    """Whether it is said to hurt; `logged`: with a log that has no durations."""
    case = FakeChain().case()
    sockets = [row for tick in TICKS for row in rows(tick)]
    untimed = [
        msgspec.structs.replace(log, start=[None] * len(log), duration=[None] * len(log))
        for log in case.requests
    ]
    requests = untimed if logged else []
    case = msgspec.structs.replace(case, connections=sockets, requests=requests, answers=[])
    case = incident.judge(case)
    entry = next(link.key for link in case.chain.links if FRONT in link.pids)
    assert (case.pain is not None and case.pain.shape.id != "none") == (
        stuck(case, entry) is not None
    )
    return stuck(case, entry) is not None


@pytest.mark.parametrize("rows", [frozen, half])
def test_what_piles_up_hurts(rows: Callable[[float], list[Connection]]) -> None:
    assert of(rows)
    assert of(rows, logged=True)


@pytest.mark.parametrize("rows", [steady, polling, lambda tick: frozen(tick)[:3]])
def test_long_answers_and_long_polls_do_not(rows: Callable[[float], list[Connection]]) -> None:
    assert not of(rows)
    assert not of(rows, logged=True)
