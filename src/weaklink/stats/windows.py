"""Rates and levels of readings inside a span of time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise


def inside(times: Sequence[float], start: float, end: float) -> slice:
    """The rows of ascending `times` from `start` to `end`, both included."""
    return slice(bisect_left(times, start), bisect_right(times, end))


def increase(values: Sequence[float]) -> float | None:
    """How much a counter grew; a fall is a restart and counts from 0. None under two values."""
    if len(values) < 2:
        return None
    grown = 0.0
    for before, after in pairwise(values):
        grown += after - before if after >= before else after
    return grown


def rate(times: Sequence[float], values: Sequence[float]) -> float | None:
    """Increase of a counter per second over its whole span; None under two readings."""
    grown = increase(values)
    if grown is None or times[-1] <= times[0]:
        return None
    return grown / (times[-1] - times[0])
