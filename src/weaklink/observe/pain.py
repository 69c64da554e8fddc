"""What users feel, all together: is there pain, which shape, how much, since when.

Pain is judged by what requests got (errors, slowness beyond the route's normal), never by rates
of lines, for each entry apart: the users of one hurt, those of another may not. Thresholds stand
in one table; each says why a smaller change is no pain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from weaklink.model.case import Case
from weaklink.model.diagnosis import Impact, Onset, Pain, Shape, ShapeId
from weaklink.model.evidence import Evidence, evidence
from weaklink.model.requests import Requests
from weaklink.observe import arrivals, flight, impact, refusals, semantic
from weaklink.observe.asks import Ask, asks_of, logs_by_entry, without_ours
from weaklink.observe.counted import Counted, counted
from weaklink.observe.marks import after_retry, marks
from weaklink.observe.normal import Normal, is_slow, is_slowed, normals
from weaklink.observe.onset import find_onset
from weaklink.observe.shape import Weight, routes_out, shape_of, weigh
from weaklink.observe.signs import ERRORS
from weaklink.stats.robust import ramp

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
"""This long without a bad request, and it is over, unless pauses were longer all along."""
CALM_OF_SPIKES = 3.0
"""Times the longest calm between bad requests so far: a pause longer than that is an end."""
ASKED_ALL, ASKED_SOME, ASKED_SHARE = 2, 3, 0.3
"""GETs of our own: two that both fail are an outage, of three or more a third is pain."""
HANGS = 1.0
"""Seconds: a request younger than this is not said to hang, however quick its service is."""
HANGS_SURELY = 3.0
"""Seconds: where the log could not be read, requests this old tell that users wait."""
LOG_READERS = ("nginx-logs", "app-logs")
FRESH = 5.0
"""Seconds at the end of the log whose slow requests have not ended yet, so are not in it."""


ALL_FAIL = Weight(errors=1.0, bad=1.0, seconds=1.0, slowed=0.0, worst_route=1.0, rows=0)


class Felt(NamedTuple):
    """The pain and the evidence of it."""

    pain: Pain
    evidence: list[Evidence]


class Users(NamedTuple):
    """The requests of one entry's users, which of them are bad, and until when the log goes."""

    entry: str
    asks: list[Ask]
    is_bad: Callable[[Ask], bool]
    is_slowed: Callable[[Ask], bool]
    end: float
    resolution: float
    flying: flight.InFlight | None
    semantic: bool


def feel(case: Case, since: float = 0.0, until: float = 0.0) -> Felt:
    """The users' side of a Case, of the entry that hurts most.

    The chain must be known and logs joined to links; `since` and `until` (0: open) bound the
    requests' start, epoch seconds.
    """
    felt = []
    logged = logs_by_entry(case)
    for entry, logs in logged.items():
        users = _users(case, entry, logs, since, until)
        if users.asks:
            one = _feel(case, users)
            onset = one.pain.onset.at if one.pain.onset else None
            more = [
                *semantic.marks(entry, users.asks),
                *refusals.marks(entry, users.asks, onset),
                *arrivals.marks(entry, users.asks, onset, users.is_bad),
                *after_retry(entry, logs, onset),
            ]
            one = Felt(one.pain, [*one.evidence, *more])
            felt.append((_severity(one), len(users.asks), one))
    if not felt:
        return _without_log(case)
    unlogged = [link.key for link in case.chain.links if link.entry and link.key not in logged]
    stuck = [_stuck(case, key) for key in unlogged]
    felt += [(_severity(found), 0, found) for found in stuck if found is not None]
    return max(felt, key=lambda row: row[:2])[2]


def _severity(felt: Felt) -> tuple[bool, bool, float]:
    """Pain that is still on comes before pain that is over, then by the share of bad requests.

    Where nothing is counted, all that is known of the entry is that its users wait: all of them.
    """
    pain = felt.pain
    hurts = pain.shape.id != "none"
    worst = max((row.bad / row.requests for row in pain.impact.slices), default=1.0)
    return (hurts, hurts and pain.impact.still_on, worst if hurts else 0.0)


