"""When a series changed its level: a rank CUSUM, exact, blind to scale and to wild values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Shift(NamedTuple):
    """The strongest change of level. Rows from `split` on belong to the new level.

    `effect` is the probability that a value after exceeds one before, less the opposite one:
    -1 to 1, 0 for no change. `z` is the rank sum statistic's distance from chance.
    """

    split: int
    effect: float
    z: float


def midranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, ties share their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in range(start, end + 1):
            ranks[order[place]] = (start + end) / 2 + 1
        start = end + 1
    return ranks


def strongest_shift(values: Sequence[float], *, least: int = 5) -> Shift | None:
    """The split with the largest Mann-Whitney |z|, at least `least` rows on both sides.

    None for too few rows or where nothing differs. Ties are corrected for. (Pettitt 1979 for the
    idea of scanning the rank statistic over all splits.)
    """
    n = len(values)
    if n < 2 * least:
        return None
    ranks = midranks(values)
    counts: dict[float, int] = {}
    for rank in ranks:
        counts[rank] = counts.get(rank, 0) + 1
    ties = sum(count**3 - count for count in counts.values()) / (n * (n - 1))
    mean_rank = (n + 1) / 2
    best: Shift | None = None
    running = 0.0
    for index in range(1, n):
        running += ranks[index - 1] - mean_rank
        before, after = index, n - index
        if before < least or after < least:
            continue
        variance = before * after / 12 * ((n + 1) - ties)
        if variance <= 0:
            return None
        z = -running / math.sqrt(variance)
        if best is None or abs(z) > abs(best.z):
            best = Shift(index, -2 * running / (before * after), z)
    return best
