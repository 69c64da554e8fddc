"""Finds whole JSON documents that stand among the lines of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

MAX_DOCUMENT = 16 << 20
MAX_DEPTH = 64
ATTEMPTS = 50
"""Lines that look like a beginning but have no end are tried so often in one section."""
FEW = 2
SMALL = 900
"""A one-line object shorter than this is a line of a log, not a tool's report."""

_OPENING = frozenset("{[ \t")
# A string runs to its closing quote or, where that is missing, to the end of the line: so no
# character is looked at twice.
_STRUCTURE = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*+"?')


def find_documents(lines: list[str], start: int, end: int) -> Iterator[tuple[int, int, Any]]:
    """(first line, last line, value) of each whole object or array that begins at a line's start.

    One that does not end within the section, is nested deeper than MAX_DEPTH or does not decode
    is passed over, and so is a small object on one line: a log in JSON.
    """
    import msgspec

    failed = 0
    spent = 0
    allowed = (1 << 20) + 3 * sum(map(len, lines[start:end]))
    at = start
    # One small object alone is no log.
    few = islice((index for index in range(start, end) if lines[index].strip()), FEW + 1)
    small = len(list(few)) > FEW
    for opens in [index for index in range(start, end) if lines[index][:1] in _OPENING]:
        if failed >= ATTEMPTS or spent >= allowed:
            break
        if opens < at:
            continue
        at = opens
        bare = lines[at].lstrip()
        if bare[:1] not in {"{", "["} or not _may_be_json(bare):
            continue
        if small and len(bare) < SMALL and bare.rstrip().endswith("}") and len(bare) > 2:
            continue
        last, size = _closes(lines, at, end)
        spent += size
        value = None
        if last >= 0:
            try:
                value = msgspec.json.decode("\n".join(lines[at : last + 1]))
            except (msgspec.DecodeError, RecursionError, ValueError):
                last = -1
        if last < 0:
            failed += 1
            continue
        yield at, last, value
        at = last + 1


def _may_be_json(bare: str) -> bool:
    rest = bare[1:].lstrip()
    return not rest or rest[0] in '"{[]}'


def _closes(lines: list[str], at: int, end: int) -> tuple[int, int]:
    """The line on which the document closes that opens at `at` (-1), and how much was read."""
    depth = 0
    size = 0
    for index in range(at, end):
        size += len(lines[index]) + 1
        if size > MAX_DOCUMENT:
            break
        for piece in _STRUCTURE.findall(lines[index]):
            if piece in "{[":
                depth += 1
                if depth > MAX_DEPTH:
                    return -1, size
            elif piece in "}]":
                depth -= 1
                if depth == 0:
                    return index, size
    return -1, size
