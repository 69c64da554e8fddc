"""What to do now: steps with preview, expectation and undo. Nothing here applies anything."""

from __future__ import annotations

from typing import Literal

from weaklink.model.base import Record
from weaklink.model.message import Message

Harm = Literal["nobody", "some-users", "all-users"]
HARMS: tuple[Harm, ...] = ("nobody", "some-users", "all-users")


class Step(Record, frozen=True):
    """One reversible step. `preview` is the exact commands, `undo` takes them back."""

    action: str
    cause: str
    what: Message
    harm: Harm
    harm_note: Message
    target: str = ""
    preview: list[str] = []
    expect: Message | None = None
    undo: list[str] = []
    expires_after: float | None = None
    """Seconds after which it should be taken back."""
    cannot: Message | None = None
    """What it does not do."""


class Plan(Record, frozen=True):
    """Steps, least harm first."""

    steps: list[Step] = []
