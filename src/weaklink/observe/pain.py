"""What users feel, all together: is there pain, which shape, how much, since when.

Pain is judged by what requests got (errors, slowness beyond the route's normal), never by rates
of lines. Thresholds stand in one table; each says why a smaller change is no pain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.diagnosis import Impact, Onset, Pain, Shape, ShapeId
from weaklink.model.evidence import Evidence, evidence
from weaklink.model.message import say
from weaklink.observe import flight, impact, semantic
from weaklink.observe.asks import Ask, asks_of, entry_logs
from weaklink.observe.normal import is_slow, normals
from weaklink.observe.onset import find_onset
from weaklink.observe.shape import Weight, routes_out, shape_of, weigh
from weaklink.observe.signs import ERRORS, MANY_RESOURCES, ONE_RESOURCE, RATE_ROSE, SLOW
from weaklink.stats.quantiles import quantile_of
from weaklink.stats.robust import log_ramp, ramp

BAD_SHARE = 0.03
"""Of the requests since the onset: under it one user in thirty retries once and forgets."""
BAD_ROWS = 4
"""Bad requests at least: three can be one client."""
ROSE = 3.0
"""The share of bad requests must be this many times what it was before."""
ERROR_SHARE = 0.01
"""Errors hurt earlier than slowness: one in a hundred, if they are new."""
NOW_SECONDS = 60.0
"""`Now` is the last minute, or since the onset if that is shorter."""
CALM_SECONDS = 12.0
"""This long without more bad requests than before, and it is over (longer than a calm between
two spikes would be: spikes have their own measure, `CALM_OF_SPIKES`)."""
CALM_OF_SPIKES = 3.0
"""Times the longest calm between bad requests so far: a pause longer than that is an end."""
FRESH = 5.0
"""Seconds at the end of the log whose slow requests have not ended yet, so are not in it."""


class Felt(NamedTuple):
    """The pain and the evidence of it."""

    pain: Pain
    evidence: list[Evidence]


def feel(case: Case, since: float = 0.0, until: float = 0.0) -> Felt:
    """Judge the users' side of a Case; its chain must be known and its logs joined to links."""
    logs = entry_logs(case)
    asks = asks_of(logs, since, until)
    flying = flight.in_flight(case)
    if not asks:
        return _without_log(case, flying)
    table = normals(asks)
    bad = [ask.error or is_slow(ask, table) for ask in asks]
    by_row = dict(zip(map(id, asks), bad, strict=True))

    def is_bad(ask: Ask) -> bool:
        return by_row[id(ask)]

    resolution = max((log.resolution for log in logs), default=0.001)
    onset = find_onset([ask.at for ask in asks], bad, resolution)
    looked = semantic.looked_at(asks)
    end = until or max(case.window[1], asks[-1].end)
    if onset is None:
        return _steady(case, asks, bad, end, looked, flying)
    before = [ask for ask in asks if ask.at < onset.at]
    after = [ask for ask in asks if ask.at >= onset.at]
    weight = weigh(after, is_bad)
    if not _hurts(weight, before, after, is_bad):
        return _steady(case, asks, bad, end, looked, flying)
    out = routes_out(after)
    mixed: list[ShapeId] = ["total-outage"] if out and weight.errors < 0.9 else []
    shape = shape_of(weight, mixed=mixed, semantic_looked_at=looked)
    still_on = _still_on(after, is_bad, end)
    if not still_on:
        shape = Shape(
            id=shape.id,
            confidence=shape.confidence,
            runner_up=shape.runner_up,
            mixed=shape.mixed,
            semantic_looked_at=looked,
            recovered=True,
        )
    now = [ask for ask in after if ask.at >= end - NOW_SECONDS] or after
    felt = _impact(before, now, is_bad, end, flying, still_on=still_on)
    found = list(_evidence(case, weight, felt, before, after, is_bad, onset))
    return Felt(Pain(shape=shape, impact=felt, onset=onset), found)


