"""Which tools a line may begin the output of, found once for all lines of the same shape.

A log of a million lines has a few hundred shapes: its lines with every digit taken for 0. What a
line holds of the heads and needles of all tools depends on its shape alone, save for those that
contain digits, which are asked again for each line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from weaklink.parse.lines import command_of
from weaklink.parse.text_tool import Tool

LOOKED_AT = 2000
"""Characters of a line that are searched for what a tool begins with."""
MAX_SHAPES = 50_000
"""Shapes remembered; a text with more of them is no log, and forgetting is only slower."""
ENOUGH = 64
"""After so many lines of one shape that began nothing, the next one does not either."""
_ALL = set("0123456789")
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_ID = re.compile(rb"\b(?=[a-f-]{0,40}0)[0a-f-]{12,}\b")
"""An id in a shape: two lines that differ in them alone begin the same tools."""
_DIGITS_OF_TEXT = str.maketrans("123456789", "000000000")


class _May(NamedTuple):
    """A tool that lines of one shape may begin; `sure` where no digit of theirs matters."""

    known: Tool
    sure: bool


class _Kind:
    """What is known of lines of one shape, ids aside."""

    __slots__ = ("may", "refused", "usual")

    def __init__(self, may: tuple[_May, ...]) -> None:
        self.may = may
        self.usual: _May | None = None
        self.refused = 0


class Beginnings:
    """Built once for the lines of a text."""

    def __init__(self, lines: list[str], tools: list[Tool]) -> None:
        self.lines = lines
        self._heads: dict[str, list[tuple[str, str, Tool]]] = {}
        self._needles: list[tuple[str, str, Tool]] = []
        rare: list[str] = []
        for known in tools:
            for head in known.heads:
                even = head.translate(_DIGITS_OF_TEXT)
                self._heads.setdefault(even[:2], []).append((even, head, known))
            for needle in known.needles:
                even = needle.translate(_DIGITS_OF_TEXT)
                self._needles.append((even, needle, known))
                if _is_rare(even):
                    rare.append(even)
        self._often = [row for row in self._needles if not _is_rare(row[0])]
        self._rare = any_of(rare)
        self._shapes = _shapes(lines)
        self._known: dict[bytes, _Kind] = {}
        self._known_coarse: dict[bytes, _Kind] = {}
        self._no_prompt: set[bytes] = set()

    def command(self, index: int) -> str | None:
        """The command after a prompt on this line; None where there is no prompt."""
        shape = self._shapes[index]
        if shape in self._no_prompt:
            return None
        typed = command_of(self.lines[index])
        if typed is None and len(self._no_prompt) < MAX_SHAPES:
            self._no_prompt.add(shape)
        return typed

    def of(self, index: int) -> Iterator[Tool]:
        """Tools of which this line may be the beginning, blocks before logs, one by one."""
        shape = self._shapes[index]
        kind = self._known.get(shape)
        if kind is None:
            kind = self._of_new_shape(shape, self.lines[index])
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

    def _of_new_shape(self, shape: bytes, line: str) -> _Kind:
        """What lines of a shape may begin, asked of those first that differ in ids alone."""
        if len(self._known) >= MAX_SHAPES:
            self._known.clear()
        coarse = _ID.sub(b"0", shape[:LOOKED_AT])
        kind = self._known_coarse.get(coarse)
        if kind is None:
            if len(self._known_coarse) >= MAX_SHAPES:
                self._known_coarse.clear()
            kind = self._known_coarse[coarse] = _Kind(self._find(line))
        self._known[shape] = kind
        return kind

    def was(self, index: int, known: Tool) -> None:
        """Remember which log a line of this shape was part of, to ask that tool first."""
        kind = self._known.get(self._shapes[index])
        if kind is not None and (kind.usual is None or kind.usual.known is not known):
            kind.usual = next((may for may in kind.may if may.known is known), None)

    def _find(self, line: str) -> tuple[_May, ...]:
        even = line[:LOOKED_AT].translate(_DIGITS_OF_TEXT)
        bare = even.lstrip()
        if not bare:
            return ()
        found: dict[str, _May] = {}
        for head, written, known in (
            *self._heads.get(bare[:2], ()),
            *self._heads.get(bare[0], ()),
        ):
            if bare.startswith(head):
                _note(found, known, sure=_no_digit(written) or {*known.heads} >= _ALL)
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


def _shapes(lines: list[str]) -> list[bytes]:
    """Every line as bytes with its digits taken for 0; lines hold no line ends."""
    whole = "\n".join(lines).encode("utf-8", "surrogatepass")
    return whole.translate(_DIGITS).split(b"\n")
