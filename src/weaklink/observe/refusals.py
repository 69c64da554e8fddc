"""Users who are turned away: 401, 403 and 429 of the service, 400 and 413 for what they sent.

Single refusals are everyday life and no fault of the service. A share that jumps is users' pain:
a key has expired, an identity provider fails, prompts have outgrown the model. What is shed on
purpose (429) counts elsewhere. So it is with users who left (499) where the log does not say how
long they had waited: some always change their mind, a share that jumps has lost patience.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from weaklink.model.evidence import Evidence, evidence
from weaklink.observe.asks import GAVE_UP, SHED_WITHIN, Ask
from weaklink.observe.onset import find_onset
from weaklink.observe.signs import NOT_LET_IN, REFUSED, TURNED_AWAY
from weaklink.stats.robust import ramp

LET_IN = frozenset({401, 403, 407})
LIMITED, BUSY = 429, 503
WRONG = frozenset({400, 413, 422})
SHARE = 0.2
"""Of all requests since then: fewer are a client or two with a bad key."""
LEFT_SHARE = 0.05
"""One user in twenty leaves who did not before: more than a client that is ended."""
ROSE = 3.0
LEAST = 8
ONE_CLIENT = 0.9
"""Refusals of one client alone are that client's own trouble, if there are others."""
STRENGTH = (0.05, 0.3)


class Risen(NamedTuple):
    """Since when more requests are refused, and the shares now and before."""

    at: float
    now: float
    before: float


def is_refused(ask: Ask) -> bool:
    """Turned away. A 429 sheds on purpose: it is told (`marks`), and never is pain by itself."""
    return ask.status in LET_IN or ask.status in WRONG or is_turned_away(ask)


def is_turned_away(ask: Ask) -> bool:
    """A 503 of the proxy itself, at once: one is a limiter's work, a share of them hurts."""
    quick = ask.duration is not None and ask.duration <= SHED_WITHIN
    return ask.status == BUSY and not ask.upstream and quick


def _is_told(ask: Ask) -> bool:
    """The same with a 429 of the service itself, not one that a proxy gives to protect it."""
    return is_refused(ask) or (ask.status == LIMITED and bool(ask.upstream))


def has_left(ask: Ask) -> bool:
    """Closed the connection before an answer came, after nobody knows how long."""
    return ask.status == GAVE_UP and ask.duration is None


def risen(
    asks: Sequence[Ask],
    resolution: float,
    is_one: Callable[[Ask], bool] = is_refused,
    share: float = SHARE,
) -> Risen | None:
    """A jump of refusals (or of what `is_one` says) that users feel; None where there is none."""
    flags = [is_one(ask) for ask in asks]
    if sum(flags) < LEAST:
        return None
    onset = find_onset([ask.at for ask in asks], flags, resolution)
    if onset is None:
        return None
    after = [ask for ask in asks if ask.at >= onset.at]
    before = [ask for ask in asks if ask.at < onset.at]
    now, past = _share(after, is_one), _share(before, is_one)
    if now < share or now < ROSE * past or _one_client(after, is_one):
        return None
    return Risen(onset.at, now, past)


def counted_as_errors(asks: list[Ask], resolution: float) -> list[Ask]:
    """The same rows, refusals since their jump counted as errors, and users who left likewise."""
    for is_one, share in ((is_refused, SHARE), (has_left, LEFT_SHARE)):
        found = risen(asks, resolution, is_one, share)
        if found is not None:
            asks = [
                ask._replace(error=True, shed=False) if ask.at >= found.at and is_one(ask) else ask
                for ask in asks
            ]
    return asks


def marks(entry: str, asks: Sequence[Ask], onset: float | None) -> Iterator[Evidence]:
    """Evidence of refusals since users hurt; nothing where it is not known since when."""
    if onset is None:
        return
    after = [ask for ask in asks if ask.at >= onset]
    before = [ask for ask in asks if ask.at < onset]
    if len(after) < LEAST:
        return
    kinds = (NOT_LET_IN, LET_IN | {LIMITED}), (REFUSED, WRONG), (TURNED_AWAY, {BUSY})
    for id_, wanted in kinds:
        rows = [ask for ask in after if ask.status in wanted and _is_told(ask)]
        past = [ask for ask in before if ask.status in wanted and _is_told(ask)]
        now = len(rows) / len(after)
        was = len(past) / len(before) if before else 0.0
        status = Counter(ask.status for ask in rows).most_common(1)
        alone = _one_client(after)
        yield evidence(
            id_,
            entry or "users",
            0.0 if alone else ramp(now - was, *STRENGTH),
            link=entry,
            value=round(now, 3),
            baseline=round(was, 3),
            percent=round(100 * now, 1),
            before=round(100 * was, 1),
            status=status[0][0] if status else 0,
        )


def _share(asks: Sequence[Ask], is_one: Callable[[Ask], bool]) -> float:
    return sum(1 for ask in asks if is_one(ask)) / len(asks) if asks else 0.0


def _one_client(asks: Sequence[Ask], is_one: Callable[[Ask], bool] = is_refused) -> bool:
    refused = Counter(ask.client for ask in asks if is_one(ask))
    others = {ask.client for ask in asks}
    if len(others) < 3 or not refused:
        return False
    return refused.most_common(1)[0][1] >= ONE_CLIENT * refused.total()
