"""Who is hurt and how much: now against before, split by route, member, client and status."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from weaklink.model.diagnosis import Slice
from weaklink.observe.asks import Ask
from weaklink.stats.quantiles import quantile_of

MOST_SLICES = 6
"""Rows kept of each kind of slice: the worst ones; a screen shows fewer."""
LEAST_ROWS = 5

BY: dict[str, Callable[[Ask], str]] = {
    "route": lambda ask: ask.route,
    "member": lambda ask: ask.upstream,
    "client": lambda ask: ask.client,
    "status": lambda ask: str(ask.status),
}


def durations(asks: Sequence[Ask]) -> list[float]:
    """Durations of those that were not shed."""
    return [ask.duration for ask in asks if ask.duration is not None and not ask.shed]


def ratio(asks: Sequence[Ask], test: Callable[[Ask], bool]) -> float | None:
    """Share of rows that pass; None for no rows."""
    return sum(1 for ask in asks if test(ask)) / len(asks) if asks else None


def rate(asks: Sequence[Ask], start: float, end: float) -> float | None:
    """Requests a second that started in a span; None for an empty span."""
    return len(asks) / (end - start) if end > start else None


def slices(now: Sequence[Ask], before: Sequence[Ask], is_bad: Callable[[Ask], bool]) -> list[Slice]:
    """The worst rows of each kind; a slice is hurt where its share of bad ones stands out."""
    found: list[Slice] = []
    for by, name_of in BY.items():
        rows: dict[str, list[Ask]] = defaultdict(list)
        past: dict[str, list[Ask]] = defaultdict(list)
        for ask in now:
            rows[name_of(ask)].append(ask)
        for ask in before:
            past[name_of(ask)].append(ask)
        if by != "status" and len(rows) < 2 and by != "route":
            continue
        made = [
            _slice(by, name, group, past.get(name, []), is_bad)
            for name, group in rows.items()
            if name
        ]
        made.sort(key=lambda row: (-row.bad, -row.requests, row.name))
        found.extend(made[:MOST_SLICES])
    return found


def _slice(
    by: str,
    name: str,
    group: Sequence[Ask],
    past: Sequence[Ask],
    is_bad: Callable[[Ask], bool],
) -> Slice:
    bad = sum(1 for ask in group if is_bad(ask))
    return Slice(
        by=by,
        name=name,
        requests=len(group),
        bad=bad,
        p50=quantile_of(durations(group), 0.5),
        p99=quantile_of(durations(group), 0.99),
        p99_before=quantile_of(durations(past), 0.99) if len(past) >= LEAST_ROWS else None,
        hurt=bad >= 2 and bad / len(group) >= 0.05,
    )
