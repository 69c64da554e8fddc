"""Which of the four shapes: total outage, widespread timeouts, intermittent spikes, semantic.

Judged on requests that started since the onset: what share is bad, and in what share of the
seconds. Thresholds stand in one table with their reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from weaklink.model.diagnosis import Shape, ShapeId
from weaklink.observe.asks import Ask
from weaklink.stats.robust import ramp

OUTAGE_ERRORS = 0.9
"""Nine of ten requests get no answer: what remains is luck (a cache, a health check)."""
WIDESPREAD_BAD = 0.2
"""From one in five on, retries and waits spread to everybody who uses the service twice."""
WIDESPREAD_SECONDS = 0.6
"""Bad in most seconds: there is no calm between, so these are no spikes."""
WIDESPREAD_SLOWED = 0.5
"""Or every second request takes several times what is usual: everybody feels it a little."""
WIDESPREAD_ON_ROUTE, LEAST_OF_ROUTE = 0.5, 10
"""Or every second request of one route is bad: for those who use that route it is no spike."""
SECOND_IS_BAD = 0.15
"""A second hurts where this share of its requests is bad."""
LEAST_IN_SECOND = 2
ROUTE_IS_OUT = 0.95
"""A route with this share of errors is out, whatever the others do."""


class Weight(NamedTuple):
    """Shares since the onset: errors, bad requests, seconds that hurt, requests that were slowed
    to a multiple of what is usual, bad ones of the route that is worst off; and the rows."""

    errors: float
    bad: float
    seconds: float
    slowed: float
    worst_route: float
    rows: int


def weigh(
    asks: Sequence[Ask], is_bad: Callable[[Ask], bool], is_slowed: Callable[[Ask], bool]
) -> Weight:
    """The shares that decide the shape."""
    seconds: dict[int, list[bool]] = defaultdict(list)
    for ask in asks:
        seconds[int(ask.at)].append(is_bad(ask))
    full = [rows for rows in seconds.values() if len(rows) >= LEAST_IN_SECOND]
    hurt = sum(1 for rows in full if sum(rows) / len(rows) >= SECOND_IS_BAD)
    rows = len(asks)
    return Weight(
        errors=sum(1 for ask in asks if ask.error) / rows if rows else 0.0,
        bad=sum(1 for ask in asks if is_bad(ask)) / rows if rows else 0.0,
        seconds=hurt / len(full) if full else 0.0,
        slowed=sum(1 for ask in asks if is_slowed(ask)) / rows if rows else 0.0,
        worst_route=_worst_route(asks, is_bad),
        rows=rows,
    )


def _worst_route(asks: Sequence[Ask], is_bad: Callable[[Ask], bool]) -> float:
    routes: dict[str, list[bool]] = defaultdict(list)
    for ask in asks:
        if ask.route:
            routes[ask.route].append(is_bad(ask))
    shares = [sum(rows) / len(rows) for rows in routes.values() if len(rows) >= LEAST_OF_ROUTE]
    return max(shares, default=0.0)


def shape_of(weight: Weight, *, mixed: list[ShapeId], semantic_looked_at: bool) -> Shape:
    """The shape with its confidence: how far the shares are from the border to the runner-up."""
    if weight.errors >= OUTAGE_ERRORS:
        return Shape(
            id="total-outage",
            confidence=round(0.6 + 0.39 * ramp(weight.errors, OUTAGE_ERRORS, 0.99), 2),
            runner_up="widespread-timeouts",
            mixed=mixed,
            semantic_looked_at=semantic_looked_at,
        )
    hurt = min(weight.bad / WIDESPREAD_BAD, weight.seconds / WIDESPREAD_SECONDS)
    wide = max(hurt, weight.slowed / WIDESPREAD_SLOWED, weight.worst_route / WIDESPREAD_ON_ROUTE)
    confidence = round(
        0.5 + 0.45 * (ramp(wide, 1.0, 1.6) if wide >= 1 else ramp(wide, 1.0, 0.4)), 2
    )
    id_: ShapeId = "widespread-timeouts" if wide >= 1 else "intermittent-spikes"
    other: ShapeId = "intermittent-spikes" if wide >= 1 else "widespread-timeouts"
    if wide >= 1 and weight.errors > 0.6:
        other = "total-outage"
    return Shape(
        id=id_,
        confidence=confidence,
        runner_up=other,
        mixed=mixed,
        semantic_looked_at=semantic_looked_at,
    )


def routes_out(asks: Sequence[Ask]) -> list[str]:
    """Routes on which nearly every request fails."""
    rows: dict[str, list[bool]] = defaultdict(list)
    for ask in asks:
        rows[ask.route].append(ask.error)
    return sorted(
        route
        for route, errors in rows.items()
        if len(errors) >= 5 and sum(errors) / len(errors) >= ROUTE_IS_OUT
    )
