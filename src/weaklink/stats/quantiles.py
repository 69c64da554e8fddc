"""Quantiles of a plain list, exact, by linear interpolation (Hyndman and Fan's type 7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of an ASCENDING, non-empty sequence lies."""
    if not ordered:
        raise ValueError("no quantile of nothing")
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def quantile_of(values: Iterable[float], share: float) -> float | None:
    """The same for any order; None for no values."""
    ordered = sorted(values)
    return quantile(ordered, share) if ordered else None


def median(values: Iterable[float]) -> float | None:
    """The middle; None for no values."""
    return quantile_of(values, 0.5)
