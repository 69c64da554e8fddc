"""Which tools a line may begin the output of, found once for all lines of the same shape.

A log of a million lines has a few thousand shapes: its lines with every number and id taken for
the same. What a line holds of the heads and needles of all tools depends on its shape alone, save
for those that contain digits, which are asked again for each line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from weaklink.parse.lines import command_of
from weaklink.parse.text_tool import Tool

LOOKED_AT = 2000
"""Characters of a line that are searched for what a tool begins with."""
AT_ONCE = 20_000
"""Lines whose shapes are found in one go: memory for their pieces, and no more."""
ENOUGH = 64
"""After so many lines of one shape that began nothing, the next one does not either; and after so
many in a row that were of one log, so is the next."""
_ALL = set("0123456789")
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_ID = re.compile(rb"0[0a-f]+")
"""What follows the first digit of an id in hexadecimal, where numbers are 0 already."""
_DIGITS_OF_TEXT = str.maketrans("123456789", "000000000")


class _May(NamedTuple):
    """A tool that lines of one shape may begin; `sure` where no digit of theirs matters."""

    known: Tool
    sure: bool


class _Kind:
    """What is known of lines of one shape; `may` is None until it is asked."""

    __slots__ = ("may", "no_prompt", "refused", "usual", "was_usual")

    def __init__(self) -> None:
        self.may: tuple[_May, ...] | None = None
        self.usual: _May | None = None
        self.was_usual = 0
        self.refused = 0
        self.no_prompt = False


class Beginnings:
    """Built once for the lines of a text."""

    def __init__(self, lines: list[str], tools: list[Tool]) -> None:
        self.lines = lines
        self._heads: dict[str, list[tuple[str, bool, Tool]]] = {}
        self._needles: list[tuple[str, str, Tool]] = []
        rare: list[str] = []
        for known in tools:
            whole = {*known.heads} >= _ALL
            for head in known.heads:
                even = head.translate(_DIGITS_OF_TEXT)
                row = (even, _no_digit(head) or (whole and len(head) == 1), known)
                if row not in self._heads.setdefault(even[:2], []):
                    self._heads[even[:2]].append(row)
            for needle in known.needles:
                even = needle.translate(_DIGITS_OF_TEXT)
                self._needles.append((even, needle, known))
                if _is_rare(even):
                    rare.append(even)
        self._often = [row for row in self._needles if not _is_rare(row[0])]
        self._rare = any_of(rare)
        self._kinds = _kinds(lines)

    def quick(self, index: int) -> Tool | bool:
        """The log that lines of this shape usually are, False for nothing, True: ask `of`."""
        kind = self._kinds[index]
        if kind.may is None:
            return True
        if not kind.may or kind.refused >= ENOUGH:
            return False
        usual = kind.usual
        if usual is None:
            return True
        if kind.was_usual < ENOUGH:
            if not _begins(usual, self.lines[index][:LOOKED_AT]):
                kind.was_usual = 0
                return True
            kind.was_usual += 1
        return usual.known

    def command(self, index: int) -> str | None:
        """The command after a prompt on this line; None where there is no prompt."""
        kind = self._kinds[index]
        if kind.no_prompt:
            return None
        typed = command_of(self.lines[index])
        kind.no_prompt = typed is None
        return typed

    def of(self, index: int) -> Iterator[Tool]:
        """Tools of which this line may be the beginning, blocks before logs, one by one."""
        kind = self._kinds[index]
        if kind.may is None:
            kind.may = self._find(self.lines[index])
        if not kind.may or kind.refused >= ENOUGH:
            return
        line = self.lines[index][:LOOKED_AT]
        usual = kind.usual
        if usual is not None and _begins(usual, line):
            yield usual.known
        any_began = usual is not None
        for may in kind.may:
            if may is not usual and _begins(may, line):
                any_began = True
                yield may.known
        kind.refused = 0 if any_began else kind.refused + 1

    def was(self, index: int, known: Tool) -> None:
        """Remember which log a line of this shape was part of, to ask that tool first."""
        kind = self._kinds[index]
        if kind.usual is None or kind.usual.known is not known:
            kind.was_usual = 0
            kind.usual = next((may for may in kind.may or () if may.known is known), None)

    def _find(self, line: str) -> tuple[_May, ...]:
        even = line[:LOOKED_AT].translate(_DIGITS_OF_TEXT)
        bare = even.lstrip()
        if not bare:
            return ()
        found: dict[str, _May] = {}
        for head, sure, known in (
            *self._heads.get(bare[:2], ()),
            *self._heads.get(bare[0], ()),
        ):
            if bare.startswith(head):
                _note(found, known, sure=sure)
        asked = self._needles if self._rare.search(even) else self._often
        for needle, written, known in asked:
            if needle in even:
                _note(found, known, sure=_no_digit(written))
        return tuple(sorted(found.values(), key=lambda may: may.known.scattered))


def _note(found: dict[str, _May], known: Tool, *, sure: bool) -> None:
    before = found.get(known.name)
    if before is None or (sure and not before.sure):
        found[known.name] = _May(known, sure)


def _no_digit(text: str) -> bool:
    return not any(char.isdigit() for char in text)


def _begins(may: _May, line: str) -> bool:
    """Whether it does, where its heads and needles fit the line's shape."""
    if not may.sure:
        return may.known.begins(line)
    starts = may.known.starts
    return starts is None or starts(line)


def _is_rare(needle: str) -> bool:
    """Whether a needle begins with what few places of a line begin with."""
    return needle[0].isupper() or (needle[0] == " " and needle[1].isalpha())


def any_of(texts: list[str]) -> re.Pattern[str]:
    """One pattern that matches where any of the texts stands, quick where few places begin so."""
    by_first: dict[str, list[str]] = {}
    for text in texts:
        by_first.setdefault(text[0], []).append(re.escape(text[1:]))
    return re.compile("|".join(f"{re.escape(k)}(?:{'|'.join(v)})" for k, v in by_first.items()))


def _kinds(lines: list[str]) -> list[_Kind]:
    """The kind of every line, the same one for lines of one shape; lines hold no line ends."""
    by_shape: defaultdict[bytes, _Kind] = defaultdict(_Kind)
    found: list[_Kind] = []
    for start in range(0, len(lines), AT_ONCE):
        some = "\n".join(lines[start : start + AT_ONCE]).encode("utf-8", "surrogatepass")
        shapes = some.translate(_DIGITS).replace(b"0000", b"0")
        while b"00" in shapes:
            shapes = shapes.replace(b"00", b"0")
        found += map(by_shape.__getitem__, _ID.sub(b"0", shapes).split(b"\n"))
    return found