def _hurts(
    weight: Weight, before: Sequence[Ask], after: Sequence[Ask], is_bad: Callable[[Ask], bool]
) -> bool:
    rows = sum(1 for ask in after if is_bad(ask))
    errors = sum(1 for ask in after if ask.error)
    past_bad = impact.ratio(before, is_bad) or 0.0
    past_errors = impact.ratio(before, lambda ask: ask.error) or 0.0
    slow = rows >= BAD_ROWS and weight.bad >= BAD_SHARE and weight.bad >= ROSE * past_bad
    broken = errors >= BAD_ROWS and weight.errors >= max(ERROR_SHARE, ROSE * past_errors)
    return slow or broken


def _still_on(after: Sequence[Ask], is_bad: Callable[[Ask], bool], end: float) -> bool:
    """Whether it hurts now: the calm since the last bad END is no longer than usual pauses."""
    ends = sorted(ask.end for ask in after if is_bad(ask))
    if not ends:
        return False
    pauses = [later - earlier for earlier, later in pairwise(ends)]
    allowed = max(CALM_SECONDS, CALM_OF_SPIKES * max(pauses, default=0.0))
    return end - ends[-1] <= allowed + FRESH


def _impact(
    before: Sequence[Ask],
    now: Sequence[Ask],
    is_bad: Callable[[Ask], bool],
    end: float,
    flying: flight.InFlight | None,
    *,
    still_on: bool,
) -> Impact:
    def quant(rows: Sequence[Ask], share: float) -> float | None:
        return quantile_of(impact.durations(rows), share)

    minutes = (before[-1].at - before[0].at) / 60 if len(before) > 1 else 0.0
    return Impact(
        rate_now=impact.rate(now, now[0].at, max(end - 1, now[-1].at)),
        rate_before=impact.rate(before, before[0].at, before[-1].at) if before else None,
        p50_now=quant(now, 0.5),
        p50_before=quant(before, 0.5),
        p99_now=quant(now, 0.99),
        p99_before=quant(before, 0.99),
        error_ratio_now=impact.ratio(now, lambda ask: ask.error),
        error_ratio_before=impact.ratio(before, lambda ask: ask.error),
        shed_ratio_now=impact.ratio(now, lambda ask: ask.shed),
        in_flight=flying.requests if flying else None,
        oldest_in_flight=flying.oldest if flying else None,
        slices=impact.slices(now, before, is_bad),
        window=(now[0].at, end),
        baseline=say("baseline.log", minutes=round(minutes, 1)) if before else None,
        still_on=still_on,
    )


def _evidence(
    case: Case,
    weight: Weight,
    felt: Impact,
    before: Sequence[Ask],
    after: Sequence[Ask],
    is_bad: Callable[[Ask], bool],
    onset: Onset,
) -> Iterable[Evidence]:
    entry = next((link.key for link in case.chain.links if link.entry), "")
    about = {"link": entry, "onset": onset.at, "plus_minus": onset.plus_minus_seconds}
    users = entry or "users"
    yield evidence(
        ERRORS,
        users,
        ramp(weight.errors, 0.0, 0.05),
        value=felt.error_ratio_now,
        baseline=felt.error_ratio_before,
        percent=round(100 * (felt.error_ratio_now or 0.0), 1),
        **about,  # type: ignore[arg-type]
    )
    slow = weight.bad - weight.errors
    yield evidence(
        SLOW,
        users,
        ramp(slow, 0.0, 0.1),
        value=felt.p99_now,
        baseline=felt.p99_before,
        p99=round(felt.p99_now or 0.0, 3),
        **about,  # type: ignore[arg-type]
    )
    if felt.rate_now and felt.rate_before:
        growth = felt.rate_now / felt.rate_before
        yield evidence(
            RATE_ROSE,
            users,
            log_ramp(growth, 1.4, 2.5),
            link=entry,
            value=felt.rate_now,
            baseline=felt.rate_before,
            growth=round(growth, 2),
        )
    yield from _spread(users, entry, after, is_bad)


