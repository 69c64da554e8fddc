"""Whether moments come at a steady period, told from chance by made-up moments."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from weaklink.stats.quantiles import quantile

LEAST, MOST = 3, 40
SURROGATES = 299
SEEN = 0.5
"""Share of a period's moments that must have been seen: a run now and then hurts nobody."""


class Period(NamedTuple):
    """`seconds` between moments; `chance`: the share of made-up moments that look as steady.

    `scatter` is the root mean square distance from the nearest beat, in periods.
    """

    seconds: float
    chance: float
    scatter: float
    moments: int


def period_of(moments: Sequence[float], *, slack: float = 1.0) -> Period | None:
    """The period that moments keep, and how often chance does as well; None for fewer than three.

    The surrogates have as many moments as the real ones within the same span, at random (seeded),
    and are fitted in the same way. `slack` is how exactly a moment is known, seconds: no row is
    told to be steadier than that.
    """
    times = sorted(moments)[-MOST:]
    if len(times) < LEAST or times[-1] <= times[0]:
        return None
    found = _fit(times, slack)
    if found is None:
        return None
    seconds, scatter = found
    dice = random.Random(len(times))  # noqa: S311 - made-up moments, the same each time
    as_steady = 0
    for _ in range(SURROGATES):
        inner = sorted(dice.uniform(times[0], times[-1]) for _ in times[2:])
        other = _fit([times[0], *inner, times[-1]], slack)
        as_steady += other is not None and other[1] <= scatter
    return Period(seconds, (1 + as_steady) / (1 + SURROGATES), scatter, len(times))


def _fit(times: Sequence[float], slack: float) -> tuple[float, float] | None:
    """Period and scatter by least squares on the beat that each moment is nearest to."""
    gap = quantile(sorted(b - a for a, b in pairwise(times)), 0.5)
    if gap <= 0:
        return None
    beats, beat = [0], 0
    for before, now in pairwise(times):
        steps = round((now - before) / gap)
        if steps < 1:
            return None
        beat += steps
        beats.append(beat)
    if len(times) < SEEN * (beat + 1):
        return None
    count = len(times)
    mean_beat, mean_time = sum(beats) / count, sum(times) / count
    square = sum((one - mean_beat) ** 2 for one in beats)
    pairs = zip(beats, times, strict=True)
    period = sum((one - mean_beat) * (at - mean_time) for one, at in pairs) / square
    if period <= 0:
        return None
    off = [
        at - mean_time - period * (one - mean_beat) for one, at in zip(beats, times, strict=True)
    ]
    return period, max(slack, math.sqrt(sum(one * one for one in off) / count)) / period
