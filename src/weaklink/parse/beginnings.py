"""Which tools a line may begin the output of, found once for all lines of the same shape.

A log of a million lines has a few hundred shapes: its lines with every digit taken for 0. What a
line holds of the heads and needles of all tools depends on its shape alone, save for those that
contain digits, which are asked again for each line.
"""

from __future__ import annotations

from collections.abc import Iterator

from weaklink.parse.lines import command_of
from weaklink.parse.text_tool import Tool

LOOKED_AT = 2000
"""Characters of a line that are searched for what a tool begins with."""
MAX_SHAPES = 50_000
"""Shapes remembered; a text with more of them is no log, and forgetting is only slower."""
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_DIGITS_OF_TEXT = str.maketrans("123456789", "000000000")


class Beginnings:
    """Built once for the lines of a text."""

    def __init__(self, lines: list[str], tools: list[Tool]) -> None:
        self.lines = lines
        self._heads: dict[str, list[tuple[str, Tool]]] = {}
        self._needles: list[tuple[str, Tool]] = []
        self._exact: set[str] = set()
        for known in tools:
            for head in known.heads:
                even = head.translate(_DIGITS_OF_TEXT)
                self._heads.setdefault(even[0], []).append((even, known))
            for needle in known.needles:
                self._needles.append((needle.translate(_DIGITS_OF_TEXT), known))
            if any(char.isdigit() for text in (*known.heads, *known.needles) for char in text):
                self._exact.add(known.name)
        self._shapes = _shapes(lines)
        self._known: dict[bytes, tuple[Tool, ...]] = {}
        self._usual: dict[bytes, Tool] = {}
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
        possible = self._known.get(shape)
        if possible is None:
            possible = self._find(self.lines[index])
            if len(self._known) >= MAX_SHAPES:
                self._known.clear()
                self._usual.clear()
            self._known[shape] = possible
        if not possible:
            return
        line = self.lines[index][:LOOKED_AT]
        usual = self._usual.get(shape)
        if usual is not None and self._begins(usual, line):
            yield usual
        for known in possible:
            if known is not usual and self._begins(known, line):
                yield known

    def was(self, index: int, known: Tool) -> None:
        """Remember which log a line of this shape was part of, to ask that tool first."""
        self._usual[self._shapes[index]] = known

    def _begins(self, known: Tool, line: str) -> bool:
        """Whether it does, where its heads and needles fit the line's shape."""
        if known.name in self._exact:
            return known.begins(line)
        return known.starts is None or known.starts(line)

    def _find(self, line: str) -> tuple[Tool, ...]:
        even = line[:LOOKED_AT].translate(_DIGITS_OF_TEXT)
        bare = even.lstrip()
        if not bare:
            return ()
        found = {
            known.name: known
            for head, known in self._heads.get(bare[0], ())
            if bare.startswith(head)
        }
        for needle, known in self._needles:
            if needle in even:
                found.setdefault(known.name, known)
        return tuple(sorted(found.values(), key=lambda known: known.scattered))


def _shapes(lines: list[str]) -> list[bytes]:
    """Every line as bytes with its digits taken for 0; lines hold no line ends."""
    whole = "\n".join(lines).encode("utf-8", "surrogatepass")
    return whole.translate(_DIGITS).split(b"\n")
