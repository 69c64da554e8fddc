"""How users fare, from the requests of the last minutes: what a trigger looks at each second.

Per route a slow-moving normal: the 95th percentile of its calm seconds. Nothing here judges a
cause; it only says `look now`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.observe.asks import is_error, is_shed
from weaklink.recorder.asked import Row, duration_of

SPAN = 10
"""Seconds that are judged together: shorter ones hold too few requests."""
PAST = 600
"""Seconds of past that the normal is taken from."""
LEARN = 30
"""Seconds of one span of the past, and between two looks at what is normal."""
LEAST = 10
"""Requests in the span below which nothing is said."""


class Moment(NamedTuple):
    """The last SPAN seconds against the past: shares of requests, and requests a second."""

    requests: int
    errors: float
    slow: float
    p99: float
    rate: float
    rate_before: float
    errors_before: float
    slow_before: float
    silent: int
    """Seconds since the last request that ended."""


class Felt:
    """Counts requests by second as they come; what is old is forgotten."""

    def __init__(self) -> None:
        self._seconds: dict[int, tuple[int, int, int]] = {}
        self._steps: dict[int, Counter[int]] = {}
        self._spans: dict[int, dict[str, Counter[int]]] = {}
        self._normal: dict[str, float] = {}
        self._learned = 0.0

    def add(self, rows: Iterable[Row]) -> None:
        """Requests that ended, in any order."""
        for row in rows:
            duration = duration_of(row.step)
            if is_shed(row.status, duration, row.upstream):
                continue
            total, errors, slow = self._seconds.get(row.second, (0, 0, 0))
            failed = is_error(row.status, duration, row.upstream)
            late = not failed and duration is not None and duration > self._limit(row.route)
            self._seconds[row.second] = (
                total + row.count,
                errors + row.count * failed,
                slow + row.count * late,
            )
            if duration is not None:
                self._steps.setdefault(row.second, Counter())[row.step] += row.count
                if not failed:
                    routes = self._spans.setdefault(row.second // LEARN, {})
                    routes.setdefault(row.route, Counter())[row.step] += row.count

    def moment(self, now: float) -> Moment | None:
        """How it is now; None without requests in the past."""
        for second in [second for second in self._seconds if second < now - PAST]:
            del self._seconds[second]
        for second in [second for second in self._steps if second < now - SPAN]:
            del self._steps[second]
        if not self._seconds:
            return None
        if now - self._learned >= LEARN:
            self._learn(now)
        new = _sum(found for second, found in self._seconds.items() if second >= now - SPAN)
        old = _sum(found for second, found in self._seconds.items() if second < now - 2 * SPAN)
        span = max(1.0, min(PAST, now - 2 * SPAN - min(self._seconds)))
        steps: Counter[int] = Counter()
        for found in self._steps.values():
            steps.update(found)
        return Moment(
            requests=new[0],
            errors=new[1] / new[0] if new[0] else 0.0,
            slow=new[2] / new[0] if new[0] else 0.0,
            p99=_quantile(steps, 0.99),
            rate=new[0] / SPAN,
            rate_before=old[0] / span,
            errors_before=old[1] / old[0] if old[0] else 0.0,
            slow_before=old[2] / old[0] if old[0] else 0.0,
            silent=int(now - max(self._seconds)),
        )

    def _limit(self, route: str) -> float:
        normal = self._normal.get(route)
        return max(3 * normal, normal + 0.1) if normal is not None else float("inf")

    def _learn(self, now: float) -> None:
        """Normal of each route: the lower quartile of its spans' 95th percentiles."""
        self._learned = now
        for span in [span for span in self._spans if span < (now - PAST) // LEARN]:
            del self._spans[span]
        found: dict[str, list[float]] = {}
        for routes in self._spans.values():
            for route, steps in routes.items():
                if steps.total() >= LEAST:
                    found.setdefault(route, []).append(_quantile(steps, 0.95))
        self._normal = {
            route: sorted(values)[(len(values) - 1) // 4] for route, values in found.items()
        }


def _sum(rows: Iterable[tuple[int, int, int]]) -> tuple[int, int, int]:
    total = errors = slow = 0
    for one in rows:
        total, errors, slow = total + one[0], errors + one[1], slow + one[2]
    return total, errors, slow


def _quantile(steps: Counter[int], share: float) -> float:
    """The duration below which this share lies, seconds; 0 for none."""
    wanted = share * steps.total()
    for step in sorted(steps):
        wanted -= steps[step]
        if wanted <= 0:
            return duration_of(step) or 0.0
    return 0.0
