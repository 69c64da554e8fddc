"""What our own recording knows of earlier times that users were hurt, hours back."""

from __future__ import annotations

from pathlib import Path

from weaklink.model.case import Case, grow
from weaklink.model.event import Event
from weaklink.recorder.recording import Recording

HOURS_BACK = 6 * 3600.0
"""Enough for six runs of what comes each hour; a day of it would be read for seconds."""
MOST = 300
"""Events that are taken along."""
CALM = 20.0
"""Seconds before the moment that are read in any case."""
LEAST = 3
"""Times without which nothing can be said of a period."""


def with_earlier_pain(case: Case, folders: list[Path], until: float) -> Case:
    """The Case with its recording's triggers of the hours before, and what began before each."""
    from weaklink.locate.looks.periods import bursts_of, matches
    from weaklink.locate.view import View

    since = until - HOURS_BACK
    events = Recording.load(folders, since, until).events(since, until)
    triggers = [event for event in events if event.kind == "trigger"]
    bursts = bursts_of(View(grow(case, events=triggers)))
    if len(bursts) < LEAST - 1:
        return case
    found = sorted(matches(events, bursts), key=lambda match: -match.strength)
    starts = [event for match in found for event in match.starts]
    known = {_same(event) for event in case.events}
    fresh = [event for event in [*triggers, *starts][:MOST] if _same(event) not in known]
    return grow(case, events=sorted([*case.events, *fresh], key=lambda event: event.at))


def one_pain(events: list[Event], at: float, since: float, until: float) -> tuple[float, float]:
    """The part of a span that is of the pain nearest to a moment, with the calm around it.

    Where users were hurt several times, each is an incident of its own: one onset cannot tell them.
    """
    from weaklink.locate.looks.periods import spells

    told = spells(events)
    if len(told) < 2:
        return since, until
    nearest = min(range(len(told)), key=lambda n: _distance(told[n], at))
    if nearest > 0:
        since = max(since, (told[nearest - 1][1] + told[nearest][0]) / 2)
    if nearest + 1 < len(told):
        until = min(until, (told[nearest][1] + told[nearest + 1][0]) / 2)
    return min(since, at - CALM), max(until, at)


def _distance(spell: tuple[float, float], at: float) -> float:
    first, last = spell
    return max(first - at, at - last, 0.0)


def _same(event: Event) -> tuple[str, str, int]:
    return event.kind, event.target, round(event.at)