def _spread(
    users: str, entry: str, after: Sequence[Ask], is_bad: Callable[[Ask], bool]
) -> Iterable[Evidence]:
    """Whether the bad requests ask for one thing or for many."""
    counts: dict[tuple[str, str], int] = {}
    totals: dict[tuple[str, str], int] = {}
    for ask in after:
        key = (ask.route, ask.path)
        totals[key] = totals.get(key, 0) + 1
        if is_bad(ask):
            counts[key] = counts.get(key, 0) + 1
    bad = sum(counts.values())
    if bad < 8:
        return
    (route, path), most = max(counts.items(), key=lambda item: item[1])
    distinct = len({key for key in counts if key[0] == route})
    siblings = sum(n for key, n in totals.items() if key[0] == route and key[1] != path)
    sick_siblings = sum(n for key, n in counts.items() if key[0] == route and key[1] != path)
    share = most / bad
    fine = 1.0 - (sick_siblings / siblings if siblings else 1.0)
    one = ramp(share, 0.3, 0.8) * ramp(fine, 0.5, 0.9) if siblings >= 8 else 0.0
    yield evidence(
        ONE_RESOURCE,
        users,
        one,
        link=entry,
        value=share,
        path=path,
        percent=round(100 * share),
        route=route,
    )
    yield evidence(
        MANY_RESOURCES,
        users,
        ramp(distinct / max(bad, 1), 0.1, 0.4) * (1 - ramp(share, 0.3, 0.6)),
        link=entry,
        value=float(distinct),
        distinct=distinct,
        route=route,
    )


def _steady(
    case: Case,
    asks: Sequence[Ask],
    bad: Sequence[bool],
    end: float,
    looked: bool,
    flying: flight.InFlight | None,
) -> Felt:
    """No onset in the log: errors all along, a dead entry, answers that shrank, or calm."""
    entry = next((link.key for link in case.chain.links if link.entry), "")
    now = [ask for ask in asks if ask.at >= end - NOW_SECONDS] or list(asks[-50:])
    errors = impact.ratio(now, lambda ask: ask.error) or 0.0
    by_row = dict(zip(map(id, asks), bad, strict=True))
    felt = _impact([], now, lambda ask: by_row[id(ask)], end, flying, still_on=True)
    count = sum(1 for ask in now if ask.error)
    if count >= BAD_ROWS and errors >= BAD_SHARE:
        weight = weigh(now, lambda ask: ask.error)
        shape = shape_of(weight, mixed=[], semantic_looked_at=looked)
        found = evidence(
            ERRORS, entry or "users", ramp(errors, 0, 0.05), link=entry, value=errors,
            percent=round(100 * errors, 1),
        )  # fmt: skip
        return Felt(Pain(shape=shape, impact=felt), [found])
    dead = _dead_entry(case)
    if dead:
        shape = Shape(id="total-outage", confidence=0.8, semantic_looked_at=looked)
        return Felt(Pain(shape=shape, impact=felt), dead)
    shrunk = semantic.shrunk_answers(asks)
    if shrunk:
        shape = Shape(id="semantic-anomaly", confidence=0.6, semantic_looked_at=True)
        onset = Onset(at=shrunk[0].at, plus_minus_seconds=5.0)
        return Felt(Pain(shape=shape, impact=felt, onset=onset), [])
    shape = Shape(id="none", confidence=0.9, semantic_looked_at=looked)
    return Felt(Pain(shape=shape, impact=felt), [])


def _dead_entry(case: Case) -> list[Evidence]:
    """Our own GETs to the entry got no answer or a 5xx, all of them."""
    entries = {link.key for link in case.chain.links if link.entry}
    tried = [answer for answer in case.answers if answer.link in entries]
    failed = [answer for answer in tried if answer.status == 0 or answer.status >= 500]
    if len(tried) < 2 or len(failed) < len(tried):
        return []
    key = tried[0].link
    return [evidence(ERRORS, key, 1.0, link=key, value=1.0, percent=100.0)]


def _without_log(case: Case, flying: flight.InFlight | None) -> Felt:
    """No log tells how users fare: only our own GETs do, if there were any."""
    dead = _dead_entry(case)
    answered = [answer for answer in case.answers if answer.status]
    felt = Impact(
        in_flight=flying.requests if flying else None,
        oldest_in_flight=flying.oldest if flying else None,
    )
    if dead:
        return Felt(Pain(shape=Shape(id="total-outage", confidence=0.8), impact=felt), dead)
    if answered:
        return Felt(Pain(shape=Shape(id="none", confidence=0.5), impact=felt), [])
    return Felt(Pain(shape=Shape(id="none", confidence=0.0), impact=felt, looked_at=False), [])
