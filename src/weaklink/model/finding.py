"""A judgement about one device or text, without users: what `read` and `look` give."""

from __future__ import annotations

from typing import Literal

from weaklink.model.base import Record
from weaklink.model.message import Message

Verdict = Literal["healthy", "unknown", "warn", "critical"]
VERDICTS: tuple[Verdict, ...] = ("healthy", "unknown", "warn", "critical")
"""From best to worst."""


class Finding(Record, frozen=True):
    """It becomes a cause only with users' pain and the device on the chain."""

    verdict: Verdict
    target: str
    message: Message
    subject: str = ""
    line: str = ""
    """The deciding line, quoted and redacted; at most two."""
    cause: str = ""
    """Id of the cause that it would be, on the chain of a service that hurts."""
    sure: float = 0.9
    next: str = ""
    """What to replace, or which command to run next."""


def worst(findings: list[Finding]) -> Verdict:
    """The worst verdict among findings; healthy where there are none."""
    return max((f.verdict for f in findings), key=VERDICTS.index, default="healthy")
