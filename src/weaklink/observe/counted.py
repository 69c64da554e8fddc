"""How users fare by a service's own counters, where no log tells: errors and mean durations.

A mean hides who waits, and a counter tells no moment: so the shape is a guess and there is no
onset. `Before` is the past that was read, else the life of the process.
"""

from __future__ import annotations

from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.diagnosis import Impact, Shape
from weaklink.model.message import say
from weaklink.observe.asks import walk
from weaklink.observe.shape import OUTAGE_ERRORS
from weaklink.stats.per_unit import PerUnit, per_unit
from weaklink.words import texts

texts({"baseline.counters": "the service's own counters since its start"})

LEAST, LEAST_PAST = 8.0, 50.0
ERRORS_ROSE = 0.03
"""Of all requests, in addition to what was usual."""
SLOWER, SLOWER_BY = 3.0, 0.2
"""A mean three times as long, and longer by so many seconds: under it nobody feels it."""
TIMED = (
    ("app_request_seconds_total", "app_requests_timed_total"),
    ("engine_request_seconds_total", "engine_requests_done_total"),
    ("engine_first_token_seconds_total", "engine_first_tokens_total"),
)


class Counted(NamedTuple):
    """What counters say of an entry's users; `shape` is `none` where they fare as ever."""

    shape: Shape
    impact: Impact
    errors: float


def counted(case: Case, entry: str) -> Counted | None:
    """Judged by the first link from the entry down that counts; None where none does."""
    rows = {(row.quantity, row.target): row for row in case.series}
    for key in walk(case.chain, entry):
        link = case.chain.link(key)
        for target in link.processes[:1] if link is not None else ():

            def of(top: str, units: str, target: str = target) -> PerUnit | None:
                a, b = rows.get((top, target)), rows.get((units, target))
                if a is None or b is None:
                    return None
                found = per_unit((a.times, a.values), (b.times, b.values), case.window[0])
                return found if found and found.units_before >= LEAST_PAST else None

            bad = of("app_request_errors_total", "app_requests_total")
            timed = [found for names in TIMED if (found := of(*names)) is not None]
            if bad is not None or timed:
                return _judged(bad, timed)
    return None


def _judged(bad: PerUnit | None, timed: list[PerUnit]) -> Counted:
    errors = bad.now if bad is not None and bad.units >= LEAST else 0.0
    rose = bad is not None and errors - (bad.before or 0.0) >= ERRORS_ROSE
    slow = [
        one
        for one in timed
        if one.units >= LEAST
        and one.before
        and one.now >= SLOWER * one.before
        and one.now - one.before >= SLOWER_BY
    ]
    first = slow[0] if slow else timed[0] if timed else None
    felt = Impact(
        error_ratio_now=errors if bad is not None else None,
        error_ratio_before=bad.before if bad is not None else None,
        p50_now=round(first.now, 3) if first else None,
        p50_before=round(first.before, 3) if first and first.before else None,
        baseline=say("baseline.counters"),
    )
    if rose and errors >= OUTAGE_ERRORS:
        shape = Shape(id="total-outage", confidence=0.6, runner_up="widespread-timeouts")
    elif rose or slow:
        shape = Shape(id="widespread-timeouts", confidence=0.5, runner_up="intermittent-spikes")
    else:
        shape = Shape(id="none", confidence=0.5)
    return Counted(shape, felt, errors if rose else 0.0)
