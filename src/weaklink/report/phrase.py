"""Puts a Message into words: the only place where keys and arguments become a sentence.

Beside Python's own format specs a text may use these, so that all figures look alike:
`{wait:seconds}` 0.21 s · `{share:percent}` 8.1 % · `{size:bytes}` 2.5 GiB · `{at:clock}`
15:04:10 on the host · `{at:minute}` 15:34 · a number without a spec: `12 480`, `10.3`.
A part in square brackets is said only where every argument that it wants is known.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import NamedTuple

from weaklink.model.message import Argument, Message
from weaklink.report import human
from weaklink.report.safe import visible
from weaklink.words import OPTIONAL, UnknownTextError, placeholders, text_of

NAMES = frozenset({"pid", "tid", "uid", "gid", "port", "line", "status", "inode", "year", "xid"})
"""Last words of arguments whose numbers are names: nobody says pid 27 481."""


class Voice(NamedTuple):
    """How to speak: language, the host's offset from UTC in seconds, and when `now` is."""

    language: str = "en"
    utc_offset: int = 0
    now: float | None = None

    def clock(self, at: float) -> str:
        """Time of day on the host."""
        return human.clock(at, utc_offset=self.utc_offset, now=self.now)


def phrase(message: Message, voice: Voice) -> str:
    """The Message in words, foreign text made harmless; never raises.

    A missing argument shows as `?`; a key that this version lacks shows as the key itself.
    """
    shown = {name: _Shown(_as_named(name, value), voice) for name, value in message.args.items()}
    try:
        text = settled(text_of(message.key, voice.language), message.args)
        return string.Formatter().vformat(text, (), _Lenient(shown))
    except (UnknownTextError, ValueError, LookupError, AttributeError, TypeError):
        given = ", ".join(f"{name} {value}" for name, value in sorted(shown.items()))
        return visible(message.key) + (f" ({given})" if given else "")


def _as_named(name: str, value: Argument) -> Argument:
    """A whole number that is a name (a pid, a port) as text: `27481`, not `27 481`."""
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return f"{value:.0f}" if whole and name.rpartition("_")[2] in NAMES else value


def settled(text: str, known: Mapping[str, Argument]) -> str:
    """The text with each `[part]` kept where all that it wants is known, else left out."""
    return OPTIONAL.sub(lambda part: part[1] if placeholders(part[1]) <= known.keys() else "", text)


class _Shown:
    """One argument; formats itself as the text asks, or as it is where that cannot be."""

    def __init__(self, value: Argument, voice: Voice) -> None:
        self.value = value
        self.voice = voice

    def __str__(self) -> str:
        if isinstance(self.value, str):
            return visible(self.value)
        return human.number(self.value)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        if isinstance(self.value, str):
            try:
                return format(visible(self.value), spec)
            except ValueError:
                return visible(self.value)
        return _figure(self.value, spec, self.voice)


def _figure(value: float, spec: str, voice: Voice) -> str:
    match spec:
        case "seconds":
            return human.seconds(value)
        case "percent":
            return human.percent(value)
        case "bytes":
            return human.size(value)
        case "clock":
            return voice.clock(value)
        case "minute":
            return human.clock_minutes(value, utc_offset=voice.utc_offset)
    try:
        return format(value, spec)
    except ValueError:
        return human.number(value)


class _Lenient(dict[str, _Shown]):
    def __missing__(self, key: str) -> _Shown:
        return _Shown("?", Voice())
