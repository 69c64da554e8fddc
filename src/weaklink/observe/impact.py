"""Who is hurt and how much: now against before, split by route, member, client and status."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from weaklink.model.diagnosis import Impact, Slice
from weaklink.model.message import say
from weaklink.observe.asks import Ask
from weaklink.stats.quantiles import quantile_of

MOST_SLICES = 6
"""Rows kept of each kind of slice: the worst ones; a screen shows fewer."""
LEAST_ROWS = 5

BY: dict[str, Callable[[Ask], str]] = {
    "route": lambda ask: ask.route,
    "member": lambda ask: ask.upstream,
    "client": lambda ask: ask.client,
    "status": lambda ask: str(ask.status) if ask.status else "",
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


def compare(
    before: Sequence[Ask],
    now: Sequence[Ask],
    is_bad: Callable[[Ask], bool],
    *,
    end: float,
    in_flight: int | None,
    oldest: float | None,
    still_on: bool,
) -> Impact:
    """Now against before; `end` closes the span that rates are taken over."""
    minutes = (before[-1].at - before[0].at) / 60 if len(before) > 1 else 0.0
    return Impact(
        rate_now=rate(now, now[0].at, max(end - 1, now[-1].at)),
        rate_before=rate(before, before[0].at, before[-1].at) if before else None,
        p50_now=quantile_of(durations(now), 0.5),
        p50_before=quantile_of(durations(before), 0.5),
        p99_now=quantile_of(durations(now), 0.99),
        p99_before=quantile_of(durations(before), 0.99),
        error_ratio_now=ratio(now, _error),
        error_ratio_before=ratio(before, _error),
        shed_ratio_now=ratio(now, lambda ask: ask.shed),
        in_flight=in_flight,
        oldest_in_flight=oldest,
        slices=slices(now, before, is_bad),
        window=(now[0].at, end),
        baseline=say("baseline.log", minutes=round(minutes, 1)) if before else None,
        still_on=still_on,
    )


def _error(ask: Ask) -> bool:
    return ask.error


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
