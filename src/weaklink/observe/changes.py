"""What changed around the onset: events nearest to it first, those after it last."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.model.event import Event

CHANGES = frozenset(
    {"cron-run", "config-change", "code-change", "service-start", "oom-kill", "expiry-burst"}
)
"""Kinds that a person would call a change; process starts are too many to list."""
LOOK_BACK = 3600.0
"""Seconds before the onset that still count: causes that sleep longer are rare."""
LOOK_AHEAD = 10.0
MOST = 8


def _was_there_from_the_start(event: Event) -> bool:
    """A file that its process has run with since it started: written lately, but no change."""
    return event.details.get("loaded") == 1 and "reload" not in event.details


def changes_near(events: Sequence[Event], onset: float | None) -> list[int]:
    """Indexes into `events`, at most eight, nearest to the onset first; [] without an onset."""
    if onset is None:
        return []
    near = [
        (abs(event.at - onset), index)
        for index, event in enumerate(events)
        if event.kind in CHANGES
        and onset - LOOK_BACK <= event.at <= onset + LOOK_AHEAD
        and not _was_there_from_the_start(event)
    ]
    return [index for _, index in sorted(near)[:MOST]]
