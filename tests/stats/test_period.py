"""A steady period is told from chance, and its length is right."""

from __future__ import annotations

import random

import pytest

from weaklink.stats.period import period_of


def jittered(period: float, count: int, jitter: float, seed: int = 1) -> list[float]:
    dice = random.Random(seed)
    return [1e9 + n * period + dice.uniform(-jitter, jitter) for n in range(count)]


@pytest.mark.parametrize(("period", "jitter"), [(120, 2), (1800, 5), (3600, 30)])
def test_what_comes_every_so_often_is_found(period: float, jitter: float) -> None:
    found = period_of(jittered(period, 6, jitter))
    assert found is not None
    assert found.seconds == pytest.approx(period, rel=0.02)
    assert found.chance < 0.02


def test_a_run_that_was_missed_changes_nothing() -> None:
    times = jittered(300, 9, 3)
    found = period_of([*times[:3], *times[4:]])
    assert found is not None
    assert found.seconds == pytest.approx(300, rel=0.02)
    assert found.chance < 0.02


def test_chance_is_rarely_taken_for_a_period() -> None:
    dice = random.Random(7)
    taken = 0
    for _ in range(200):
        found = period_of([dice.uniform(0, 7200) for _ in range(6)])
        taken += found is not None and found.chance < 0.05
    assert taken <= 20


def test_two_moments_are_no_period() -> None:
    assert period_of([1.0, 61.0]) is None
    assert period_of([5.0, 5.0, 5.0]) is None


def test_bursts_known_to_seconds_only_are_not_told_steadier() -> None:
    """Three moments a few seconds apart look steady for want of a better clock."""
    found = period_of([0.0, 2.0, 4.0], slack=2.0)
    assert found is not None
    assert found.chance > 0.3
