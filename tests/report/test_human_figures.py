"""Figures are said as a person says them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.report import human
from weaklink.report.safe import plain


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (12480, "12 480"), (10.34, "10.3"), (0.2149, "0.21"), (9.0, "9"), (-3.25, "-3.2")],
)
def test_numbers_keep_three_digits(value: float, said: str) -> None:
    assert plain(human.number(value)) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0004, "400 µs"),
        (0.0042, "4.2 ms"),
        (0.21, "0.21 s"),
        (10.3, "10.3 s"),
        (2040.0, "34 min"),
        (21600.0, "6 h"),
        (0.0, "0 s"),
    ],
)
def test_durations_choose_their_unit(value: float, said: str) -> None:
    assert plain(human.seconds(value)) == said


def test_a_pair_has_one_unit() -> None:
    assert plain(human.seconds_pair(0.21, 10.3)) == "0.21 -> 10.3 s"
    assert plain(human.percent_pair(0.001, 0.081)) == "0.1 -> 8.1 %"


def test_time_of_day_is_that_of_the_host_and_has_its_date_when_far() -> None:
    at = 1_772_348_650.0
    assert human.clock(at, utc_offset=8 * 3600) == "15:04:10"
    assert plain(human.clock(at, utc_offset=0, now=at + 86400)) == "2026-03-01 07:04"
    assert human.offset_name(8 * 3600) == "UTC+8"
    assert human.offset_name(-12600) == "UTC-3:30"
    assert human.rfc3339(at) == "2026-03-01T07:04:10.000Z"


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf, -1.0, 1e300])
def test_no_moment_of_ours_is_no_time(odd: float) -> None:
    assert human.clock(odd) == "?"
    assert human.rfc3339(odd) is None


@given(st.floats())
def test_any_float_has_words(value: float) -> None:
    for say in (human.number, human.seconds, human.percent, human.size):
        assert say(value)
