"""How far a value is off, told by median and quartiles: a few wild values do not hide it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from weaklink.stats.quantiles import quantile

IQR_OF_NORMAL = 1.349
"""Interquartile range of a normal distribution in standard deviations."""


def robust_score(value: float, baseline: Sequence[float], *, floor: float) -> float:
    """(value - median) / scale, scale = IQR / 1.349 but never under `floor` (same unit).

    The floor keeps a quantity that never moved from scoring endless on its first twitch.
    Raises ValueError for an empty baseline or a floor that is not positive.
    """
    if floor <= 0:
        raise ValueError("the floor of a scale must be positive")
    ordered = sorted(baseline)
    middle = quantile(ordered, 0.5)
    spread = (quantile(ordered, 0.75) - quantile(ordered, 0.25)) / IQR_OF_NORMAL
    return (value - middle) / max(spread, floor)


def ramp(value: float, low: float, high: float) -> float:
    """0 at `low` and before, 1 at `high` and beyond, straight between; `low` > `high` falls."""
    if low == high:
        return 1.0 if value >= high else 0.0
    return min(1.0, max(0.0, (value - low) / (high - low)))


def log_ramp(value: float, low: float, high: float) -> float:
    """The same on a logarithmic scale, for ratios; values of 0 and below give 0."""
    if value <= 0:
        return 0.0
    return ramp(math.log(value), math.log(low), math.log(high))


def wilson_low(hits: int, trials: int, z: float = 1.96) -> float:
    """Lower end of Wilson's interval of a share: 3 of 3 is not yet 100 %. 0 for no trials."""
    if trials == 0:
        return 0.0
    share = hits / trials
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, (share + z * z / (2 * trials) - spread) / (1 + z * z / trials))
