"""What became of a look: five outcomes that differ, and what it cost.

A value, not here, not allowed, timed out, failed. Only the first is knowledge; none of the
others ever counts as healthy.
"""

from __future__ import annotations

from typing import Literal

from weaklink.model.base import Record
from weaklink.model.message import Message

Outcome = Literal["value", "absent", "denied", "timeout", "failed"]


class Look(Record, frozen=True):
    """One look of one probe or source at one subject."""

    name: str
    """Of the probe or source, for example `redis`."""
    target: str
    """What it looked at: a target key, or '' for the whole host."""
    outcome: Outcome
    at: float
    seconds: float = 0.0
    """Wall time that it took."""
    cpu_seconds: float = 0.0
    reason: Message | None = None
    """Why there is no value, for a person."""
    remedy: str = ""
    """The one command that would allow it, if there is one."""
    touched: list[str] = []
    """What the look did that left a trace: commands sent, requests made."""
