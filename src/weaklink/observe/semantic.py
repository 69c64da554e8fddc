"""Answers that come in time and are wrong: told by bodies per route and by engines' counters.

Nobody here reads an answer. A body a quarter as large as it was, answers that suddenly all end at
their token limit, or end without a token, are no longer the answers that users got before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.evidence import Evidence, evidence
from weaklink.observe.asks import Ask
from weaklink.observe.signs import SHRANK
from weaklink.stats.onset import strongest_shift
from weaklink.stats.per_unit import PerUnit, per_unit
from weaklink.stats.quantiles import median, quantile
from weaklink.stats.robust import ramp

LEAST_ROWS = 30
"""Rows on each side of the shift: below, a change of mix looks like a change of answers."""
SHRUNK_TO = 0.25
"""A median body of less than a quarter is no longer the same kind of answer."""
CLEAR = 0.8
"""Effect (probability of larger less smaller): bodies before and after hardly overlap."""
STEADY = 1.0
"""Before, the bodies' interquartile range must be under this many medians."""


CUT_MORE, CUT_FROM = 0.25, 0.3
"""Share of answers cut at their limit that is new, and the share from which it is felt."""
FEWER_TOKENS = 0.25
"""Tokens an answer, as a share of what was usual: the same yardstick as for bodies."""
LEAST_ANSWERS, LEAST_PAST = 10.0, 50.0


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


def marks(entry: str, asks: Sequence[Ask]) -> list[Evidence]:
    """Evidence of shrunken answers, of strength 0 where they are as large as ever."""
    if not looked_at(asks):
        return []
    shrunk = shrunk_answers(asks)
    worst = shrunk[0] if shrunk else None
    share = worst.after / worst.before if worst else 1.0
    return [
        evidence(
            SHRANK,
            entry or "users",
            ramp(share, 1.5 * SHRUNK_TO, 0.5 * SHRUNK_TO),
            link=entry,
            value=worst.after if worst else None,
            baseline=worst.before if worst else None,
            onset=worst.at if worst else None,
            plus_minus=5.0,
            route=worst.route if worst else "-",
            now=round(worst.after) if worst else 0,
            before=round(worst.before) if worst else 0,
        )
    ]


def counted(case: Case) -> bool:
    """Whether an engine's counters tell how answers end."""
    return any(True for _ in _answers(case, "engine_ended_length_total")) or any(
        True for _ in _answers(case, "engine_output_tokens_total")
    )


def odd_answers(case: Case) -> bool:
    """Whether by an engine's own count answers are cut, or nearly empty, as they never were."""
    for cut in _answers(case, "engine_ended_length_total"):
        before = cut.before or 0.0
        if cut.now >= CUT_FROM and cut.now - before >= CUT_MORE:
            return True
    return any(
        tokens.before and tokens.now <= FEWER_TOKENS * tokens.before
        for tokens in _answers(case, "engine_output_tokens_total")
    )


def _answers(case: Case, quantity: str) -> Iterator[PerUnit]:
    """What a counter says per answer, for each engine on the chain with enough answers."""
    on_chain = {key for link in case.chain.links if link.on_chain for key in link.processes}
    done = {row.target: row for row in case.series if row.quantity == "engine_requests_done_total"}
    for row in case.series:
        of = done.get(row.target)
        if row.quantity != quantity or of is None or row.target not in on_chain:
            continue
        found = per_unit((row.times, row.values), (of.times, of.values), case.window[0])
        if found and found.units >= LEAST_ANSWERS and found.units_before >= LEAST_PAST:
            yield found
