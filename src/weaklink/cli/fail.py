"""What could not run, as one line on stderr: what, where, and what to do."""

from __future__ import annotations

from weaklink.report.safe import visible

MAX_LINE = 400


class Fail(Exception):  # noqa: N818 - it is what ends the command, said to a person
    """The command cannot do what was asked; the message is the line to show."""


def fail_line(text: str) -> str:
    """The message as one harmless line."""
    return visible(" ".join(text.split()), MAX_LINE)