def _users(case: Case, entry: str, logs: Sequence[Requests], since: float, until: float) -> Users:
    resolution = max((log.resolution for log in logs), default=0.001)
    asks = without_ours(case, entry, asks_of(logs, since, until))
    asks = refusals.counted_as_errors(asks, resolution)
    table = normals(asks)
    flying = flight.in_flight(case, entry)
    if flying is not None and table and not until:
        asks = sorted([*asks, *_hanging(flying, table)], key=lambda ask: ask.at)
    bad = {id(ask) for ask in asks if ask.error or is_slow(ask, table)}
    last = max((ask.end for ask in asks), default=0.0)
    return Users(
        entry=entry,
        asks=asks,
        is_bad=lambda ask: id(ask) in bad,
        is_slowed=lambda ask: is_slowed(ask, table),
        end=until or max(case.window[1], last),
        resolution=resolution,
        flying=flying,
        semantic=semantic.looked_at(asks) or semantic.counted(case),
    )


def _hanging(flying: flight.InFlight, table: dict[str, Normal]) -> list[Ask]:
    """Requests that hang: in no log yet. Their route is unknown, so the slowest route's normal
    is the yardstick; their duration is what they have waited so far."""
    slowest = max(HANGS, *(normal.slow_over for normal in table.values()))
    return [
        Ask(
            at=at, end=flying.at, duration=flying.at - at, status=0, route="", path="", client="",
            upstream="", sent=0, error=False, shed=False,
        )
        for at in flying.hanging(slowest)
    ]  # fmt: skip


def _feel(case: Case, users: Users) -> Felt:
    asks, is_bad = users.asks, users.is_bad
    onset = find_onset([ask.at for ask in asks], [is_bad(ask) for ask in asks], users.resolution)
    if onset is None:
        return _steady(case, users)
    before = [ask for ask in asks if ask.at < onset.at]
    after = [ask for ask in asks if ask.at >= onset.at]
    weight = weigh(after, is_bad, users.is_slowed)
    if not _hurts(weight, before, after, is_bad):
        return _steady(case, users)
    mixed: list[ShapeId] = ["total-outage"] if weight.errors < 0.9 and routes_out(after) else []
    if weight.errors < 0.9 and semantic.odd_answers(case):
        mixed.append("semantic-anomaly")
    still_on = _still_on(after, is_bad, users.end)
    shape = msgspec.structs.replace(
        shape_of(weight, mixed=mixed, semantic_looked_at=users.semantic), recovered=not still_on
    )
    now = [ask for ask in after if ask.at >= users.end - NOW_SECONDS] or after
    felt = _impact(users, before, now, still_on=still_on)
    pain = Pain(shape=shape, entry=users.entry, impact=felt, onset=onset)
    return Felt(pain, marks(pain, weight, after, is_bad))


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


def _impact(users: Users, before: Sequence[Ask], now: Sequence[Ask], *, still_on: bool) -> Impact:
    return impact.compare(
        before,
        now,
        users.is_bad,
        end=users.end,
        in_flight=users.flying.requests if users.flying else None,
        oldest=users.flying.oldest if users.flying else None,
        still_on=still_on,
    )


def _steady(case: Case, users: Users) -> Felt:
    """No onset in the log: errors all along, a dead entry, answers that shrank, or calm."""
    now = [ask for ask in users.asks if ask.at >= users.end - NOW_SECONDS] or users.asks[-50:]
    felt = _impact(users, [], now, still_on=True)

    def pain(id_: ShapeId, confidence: float, onset: Onset | None = None) -> Pain:
        shape = Shape(id=id_, confidence=confidence, semantic_looked_at=users.semantic)
        return Pain(shape=shape, entry=users.entry, impact=felt, onset=onset)

    errors = sum(1 for ask in now if ask.error)
    if errors >= BAD_ROWS and errors / len(now) >= BAD_SHARE:
        weight = weigh(now, lambda ask: ask.error, users.is_slowed)
        shape = shape_of(weight, mixed=[], semantic_looked_at=users.semantic)
        return Felt(
            msgspec.structs.replace(pain("none", 0.0), shape=shape), [_errors(users.entry, weight)]
        )
    served = any(not ask.error and ask.status and ask.end >= case.window[0] for ask in now)
    asked = _asked(case, users.entry, served=served)
    if asked is not None:
        return Felt(
            msgspec.structs.replace(pain("none", 0.0), shape=asked.shape),
            [_errors(users.entry, asked.weight)],
        )
    shrunk = semantic.shrunk_answers(users.asks)
    if shrunk:
        onset = Onset(at=shrunk[0].at, plus_minus_seconds=5.0)
        return Felt(pain("semantic-anomaly", 0.6, onset), [])
    if semantic.odd_answers(case):
        return Felt(pain("semantic-anomaly", 0.6), [])
    if all(ask.duration is None for ask in users.asks):
        # A log without durations knows of errors only; the service's own counters may know more.
        told = counted(case, users.entry)
        if told is not None and told.shape.id != "none":
            return _by_counters(users.entry, told, users.semantic)
        stuck = _stuck(case, users.entry)
        if stuck is not None:
            return stuck
    return Felt(pain("none", 0.9), [])


