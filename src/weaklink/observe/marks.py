"""The evidence of users' pain: errors, slowness, more load, one thing or many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from weaklink.model.diagnosis import Pain
from weaklink.model.evidence import Evidence, evidence
from weaklink.model.requests import Requests
from weaklink.observe.asks import Ask, is_error
from weaklink.observe.shape import Weight
from weaklink.observe.signs import (
    AFTER_RETRY,
    COMES_AND_GOES,
    ERRORS,
    MANY_RESOURCES,
    ONE_RESOURCE,
    ONE_THING_ASKED,
    RATE_ROSE,
    SLOW,
)
from weaklink.stats.robust import log_ramp, ramp

LEAST_BAD = 8
"""Bad requests below which nothing is said about what they ask for."""
ONE_SHARE = (0.2, 0.5)
"""Share of the bad requests that ask for one thing: what it slows down around it is bad as well."""
SIBLINGS_FINE = (0.5, 0.9)
"""Share of the route's other things that are fine: else that one is merely the most wanted."""
QUICK_BETWEEN = (0.3, 0.6)
"""Share of the requests for the one thing that are quick."""
AT_ONCE = (0.4, 0.8)
"""Share of its slow requests that overlap with another slow one."""
RETRIED = (0.2, 0.6)
"""Share of the failed requests that failed on two members or more."""
ASKED_SHARE = (0.25, 0.6)
"""Share of all requests for one thing: the first of a Zipf list of hundreds has about 15 %."""
LEAST_ASKED = 40
DISTINCT = (0.1, 0.4)
"""Different things per bad request of the route."""


def marks(
    pain: Pain, weight: Weight, after: Sequence[Ask], is_bad: Callable[[Ask], bool]
) -> list[Evidence]:
    """Evidence about the users of one entry, from the requests since the onset."""
    return [*_felt(pain, weight), *_load(pain), *_spread(pain, after, is_bad)]


def _felt(pain: Pain, weight: Weight) -> Iterator[Evidence]:
    onset, felt, users = pain.onset, pain.impact, pain.entry or "users"
    yield evidence(
        ERRORS,
        users,
        ramp(weight.errors, 0.0, 0.05),
        link=pain.entry,
        value=felt.error_ratio_now,
        baseline=felt.error_ratio_before,
        onset=onset.at if onset else None,
        plus_minus=onset.plus_minus_seconds if onset else 0.0,
        percent=round(100 * (felt.error_ratio_now or 0.0), 1),
    )
    yield evidence(
        SLOW,
        users,
        ramp(weight.bad - weight.errors, 0.0, 0.1),
        link=pain.entry,
        value=felt.p99_now,
        baseline=felt.p99_before,
        onset=onset.at if onset else None,
        plus_minus=onset.plus_minus_seconds if onset else 0.0,
        p99=round(felt.p99_now or 0.0, 3),
    )


def _load(pain: Pain) -> Iterator[Evidence]:
    felt = pain.impact
    if felt.rate_now and felt.rate_before:
        growth = felt.rate_now / felt.rate_before
        yield evidence(
            RATE_ROSE,
            pain.entry or "users",
            log_ramp(growth, 1.4, 2.5),
            link=pain.entry,
            value=felt.rate_now,
            baseline=felt.rate_before,
            growth=round(growth, 2),
        )


def _spread(pain: Pain, after: Sequence[Ask], is_bad: Callable[[Ask], bool]) -> Iterator[Evidence]:
    """Whether the bad requests ask for one thing, or for many."""
    totals = Counter((ask.route, ask.path) for ask in after if ask.path)
    yield from _asked(pain, totals)
    bad = Counter((ask.route, ask.path) for ask in after if ask.path and is_bad(ask))
    count = bad.total()
    if count < LEAST_BAD:
        return
    (route, path), most = bad.most_common(1)[0]
    siblings = sum(n for key, n in totals.items() if key[0] == route) - totals[(route, path)]
    of_route = sum(n for key, n in bad.items() if key[0] == route)
    fine = 1 - (of_route - most) / siblings if siblings >= LEAST_BAD else 0.0
    share = most / count
    yield evidence(
        ONE_RESOURCE,
        pain.entry or "users",
        ramp(share, *ONE_SHARE) * ramp(fine, *SIBLINGS_FINE),
        link=pain.entry,
        value=round(share, 3),
        path=path,
        percent=round(100 * share),
        route=route,
    )
    yield from _comes_and_goes(pain, [ask for ask in after if ask.path == path], is_bad)
    distinct = sum(1 for key in bad if key[0] == route)
    yield evidence(
        MANY_RESOURCES,
        pain.entry or "users",
        ramp(distinct / of_route, *DISTINCT) * (1 - ramp(share, *ONE_SHARE)),
        link=pain.entry,
        value=float(distinct),
        distinct=distinct,
        route=route,
    )


def _asked(pain: Pain, totals: Counter[tuple[str, str]]) -> Iterator[Evidence]:
    """Whether one thing of a route with several draws most of what is asked."""
    if totals.total() < LEAST_ASKED:
        return
    (route, path), most = totals.most_common(1)[0]
    several = sum(1 for key in totals if key[0] == route) > 2
    share = most / totals.total()
    yield evidence(
        ONE_THING_ASKED,
        pain.entry or "users",
        ramp(share, *ASKED_SHARE) if several else 0.0,
        link=pain.entry,
        value=round(share, 3),
        path=path,
        percent=round(100 * share),
    )


def _comes_and_goes(
    pain: Pain, rows: Sequence[Ask], is_bad: Callable[[Ask], bool]
) -> Iterator[Evidence]:
    """Whether the one thing is quick in between, and slow for several at the same time.

    That is what a much-wanted key does that expires; a thing that is hard to make is slow always.
    """
    slow = [ask for ask in rows if is_bad(ask)]
    quick = 1 - len(slow) / len(rows)
    crowded = sum(
        1
        for one in slow
        if any(other is not one and other.at < one.end and one.at < other.end for other in slow)
    )
    yield evidence(
        COMES_AND_GOES,
        pain.entry or "users",
        ramp(quick, *QUICK_BETWEEN) * ramp(crowded / len(slow), *AT_ONCE) if slow else 0.0,
        link=pain.entry,
        value=round(quick, 3),
        path=rows[0].path,
        percent=round(100 * quick),
    )


def after_retry(entry: str, logs: Sequence[Requests], onset: float | None) -> Iterator[Evidence]:
    """Whether requests that failed since the onset had been tried on several members."""
    if onset is None:
        return
    tries = [
        log.tries[i]
        for log in logs
        for i in range(len(log))
        if log.end[i] >= onset
        and log.upstream[i]
        and is_error(log.status[i], log.duration[i], log.upstream[i])
    ]
    if len(tries) < LEAST_BAD:
        return
    again = sum(1 for count in tries if count >= 2)
    yield evidence(
        AFTER_RETRY,
        entry or "users",
        ramp(again / len(tries), *RETRIED),
        link=entry,
        value=float(again),
        count=again,
    )
