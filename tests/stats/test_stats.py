"""Numbers to numbers, held against known values and against invariants."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.stats.onset import midranks, strongest_shift
from weaklink.stats.quantiles import median, quantile, quantile_of
from weaklink.stats.robust import log_ramp, ramp, robust_score, wilson_low
from weaklink.stats.windows import increase, inside, rate

FLOATS = st.floats(-1e6, 1e6)


def test_quantiles_interpolate() -> None:
    assert quantile([1, 2, 3, 4], 0.5) == 2.5
    assert quantile([7], 0.99) == 7
    assert quantile_of([3, 1, 2], 1.0) == 3
    assert median([]) is None
    with pytest.raises(ValueError, match="nothing"):
        quantile([], 0.5)


@given(st.lists(FLOATS, min_size=1), st.floats(0, 1))
def test_a_quantile_lies_between_the_extremes(values: list[float], share: float) -> None:
    found = quantile_of(values, share)
    assert found is not None
    assert min(values) - 1e-6 <= found <= max(values) + 1e-6


def test_a_robust_score_ignores_wild_values() -> None:
    calm = [10.0] * 20 + [11.0] * 20
    assert robust_score(20, [*calm, 1e9], floor=0.1) == pytest.approx(
        robust_score(20, calm, floor=0.1), rel=0.5
    )
    assert robust_score(5, [5.0] * 9, floor=1.0) == 0
    with pytest.raises(ValueError, match="positive"):
        robust_score(1, [1.0], floor=0)


def test_ramps() -> None:
    assert ramp(0.5, 0, 1) == 0.5
    assert ramp(-1, 0, 1) == 0
    assert ramp(9, 0, 1) == 1
    assert ramp(0.25, 1, 0) == 0.75
    assert log_ramp(0, 2, 8) == 0
    assert log_ramp(4, 2, 8) == pytest.approx(0.5)


def test_two_of_two_is_not_certain() -> None:
    assert wilson_low(0, 0) == 0
    assert wilson_low(2, 2) < 0.5
    assert wilson_low(900, 1000) == pytest.approx(0.88, abs=0.01)


def test_midranks_share_ties() -> None:
    assert midranks([5, 1, 5, 9]) == [2.5, 1, 2.5, 4]


def test_a_shift_is_found_where_it_is() -> None:
    rng = random.Random(3)
    values = [rng.gauss(0, 1) for _ in range(60)] + [rng.gauss(5, 1) for _ in range(30)]
    shift = strongest_shift(values)
    assert shift is not None
    assert abs(shift.split - 60) <= 1
    assert shift.effect > 0.95


def test_no_shift_in_constants_or_few_rows() -> None:
    assert strongest_shift([1.0] * 50) is None
    assert strongest_shift([1.0, 2.0]) is None


@given(st.lists(FLOATS, min_size=10, max_size=60))
def test_a_shift_turns_with_its_sign(values: list[float]) -> None:
    one, other = strongest_shift(values), strongest_shift([-value for value in values])
    assert (one is None) == (other is None)
    if one and other:
        assert abs(one.z) == pytest.approx(abs(other.z), abs=1e-6)


def test_counters_survive_a_restart() -> None:
    assert increase([10, 12, 1, 4]) == 2 + 1 + 3
    assert increase([1]) is None
    assert rate([0, 10], [5, 25]) == 2
    assert rate([3, 3], [1, 2]) is None


@given(st.lists(st.integers(0, 1000), min_size=2))
def test_an_increase_is_never_negative(values: list[int]) -> None:
    grown = increase(values)
    assert grown is not None
    assert grown >= 0


def test_rows_inside_a_span() -> None:
    times = [0.0, 1.0, 2.0, 3.0]
    assert times[inside(times, 1.0, 2.0)] == [1.0, 2.0]
