"""What the logs of the chain's own processes say, summed up where they are read."""

from __future__ import annotations

from weaklink.model.base import Record


class AppLog(Record, frozen=True, tag=True):
    """One log that was read, and how loud it was: lines and errors by span of time."""

    owner: str
    """Process key of who writes it."""
    path: str
    form: str
    """How its lines are dressed: `text`, `json`, `docker`, `cri`."""
    lines: int = 0
    covered_from: float = 0.0
    """From when on nothing is missing, epoch seconds."""
    covered_to: float = 0.0
    step: float = 5.0
    """Seconds of one span."""
    counts: list[tuple[float, int, int]] = []
    """(start of the span, lines, lines that tell an error), ascending; empty spans left out."""


class AppSaying(Record, frozen=True, tag=True):
    """One kind of statement of one log: of whom, how often, when. Epoch seconds.

    `code` is a word of `parse/app_phrases.py`, or `<tool>.<code>` for what an engine or an
    application server says in its own words.
    """

    owner: str
    path: str
    code: str
    about: str = ""
    """The address or host that it is about, or an exception's type; '' where it names none."""
    count: int = 1
    times: list[float] = []
    """The newest ones, ascending; a line without a time counts for the one before it."""
    line: str = ""
    """The newest such line, redacted."""
    where: str = ""
    """Innermost frame of the application's own code: `file.py:31 in make`."""
    values: dict[str, float] = {}
    words: dict[str, str] = {}
