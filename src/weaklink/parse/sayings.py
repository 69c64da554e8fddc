"""Finds known statements in a program's log and sums them up: how often, first, last, figures.

A program's file lists its statements as `Phrase`s: words that stand in the line, and a pattern
whose named groups are the figures and names in it. A line is tested against the words first, so
that a long log costs little; it counts for the first phrase that fits.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from weaklink.model.fact_text_log import Saying
from weaklink.parse.figures import decimal
from weaklink.parse.quote import quoted

MAX_LINE = 4000
MAX_KINDS = 500
"""Different statements kept of one log; further ones of new `about` are counted with the first."""

_ISO = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?")
_SHORT = re.compile(r"(?<!\d)(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?")
_GLOG = re.compile(r"(?<![A-Za-z])[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{1,9})")
_NAMED = re.compile(
    r"(?<!\d)(\d{1,2})[ /](Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:[ /](\d{4}))?[: ]"
    r"(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?"
)
_SYSLOG = re.compile(
    r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WHERE = 160
"""Characters of a line in which its time is looked for."""
_UNDATED = 1972
"""Year of a stamp without one: only differences within one log are used."""


class Phrase(NamedTuple):
    """One statement. `about` names the group that tells whom it is about."""

    code: str
    needle: str
    pattern: re.Pattern[str] | None = None
    about: str = ""
    also: tuple[str, ...] = ()
    """Further words of which one must stand in the line."""


class Stamp(NamedTuple):
    """A time in a line: as printed, and in seconds for differences."""

    text: str
    seconds: float


def stamp_of(line: str) -> Stamp | None:
    """The first time that a line shows; its zone is not looked at."""
    head = line[:_WHERE]
    if found := _ISO.search(head):
        year, *rest = (int(part) for part in found.groups()[:6])
        return _stamp(found[0], year, rest, found[7])
    for pattern in (_SHORT, _GLOG):
        if found := pattern.search(head):
            return _stamp(found[0], _UNDATED, [int(part) for part in found.groups()[:5]], found[6])
    if found := _NAMED.search(head):
        rest = [_MONTHS.index(found[2]) + 1, int(found[1]), *map(int, found.group(4, 5, 6))]
        return _stamp(found[0], int(found[3] or _UNDATED), rest, found[7])
    if found := _SYSLOG.search(head):
        rest = [_MONTHS.index(found[1]) + 1, int(found[2]), *map(int, found.group(3, 4, 5))]
        return _stamp(found[0], _UNDATED, rest, None)
    return None


def _stamp(text: str, year: int, rest: list[int], fraction: str | None) -> Stamp | None:
    month, day, hour, minute, second = rest
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 61):
        return None
    if not 1970 <= year <= 2200:
        return None
    seconds = timegm((year, month, day, hour, minute, second))
    return Stamp(text, seconds + float(f"0.{fraction}" if fraction else 0))


class _Kind:
    def __init__(self, phrase: Phrase, about: str, line: str) -> None:
        self.phrase = phrase
        self.about = about
        self.count = 0
        self.first = line
        self.last = line
        self.values: dict[str, float] = {}
        self.words: dict[str, str] = {}

    def add(self, line: str, values: dict[str, float], words: dict[str, str]) -> None:
        self.count += 1
        self.last = line
        lead = next(iter(values), "")
        if not self.values or (lead and values[lead] >= self.values.get(lead, 0.0)):
            self.values = values
        if not self.words:
            self.words = words

    def saying(self, tool: str) -> Saying:
        first, last = stamp_of(self.first), stamp_of(self.last)
        return Saying(
            tool=tool,
            code=self.phrase.code,
            about=quoted(self.about)[:200],
            count=self.count,
            line=quoted(self.first),
            last_line=quoted(self.last) if self.count > 1 else "",
            at=first.text if first else "",
            last_at=last.text if last else "",
            seconds=first.seconds if first else None,
            last_seconds=last.seconds if last else None,
            values=self.values,
            words={name: quoted(word)[:300] for name, word in self.words.items()},
        )


def sayings(tool: str, lines: Iterable[str], phrases: Sequence[Phrase]) -> list[Saying]:
    """What was said, by statement and by whom it is about, in order of first appearance."""
    kinds: dict[tuple[str, str], _Kind] = {}
    for full in lines:
        line = full[:MAX_LINE]
        match = first_match(line, phrases)
        if match is None:
            continue
        phrase, values, words = match
        about = words.get(phrase.about, "") or _shown(values.get(phrase.about))
        key = (phrase.code, about)
        if key not in kinds and len(kinds) >= MAX_KINDS:
            key = next((known for known in kinds if known[0] == phrase.code), key)
            if key not in kinds:
                continue
        kind = kinds.get(key)
        if kind is None:
            kind = kinds[key] = _Kind(phrase, about, line)
        kind.add(line, values, words)
    return [kind.saying(tool) for kind in kinds.values()]


def first_match(
    line: str, phrases: Sequence[Phrase]
) -> tuple[Phrase, dict[str, float], dict[str, str]] | None:
    """The first phrase that a line says, with its figures and its words; None for none."""
    for phrase in phrases:
        if phrase.needle not in line:
            continue
        if phrase.also and not any(word in line for word in phrase.also):
            continue
        found = phrase.pattern.search(line) if phrase.pattern else None
        if phrase.pattern is None or found is not None:
            return phrase, *_figures(found)
    return None


def _figures(found: re.Match[str] | None) -> tuple[dict[str, float], dict[str, str]]:
    values: dict[str, float] = {}
    words: dict[str, str] = {}
    for name, text in (found.groupdict() if found else {}).items():
        if text is None:
            continue
        number = decimal(text)
        if number is None:
            words[name] = text.strip()
        else:
            values[name] = number
    return values, words


def _shown(value: float | None) -> str:
    return "" if value is None else str(int(value)) if value == int(value) else str(value)
