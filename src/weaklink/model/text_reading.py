"""What was recognised in a text: which tool printed which lines, what they hold, what is left."""

from __future__ import annotations

from weaklink.model.base import Record
from weaklink.model.take import Take


class TextPart(Record, frozen=True):
    """One recognised part. Lines are counted from 1; `last` is inside."""

    tool: str
    first: int
    last: int
    take: Take
    count: int = 0
    """How many lines of that range it is made of (a log's lines may be scattered)."""
    source: str = ""
    """File that it stands in, '' for a single text."""


class TextReading(Record, frozen=True):
    """All parts of one text, in order, and the lines that nobody recognised."""

    parts: list[TextPart] = []
    unrecognised: list[tuple[int, int]] = []
    """Ranges of lines (first, last), blank ones left out."""
    lines: int = 0
    source: str = ""
    cut: bool = False
    """Only the beginning and the end were read: the text is larger than the cap."""
    failed: str = ""
    """Why it could not be read at all, '' where it was."""
