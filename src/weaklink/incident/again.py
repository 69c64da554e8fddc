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


def _same(event: Event) -> tuple[str, str, int]:
    return event.kind, event.target, round(event.at)
