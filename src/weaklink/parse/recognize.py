"""Finds which tools printed which parts of a text, and reads each part with that tool's reader.

Takes any text: prompts, colours, log prefixes, several outputs after one another, prose around
them, hard wraps, a cut end. What no reader recognises is returned as such, never guessed at.
Linear in the length of the text; no exception leaves it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from weaklink.model.take import Take, merged
from weaklink.model.text_reading import TextPart, TextReading
from weaklink.parse import text_tool
from weaklink.parse.beginnings import LOOKED_AT, Beginnings
from weaklink.parse.documents import find_documents
from weaklink.parse.lines import plain_lines, unwrapped, without_cut_number
from weaklink.parse.text_tool import Passage, Tool

PATIENCE = 8
"""So often may a reader refuse a block of one section before it is only asked after its end."""
PATIENT_LINES = 3000
"""A reader that refused so many lines of a section is not asked about all of them again."""
MAX_PARTS = 4000
"""Parts of one text; 4000 outputs in one paste are a flood, and the rest is left unread."""
SAMPLED = 400
"""Of the lines that nobody recognised so many are asked first whether they share a prefix."""

_CONTAINER = re.compile(
    r"(?:\S{1,80} {1,3}\| ?)?"
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d) (?:std(?:out|err) [FP] )?"
)
_COMPOSE = re.compile(r"[\w.-]{1,80} {1,12}\| ")
_QUOTE = re.compile(r"(?:[>\u2502] ?){1,4}")


class _Found(NamedTuple):
    parts: list[TextPart]
    left: list[int]
    """Indexes of lines that nobody recognised; blank lines and drawn rules are none."""


def read_text(text: str | bytes, source: str = "") -> TextReading:
    """All that is recognised in a text; `source` names the file it came from."""
    lines = plain_lines(text)
    ended = text.endswith(b"\n") if isinstance(text, bytes) else text.endswith("\n")
    if not ended:
        lines = without_cut_number(lines)
    numbers = list(range(1, len(lines) + 1))
    best = _read_lines(lines, numbers)
    straight = unwrapped(lines, numbers)
    if straight is not None:
        other = _read_lines(*straight)
        # Joined lines count as the originals that they are made of. Rows that happen to be as
        # wide as a terminal are no wrap: joining them would make one fact of several.
        gain = _claimed(other, straight[1], lines) - (len(_nonblank(lines)) - len(best.left))
        alike = gain == 0 and _facts(other) >= _facts(best)
        if gain > 0 or (alike and _are_ends(lines, straight[1])):
            lines, numbers, best = straight[0], straight[1], other
    parts = sorted(best.parts, key=lambda part: (part.first, part.tool))
    if source:
        parts = [_of_source(part, source) for part in parts]
    return TextReading(
        parts=parts,
        unrecognised=_ranges([numbers[index] for index in best.left]),
        lines=len(lines),
        source=source,
    )


def _of_source(part: TextPart, source: str) -> TextPart:
    return TextPart(
        tool=part.tool,
        first=part.first,
        last=part.last,
        take=part.take,
        count=part.count,
        source=source,
    )


def _are_ends(lines: list[str], kept: list[int]) -> bool:
    """Whether the lines that were joined to others look like ends, not like beginnings."""
    own = set(kept)
    ends = [line for number, line in enumerate(lines, 1) if number not in own]
    found = Beginnings(ends, text_tool.tools())
    begin = sum(next(found.of(index), None) is not None for index in range(len(ends)))
    return 2 * begin < len(ends)


def _facts(found: _Found) -> int:
    """How much was read, to choose between two readings of the same lines."""
    return sum(
        len(value)
        for part in found.parts
        for name in part.take.__struct_fields__
        if isinstance(value := getattr(part.take, name), list)
    )


def _nonblank(lines: list[str]) -> list[int]:
    return [index for index, line in enumerate(lines) if line.strip()]


def _claimed(found: _Found, numbers: list[int], lines: list[str]) -> int:
    """How many of the original lines stand in joined ones that were recognised, blank ones out."""
    ends = [*numbers[1:], len(lines) + 1]
    lost = sum(
        sum(1 for line in lines[numbers[index] - 1 : ends[index] - 1] if line.strip())
        for index in found.left
    )
    return len(_nonblank(lines)) - lost


def _read_lines(lines: list[str], numbers: list[int]) -> _Found:
    found = _Scan(lines, numbers).run()
    if not found.left:
        return found
    for prefix, share in ((_CONTAINER, 0.8), (_COMPOSE, 0.8), (_QUOTE, 0.8)):
        found = _again_without(prefix, share, lines, numbers, found)
    return found


def _again_without(
    prefix: re.Pattern[str], share: float, lines: list[str], numbers: list[int], found: _Found
) -> _Found:
    """Read what is left once more, without a prefix that nearly all of its lines have."""
    sample = found.left[:: max(1, len(found.left) // SAMPLED)]
    if sum(prefix.match(lines[index]) is not None for index in sample) < share * len(sample) / 2:
        return found
    matches = [(index, prefix.match(lines[index])) for index in found.left]
    having = [(index, match.end()) for index, match in matches if match and match.end()]
    if not having or len(having) < share * len(found.left):
        return found
    again = _Scan(
        [lines[index][end:] for index, end in having], [numbers[index] for index, _ in having]
    ).run()
    if not again.parts:
        return found
    kept = {having[index][0] for index in again.left}
    stripped = {index for index, _ in having}
    left = [index for index in found.left if index not in stripped or index in kept]
    return _Found([*found.parts, *again.parts], left)


class _Scan:
    """One pass over lines: sections between prompts, blocks and scattered lines within them."""

    def __init__(self, lines: list[str], numbers: list[int]) -> None:
        self.lines = lines
        self.numbers = numbers
        self.tools = text_tool.tools()
        self.beginnings = Beginnings(lines, self.tools)
        self.parts: list[TextPart] = []
        self.claimed = bytearray(len(lines))

    def run(self) -> _Found:
        start, command = 0, ""
        for index in range(len(self.lines)):
            typed = self.beginnings.command(index)
            if typed is None:
                continue
            self.section(start, index, command)
            self.claimed[index] = 1
            start, command = index + 1, typed
        self.section(start, len(self.lines), command)
        left = [
            index
            for index, line in enumerate(self.lines)
            if not self.claimed[index] and line.strip("-=+|_*~ \t")
        ]
        return _Found(self.parts, left)

    def section(self, start: int, end: int, command: str) -> None:
        """Recognise everything between two prompts."""
        if start >= end:
            return
        before = len(self.parts)
        logs: defaultdict[str, list[int]] = defaultdict(list)
        for first, last, value in find_documents(self.lines, start, end):
            for known in self.tools:
                if known.document is not None and known.document(value):
                    rows = list(range(first, last + 1))
                    if self.take(known, rows, command, value):
                        break
        self.walk(start, end, command, logs)
        by_name = {known.name: known for known in self.tools}
        for name, rows in logs.items():
            self.take(by_name[name], rows, command)
        if command and len(self.parts) == before:
            self.by_command(start, end, command)

    def walk(self, start: int, end: int, command: str, logs: defaultdict[str, list[int]]) -> None:
        refused: dict[str, int] = {}
        not_before: dict[str, int] = {}
        at = start
        while at < end and len(self.parts) < MAX_PARTS:
            if self.claimed[at]:
                at += 1
                continue
            step = at + 1
            quick = self.beginnings.quick(at)
            if quick is False:
                at = step
                continue
            if quick is not True and quick.goes_on is None:
                logs[quick.name].append(at)
                at = step
                continue
            for known in self.beginnings.of(at) if quick is True else (quick,):
                if known.scattered:
                    step = self.log_end(known, at, end)
                    logs[known.name].extend(range(at, step))
                    if quick is True:
                        self.beginnings.was(at, known)
                    break
                if at < not_before.get(known.name, 0):
                    continue
                until = self.block_end(known, at, end)
                if self.take(known, list(range(at, until)), command):
                    step = until
                    break
                cost = max(until - at, PATIENT_LINES // PATIENCE)
                refused[known.name] = refused.get(known.name, 0) + cost
                if refused[known.name] >= PATIENT_LINES:
                    not_before[known.name] = until
            at = step

    def log_end(self, known: Tool, at: int, end: int) -> int:
        """Where a log's entry ends that begins here: its continuation lines are inside."""
        after = at + 1
        if known.goes_on is not None:
            while (
                after < end
                and not self.claimed[after]
                and known.goes_on(self.lines[after])
                and not known.begins(self.lines[after][:LOOKED_AT])
            ):
                after += 1
        return after

    def block_end(self, known: Tool, at: int, end: int) -> int:
        """Where a block ends that begins here, blank lines at its end left out."""
        after = at + 1
        while after < end and not self.claimed[after]:
            line = self.lines[after]
            if not line.strip():
                if known.ends_at_blank:
                    break
            elif known.goes_on is not None:
                if not known.goes_on(line):
                    break
            elif any(other is not known for other in self.beginnings.of(after)):
                break
            after += 1
        while after > at + 1 and not self.lines[after - 1].strip():
            after -= 1
        return after

    def by_command(self, start: int, end: int, command: str) -> None:
        """Give all of a section to the reader whose command was typed before it."""
        words = {word.rpartition("/")[2] for word in command.split()[:12]}
        rows = [index for index in range(start, end) if not self.claimed[index]]
        for known in self.tools:
            if words.intersection(known.commands) and self.take(known, rows, command):
                return

    def take(self, known: Tool, rows: list[int], command: str, document: object = None) -> bool:
        """Read these lines with a tool's reader; True where they are its own."""
        passage = Passage(
            [self.lines[index] for index in rows],
            [self.numbers[index] for index in rows],
            command,
            document,
        )
        takes: list[Take] = []
        for read in (known.read, *text_tool.further_readers(known.name)):
            # A reader that stumbles over hostile input must not take the others' parts with it;
            # the tests call readers directly, so that a stumble is seen there.
            try:
                found = read(passage)
            except Exception:  # noqa: S112
                continue
            if found is not None:
                takes.append(found)
        if not takes:
            return False
        for index in rows:
            self.claimed[index] = 1
        self.parts.append(
            TextPart(
                tool=known.name,
                first=passage.numbers[0],
                last=passage.numbers[-1],
                take=merged(takes),
                count=len(rows),
            )
        )
        return True


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    """Consecutive numbers as ranges, both ends inside."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
