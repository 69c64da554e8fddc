"""The pieces of a screen: a label and what stands beside it; laid out by text and by markdown."""

from __future__ import annotations

from typing import Literal, NamedTuple

Tone = Literal["", "bad", "good", "strong", "dim"]


class Item(NamedTuple):
    """One statement. `right` stands after it, apart, where there is room.

    `command` True: to be typed as it is, so it is never wrapped by words.
    """

    text: str
    right: str = ""
    tone: Tone = ""
    command: bool = False
    indent: int = 0


class Block(NamedTuple):
    """A label (a key `label.…`) with its statements; `numbered` counts those without indent."""

    label: str
    items: list[Item]
    numbered: bool = False
