"""What arrives: the same work as before, more of it, or the same requests again after a failure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from weaklink.model.evidence import Evidence, evidence
from weaklink.observe.asks import Ask
from weaklink.observe.signs import LARGER, REPEATED
from weaklink.stats.quantiles import quantile_of
from weaklink.stats.robust import log_ramp, ramp

AGAIN_WITHIN = 10.0
"""Seconds between two requests of one client for one thing: a retry comes within its back-off."""
RISEN = (0.15, 0.45)
"""Rise of the share of repeats: popular things are asked for again without any failure."""
LEAST = 30
LARGER_BY = (1.8, 5.0)
"""Times the median: pages of one service vary less than that from one quarter hour to the next."""
LEAST_BYTES = 2_000


def marks(
    entry: str, asks: Sequence[Ask], onset: float | None, is_bad: Callable[[Ask], bool]
) -> Iterator[Evidence]:
    """Evidence about what arrives since users hurt; nothing without a before."""
    if onset is None:
        return
    after = [ask for ask in asks if ask.at >= onset]
    before = [ask for ask in asks if ask.at < onset]
    if len(after) < LEAST or len(before) < LEAST:
        return
    yield _repeated(entry, before, after, is_bad)
    larger = _larger(entry, before, after)
    if larger is not None:
        yield larger


def _repeated(
    entry: str, before: Sequence[Ask], after: Sequence[Ask], is_bad: Callable[[Ask], bool]
) -> Evidence:
    now, was = _share_of_repeats(after), _share_of_repeats(before)
    failed = sum(1 for ask in after if is_bad(ask)) / len(after)
    return evidence(
        REPEATED,
        entry or "users",
        ramp(now - was, *RISEN) if failed else 0.0,
        link=entry,
        value=round(now, 3),
        baseline=round(was, 3),
        percent=round(100 * now),
        before=round(100 * was),
    )


def _share_of_repeats(asks: Sequence[Ask]) -> float:
    last: dict[tuple[str, str], float] = {}
    repeats = 0
    for ask in asks:
        if not ask.path:
            continue
        key = (ask.client, ask.path)
        if ask.at - last.get(key, float("-inf")) <= AGAIN_WITHIN:
            repeats += 1
        last[key] = max(ask.end, last.get(key, ask.end))
    return repeats / len(asks)


def _larger(entry: str, before: Sequence[Ask], after: Sequence[Ask]) -> Evidence | None:
    """The route whose answers grew most, of those that are asked for often enough to tell."""
    past, now = _sizes(before), _sizes(after)
    rows = [
        (quantile_of(now[route], 0.5) or 0.0, quantile_of(past[route], 0.5) or 0.0, route)
        for route in now
        if len(now[route]) >= LEAST / 3 and len(past.get(route, [])) >= LEAST / 3
    ]
    rows = [row for row in rows if row[1] > 0]
    if not rows:
        return None
    size, was, route = max(rows, key=lambda row: (row[0] / row[1], row[2]))
    return evidence(
        LARGER,
        entry or "users",
        log_ramp(size / was, *LARGER_BY) if size >= LEAST_BYTES else 0.0,
        link=entry,
        value=size,
        baseline=was,
        route=route,
        now=size,
        before=was,
    )


def _sizes(asks: Sequence[Ask]) -> dict[str, list[float]]:
    sizes: dict[str, list[float]] = defaultdict(list)
    for ask in asks:
        if 200 <= ask.status < 300 and ask.sent > 0:
            sizes[ask.route].append(float(ask.sent))
    return sizes
