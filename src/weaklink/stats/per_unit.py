"""One counter per unit of another: seconds a request, tokens an answer; now against before.

`Before` is the counters' own past: readings older than the moment asked about, else all of their
life up to the first reading. A counter that fell was restarted and counts from zero.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from weaklink.stats.windows import increase


class PerUnit(NamedTuple):
    """`now` over so many `units`; `before` over `count_before`, None where there is no past."""

    now: float
    units: float
    before: float | None
    units_before: float
    whole_life: bool
    """Before is the life of the process, not a past that was read."""


def per_unit(
    top: tuple[Sequence[float], Sequence[float]],
    units: tuple[Sequence[float], Sequence[float]],
    since: float,
) -> PerUnit | None:
    """(times, values) of the counter and of its units; None with nothing counted since then."""
    if len(top[0]) < 2 or len(units[0]) < 2:
        return None
    grown, count = _since(top, since), _since(units, since)
    if grown is None or count is None or count <= 0:
        return None
    past, past_count = _until(top, since), _until(units, since)
    if past is not None and past_count is not None and past_count > 0:
        return PerUnit(grown / count, count, past / past_count, past_count, whole_life=False)
    first, first_count = top[1][0], units[1][0]
    before = first / first_count if first_count > 0 else None
    return PerUnit(grown / count, count, before, first_count, whole_life=True)


def _since(row: tuple[Sequence[float], Sequence[float]], since: float) -> float | None:
    place = max(0, min(bisect_left(row[0], since) - 1, len(row[0]) - 2))
    return increase(row[1][place:])


def _until(row: tuple[Sequence[float], Sequence[float]], since: float) -> float | None:
    return increase(row[1][: bisect_left(row[0], since)])
