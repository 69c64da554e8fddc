"""Answers that come in time and are wrong: told by the size of bodies per route."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from weaklink.observe.asks import Ask
from weaklink.stats.onset import strongest_shift
from weaklink.stats.quantiles import median, quantile

LEAST_ROWS = 30
"""Rows on each side of the shift: below, a change of mix looks like a change of answers."""
SHRUNK_TO = 0.25
"""A median body of less than a quarter is no longer the same kind of answer."""
CLEAR = 0.8
"""Effect (probability of larger less smaller): bodies before and after hardly overlap."""
STEADY = 1.0
"""Before, the bodies' interquartile range must be under this many medians."""


class Shrunk(NamedTuple):
    """A route whose good answers shrank: median bytes before and after, and when."""

    route: str
    before: float
    after: float
    at: float


def shrunk_answers(asks: Sequence[Ask]) -> list[Shrunk]:
    """Routes whose 200 bodies shrank for good, clearest first."""
    by_route: dict[str, list[Ask]] = defaultdict(list)
    for ask in asks:
        if ask.status == 200:
            by_route[ask.route].append(ask)
    found = []
    for route, every in by_route.items():
        rows = every[-2000:]
        sizes = [float(row.sent) for row in rows]
        shift = strongest_shift(sizes, least=LEAST_ROWS)
        if shift is None or shift.effect > -CLEAR:
            continue
        before, after = sizes[: shift.split], sizes[shift.split :]
        middle, now = median(before) or 0.0, median(after) or 0.0
        ordered = sorted(before)
        spread = quantile(ordered, 0.75) - quantile(ordered, 0.25)
        if middle > 0 and now <= SHRUNK_TO * middle and spread < STEADY * middle:
            found.append(Shrunk(route, middle, now, rows[shift.split].at))
    return sorted(found, key=lambda row: row.after / row.before)


def looked_at(asks: Sequence[Ask]) -> bool:
    """Whether some route has enough bodies to tell a change."""
    counts: dict[str, int] = defaultdict(int)
    for ask in asks:
        if ask.status == 200 and ask.sent > 0:
            counts[ask.route] += 1
    return any(count >= 2 * LEAST_ROWS for count in counts.values())
