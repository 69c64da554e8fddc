"""Counters per counters: now against their own past or the life of the process."""

from __future__ import annotations

from weaklink.stats.per_unit import per_unit


def test_two_readings_know_the_life_before_them() -> None:
    seconds = ([100.0, 106.0], [1000.0, 1060.0])
    requests = ([100.0, 106.0], [10_000.0, 10_060.0])
    found = per_unit(seconds, requests, 100.0)
    assert found is not None
    assert (found.now, found.units, found.before, found.whole_life) == (1.0, 60.0, 0.1, True)


def test_readings_of_before_are_the_better_past() -> None:
    times = [float(n) for n in range(0, 110, 10)]
    seconds = [1e6 + (n * 1.0 if n <= 50 else 50 + (n - 50) * 5.0) for n in times]
    requests = [1e3 + n for n in times]
    found = per_unit((times, seconds), (times, requests), 50.0)
    assert found is not None
    assert found.before == 1.0
    assert found.now > 4.0
    assert not found.whole_life


def test_nothing_counted_says_nothing() -> None:
    assert per_unit(([1.0, 2.0], [5.0, 5.0]), ([1.0, 2.0], [7.0, 7.0]), 1.0) is None
    assert per_unit(([1.0], [5.0]), ([1.0], [7.0]), 1.0) is None
    fresh = per_unit(([1.0, 2.0], [0.0, 5.0]), ([1.0, 2.0], [0.0, 7.0]), 1.0)
    assert fresh is not None
    assert fresh.before is None
