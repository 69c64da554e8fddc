"""What is normal for a route: taken from the log's own better moments, never from a mean.

The log is cut into spans; a route's baseline is a low quartile of its spans' quantiles, so that an
incident that fills up to three quarters of the log does not become its own yardstick.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from weaklink.observe.asks import Ask
from weaklink.stats.quantiles import quantile

SPANS = 24
"""How many spans the log is cut into: enough to leave an incident's out, few enough to fill."""
SLOWED_FLOOR = 0.01
"""Seconds: a log that rounds to milliseconds triples 1 ms by rounding."""
LEAST_ROWS = 8
"""Requests that a span of a route needs before its quantiles mean anything."""
ENOUGH_SPANS = 6
"""Spans of time that must be full; with fewer, runs of equal length stand in for them."""
BETTER = 0.25
"""Which of the spans' quantiles is taken as normal: the lower quartile."""
SLOW_FACTOR = 3.0
"""Slow is this many times the normal 95th percentile: users notice a tripling."""
SLOWEST_FACTOR = 1.25
"""Slow is also beyond the slowest that is normal: misses of a cache are rare and no trouble."""
SLOW_FLOOR = 0.1
"""Seconds that must be added at least: under it nobody feels a tripling."""


class Normal(NamedTuple):
    """Normal of a route, seconds; `slow_over` is the duration from which on a request is slow."""

    p50: float
    p95: float
    slow_over: float


def normals(asks: Sequence[Ask]) -> dict[str, Normal]:
    """Per route; routes without enough rows share the entry ``""`` of all routes together."""
    timed = [ask for ask in asks if ask.duration is not None and not ask.error and not ask.shed]
    if not timed:
        return {}
    found = {"": _normal(timed)}
    by_route: dict[str, list[Ask]] = defaultdict(list)
    for ask in timed:
        by_route[ask.route].append(ask)
    for route, rows in by_route.items():
        if len(rows) >= 2 * LEAST_ROWS:
            found[route] = _normal(rows)
    return found


def _normal(rows: Sequence[Ask]) -> Normal:
    first, last = rows[0].at, rows[-1].at
    width = max((last - first) / SPANS, 1e-6)
    spans: dict[int, list[float]] = defaultdict(list)
    for ask in rows:
        if ask.duration is not None:
            spans[min(SPANS - 1, int((ask.at - first) / width))].append(ask.duration)
    full = [sorted(values) for values in spans.values() if len(values) >= LEAST_ROWS]
    if len(full) < ENOUGH_SPANS:
        full = _by_count([ask.duration for ask in rows if ask.duration is not None])
    p50 = quantile(sorted(quantile(values, 0.5) for values in full), BETTER)
    p95 = quantile(sorted(quantile(values, 0.95) for values in full), BETTER)
    slowest = quantile(sorted(quantile(values, 0.99) for values in full), BETTER)
    slow_over = max(SLOW_FACTOR * p95, SLOWEST_FACTOR * slowest, p95 + SLOW_FLOOR)
    return Normal(p50, p95, slow_over)


def _by_count(durations: Sequence[float]) -> list[list[float]]:
    """Rows in order of time, cut into runs of equal length: for routes that few ask for."""
    runs = max(1, min(SPANS, len(durations) // LEAST_ROWS))
    bounds = [len(durations) * n // runs for n in range(runs + 1)]
    return [sorted(durations[low:high]) for low, high in pairwise(bounds)]


def is_slow(ask: Ask, table: dict[str, Normal]) -> bool:
    """Whether a request took longer than its route normally allows."""
    if ask.duration is None or ask.shed or not table:
        return False
    if not ask.route and not ask.status:
        return True  # it hangs: measured against the slowest route before it came here
    normal = table.get(ask.route) or table[""]
    return ask.duration > normal.slow_over


def is_slowed(ask: Ask, table: dict[str, Normal]) -> bool:
    """Whether a request took several times its route's usual (median), without being bad yet."""
    if ask.duration is None or ask.shed or not table:
        return False
    normal = table.get(ask.route) or table[""]
    return ask.duration > max(SLOW_FACTOR * normal.p50, SLOWED_FLOOR)
