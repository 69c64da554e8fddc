"""Of pain that came several times, the one asked about is told, with its own calm before."""

from __future__ import annotations

from weaklink.incident.again import CALM, one_pain
from weaklink.model.event import Event

HURT = "agent:h1/-/watch"


def hurt(*moments: float, trigger: str = "slow") -> list[Event]:
    return [
        Event(at=at, kind="trigger", target=HURT, text="-", source="watch",
              details={"trigger": trigger})
        for at in moments
    ]  # fmt: skip


def test_the_nearest_time_is_taken_and_ends_halfway_to_its_neighbours() -> None:
    events = hurt(1000, 1010, 1200, 1220, 1400)
    assert one_pain(events, 1205, 0, 2000) == (1105, 1310)
    assert one_pain(events, 1250, 0, 2000) == (1105, 1310), "a little late means the same"
    assert one_pain(events, 1500, 0, 2000) == (1310, 2000)


def test_who_asks_long_before_means_the_next() -> None:
    assert one_pain(hurt(1000, 1400), 950, 0, 1250) == (0, 1200)


def test_once_is_told_with_all_of_its_past() -> None:
    assert one_pain(hurt(1200, 1230), 1210, 0, 2000) == (0, 2000)
    filling = hurt(1000, trigger="filling")
    assert one_pain([*filling, *hurt(1200)], 1210, 0, 2000) == (0, 2000)


def test_the_moment_itself_is_always_read() -> None:
    since, until = one_pain(hurt(1000, 1400), 1200, 0, 2000)
    assert since <= 1200 - CALM
    assert until >= 1200
