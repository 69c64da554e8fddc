"""A trigger fires when users begin to hurt, once, and not for what passes or always was."""

from __future__ import annotations

from weaklink.recorder.asked import Row, step_of
from weaklink.watch.felt import Felt
from weaklink.watch.filling import Filling
from weaklink.watch.triggers import Readings, Trigger, triggers

NOW = 1_790_000_000


def rows(second: int, count: int, seconds: float, status: int = 200) -> list[Row]:
    return [Row(second, "log", "/v1/a", "10.0.0.1:80", status, step_of(seconds), 1, count)]


def fired(felt: Felt, moments: range, all_: list[Trigger]) -> list[str]:
    found = []
    for second in moments:
        readings = Readings(float(second), felt.moment(float(second)), 0.0, {})
        found += [trigger.name for trigger in all_ if trigger.step(readings)]
    return found


def well(felt: Felt, since: int, until: int) -> None:
    for second in range(since, until):
        felt.add(rows(second, 20, 0.05))
        felt.moment(float(second))


def test_calm_users_wake_nobody() -> None:
    felt = Felt()
    well(felt, NOW - 300, NOW)
    assert fired(felt, range(NOW, NOW + 5), triggers()) == []


def test_requests_that_became_slow_fire_once() -> None:
    felt, all_ = Felt(), triggers()
    well(felt, NOW - 300, NOW)
    found = []
    for second in range(NOW, NOW + 40):
        felt.add(rows(second, 20, 2.0))
        found += fired(felt, range(second, second + 1), all_)
    assert found.count("slow") == 1


def test_steady_errors_are_no_news() -> None:
    felt, all_ = Felt(), triggers()
    found = []
    for second in range(NOW - 300, NOW + 60):
        felt.add(rows(second, 19, 0.05))
        felt.add(rows(second, 1, 0.05, 500))
        found += fired(felt, range(second, second + 1), all_)
    assert "errors" not in found[1:]


def test_new_errors_fire() -> None:
    felt, all_ = Felt(), triggers()
    well(felt, NOW - 300, NOW)
    found = []
    for second in range(NOW, NOW + 20):
        felt.add(rows(second, 15, 0.05))
        felt.add(rows(second, 5, 0.05, 502))
        found += fired(felt, range(second, second + 1), all_)
    assert "errors" in found


def test_a_service_from_which_no_request_ends_any_more_fires() -> None:
    felt, all_ = Felt(), triggers()
    well(felt, NOW - 300, NOW)
    found = fired(felt, range(NOW, NOW + 20), all_)
    assert "progress" in found


def test_a_route_nobody_knows_yet_is_not_called_slow() -> None:
    felt, all_ = Felt(), triggers()
    found = []
    for second in range(NOW, NOW + 20):
        felt.add(rows(second, 20, 5.0))
        found += fired(felt, range(second, second + 1), all_)
    assert "slow" not in found


def test_a_condition_must_hold_and_must_be_calm_before_it_fires_again() -> None:
    on = [False]
    one = Trigger("x", lambda _: on[0], "x", held=3, calm=5)
    readings = Readings(0.0, None, 0.0, {})
    pattern = "110111100111000000111"
    found = []
    for mark in pattern:
        on[0] = mark == "1"
        found.append(one.step(readings))
    assert [i for i, fires in enumerate(found) if fires] == [5, 20]


def test_a_disk_that_fills_within_the_hour_is_told_and_one_that_does_not_is_not() -> None:
    filling = Filling()
    for minute in range(10):
        filling.add("/data", minute * 60.0, 100e9, 20e9 - minute * 1e9)
        filling.add("/slow", minute * 60.0, 100e9, 20e9 - minute * 1e6)
        filling.add("/roomy", minute * 60.0, 100e9, 90e9 - minute * 1e9)
        filling.add("/done", minute * 60.0, 100e9, 20e9 - min(minute, 3) * 1e9)
    left = filling.full_in()
    assert 500 < left["/data"] < 900
    assert left["/slow"] > 3600 * 24
    assert "/roomy" not in left
    assert "/done" not in left
