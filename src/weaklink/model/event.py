"""Something that happened at a moment: deploy, cron run, process start, kernel line, restart."""

from __future__ import annotations

from typing import Literal

from weaklink.model.base import Record

EventKind = Literal[
    "process-start",
    "process-exit",
    "cron-run",
    "kernel",
    "oom-kill",
    "config-change",
    "code-change",
    "service-start",
    "expiry-burst",
    "log",
    "trigger",
    "case-filed",
]


class Event(Record, frozen=True):
    """`at` in epoch seconds; `text` is what the source said, redacted; `target` its subject."""

    at: float
    kind: EventKind
    target: str
    text: str
    source: str
    plus_minus: float = 0.0
    details: dict[str, str | int | float] = {}
    """What the text says as data, where its format is known: an OOM kill's pid, cgroup, bytes."""