def _errors(entry: str, weight: Weight) -> Evidence:
    return evidence(
        ERRORS,
        entry or "users",
        ramp(weight.errors, 0.0, 0.05),
        link=entry,
        value=weight.errors,
        percent=round(100 * weight.errors, 1),
    )


class Asked(NamedTuple):
    """What our own GETs to an entry say, where enough of them failed."""

    shape: Shape
    weight: Weight


def _asked(case: Case, entry: str, *, served: bool) -> Asked | None:
    """Our own GETs got no answer or a 5xx: all of them, or a clear share; None where they did.

    Where users were `served` while we looked, two failures of ours are no total outage.
    """
    tried = [row for row in case.answers if row.link == entry]
    failed = sum(1 for row in tried if row.error or row.status >= 500)
    share = failed / len(tried) if tried else 0.0
    weight = ALL_FAIL._replace(errors=share, bad=share)
    if len(tried) >= ASKED_ALL and failed == len(tried) and not served:
        return Asked(Shape(id="total-outage", confidence=0.8), weight)
    if share >= ASKED_SHARE and len(tried) >= (ASKED_ALL if share == 1 else ASKED_SOME):
        shape = Shape(id="widespread-timeouts", confidence=0.5, runner_up="intermittent-spikes")
        return Asked(shape, weight)
    return None


def _by_counters(entry: str, told: Counted, semantic_told: bool) -> Felt:
    shape = msgspec.structs.replace(told.shape, semantic_looked_at=semantic_told)
    weight = ALL_FAIL._replace(errors=told.errors, bad=told.errors)
    marks = [_errors(entry, weight)] if told.errors else []
    return Felt(Pain(shape=shape, entry=entry, impact=told.impact), marks)


def _log_unread(case: Case) -> bool:
    """An access log is there and could not be read in time: a few quick GETs of ours are no proof
    that users fare well."""
    return any(log.kind == "access" for log in case.logs) and any(
        look.name in LOG_READERS and look.outcome in ("timeout", "failed") for look in case.looks
    )


def _stuck(case: Case, entry: str) -> Felt | None:
    """Users of an entry that no log tells of wait far too long, by its sockets alone."""
    flying = flight.stuck(case, entry)
    return Felt(_hang(entry, flying), []) if flying is not None else None


def _hang(entry: str, flying: flight.InFlight) -> Pain:
    """Users wait, the sockets say so; how it was before nobody knows."""
    felt = Impact(in_flight=flying.requests, oldest_in_flight=flying.oldest)
    return Pain(shape=Shape(id="widespread-timeouts", confidence=0.5), entry=entry, impact=felt)


def _without_log(case: Case) -> Felt:
    """No log tells how users fare: our own GETs do, and what the service counts itself."""
    entries = [link.key for link in case.chain.links if link.entry]
    for entry in entries:
        asked = _asked(case, entry, served=False)
        if asked is not None:
            return Felt(Pain(shape=asked.shape, entry=entry), [_errors(entry, asked.weight)])
    told = [(entry, found) for entry in entries if (found := counted(case, entry)) is not None]
    for entry, found in told:
        if found.shape.id != "none":
            return _by_counters(entry, found, semantic.counted(case))
    if semantic.odd_answers(case):
        shape = Shape(id="semantic-anomaly", confidence=0.5, semantic_looked_at=True)
        return Felt(Pain(shape=shape, entry=entries[0] if entries else ""), [])
    for entry in entries:
        stuck = _stuck(case, entry)
        if stuck is not None:
            return stuck
    unread = _log_unread(case)
    answered = bool(told) or (not unread and any(answer.status for answer in case.answers))
    flying = flight.in_flight(case, entries[0]) if entries else None
    if unread and flying is not None and len(flying.hanging(HANGS_SURELY)) >= BAD_ROWS:
        return Felt(_hang(entries[0], flying), [])
    felt = Impact(
        in_flight=flying.requests if flying else None,
        oldest_in_flight=flying.oldest if flying else None,
    )
    shape = Shape(id="none", confidence=0.5 if answered else 0.0)
    return Felt(
        Pain(shape=shape, entry=entries[0] if entries else "", impact=felt, looked_at=answered),
        [],
    )
