"""All facts about software that only a pasted text tells, as one union that a Take can hold."""

from __future__ import annotations

from weaklink.model.base import Record


class PlainFigure(Record, frozen=True, tag=True):
    """One named figure of a program's own output, with the line that it was read from."""

    subject: str
    name: str
    value: float
    line: str = ""


Software = PlainFigure
