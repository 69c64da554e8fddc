"""What we say, before it is put into words: a key of the catalogue of texts and its arguments."""

from __future__ import annotations

from weaklink.model.base import Record

Argument = str | int | float


class Message(Record, frozen=True):
    """A key into the catalogue of texts (package `words`) and what fills it in."""

    key: str
    args: dict[str, Argument] = {}


def say(key: str, **args: Argument) -> Message:
    """Build a Message; only `report` turns it into words."""
    return Message(key=key, args=args)
