"""What `weaklink read` found, as text for a person and as JSON for a program; judges nothing."""

from __future__ import annotations

from typing import Any

from weaklink.model.base import Whole
from weaklink.model.case import Case
from weaklink.model.finding import Finding, Verdict
from weaklink.model.text_reading import TextReading
from weaklink.report.jsonout import pretty
from weaklink.report.safe import visible
from weaklink.words import render, texts

texts(
    {
        "read.label.healthy": "HEALTHY",
        "read.label.unknown": "UNKNOWN",
        "read.label.warn": "WARN",
        "read.label.critical": "CRITICAL",
        "read.label.next": "NEXT",
        "read.label.read": "READ",
        "read.label.unread": "UNREAD",
        "read.lines": "lines {first}-{last}",
        "read.line": "line {first}",
        "read.unread": "{count} lines that no known tool printed",
        "read.cut": "{source}: only its beginning and its end were read",
        "read.sure": "sure",
        "read.rather-sure": "rather sure",
        "read.guess": "a guess",
    }
)
SCHEMA = "weaklink/read/1"
MAX_QUOTE = 300
"""Characters of a quoted line in the text form; the JSON holds up to 2 000."""
SHOWN = 12
"""Recognised parts and unread ranges of which the text form names so many."""


class ReadPart(Whole, frozen=True):
    """One recognised part; `lines` are the first and the last, from 1."""

    tool: str
    lines: tuple[int, int]
    file: str


class ReadFinding(Whole, frozen=True):
    """One finding in words. A healthy one with a `cause` rules that cause out."""

    verdict: Verdict
    target: str
    subject: str
    text: str
    line: str
    cause: str
    sure: float
    next: str


class RuledOut(Whole, frozen=True):
    """A cause of the catalogue that the text speaks against, and the line that does."""

    cause: str
    target: str
    text: str
    line: str


class Read1(Whole, frozen=True):
    """The JSON of `weaklink read --json`."""

    schema: str
    verdict: Verdict
    recognised: list[ReadPart]
    findings: list[ReadFinding]
    ruled_out: list[RuledOut]
    unrecognised: list[tuple[int, int]]


def project(case: Case, readings: list[TextReading], verdict: Verdict, lang: str = "en") -> Read1:
    """The reading as its JSON form."""
    findings = [_finding(one, lang) for one in case.findings]
    return Read1(
        schema=SCHEMA,
        verdict=verdict,
        recognised=[
            ReadPart(tool=part.tool, lines=(part.first, part.last), file=part.source)
            for reading in readings
            for part in reading.parts
        ],
        findings=findings,
        ruled_out=[
            RuledOut(cause=one.cause, target=one.target, text=one.text, line=one.line)
            for one in findings
            if one.verdict == "healthy" and one.cause
        ],
        unrecognised=[span for reading in readings for span in reading.unrecognised],
    )


def json_reading(reading: Read1) -> str:
    """The JSON form, indented."""
    return pretty(reading)


def text_reading(
    reading: Read1, readings: list[TextReading], lang: str = "en", width: int = 80
) -> str:
    """The text form, worst finding first, at most `width` columns save for quoted lines."""
    out: list[str] = []
    for one in reading.findings:
        out += _row(_word(f"read.label.{one.verdict}", lang), _with_sureness(one, lang), width)
        out += [f"{'':10}> {visible(line)[:MAX_QUOTE]}" for line in one.line.split("\n") if line]
        if one.next:
            out += _row("", f"{_word('read.label.next', lang)}: {visible(one.next)}", width)
    out += _what_was_read(readings, lang, width)
    return "\n".join(out) + "\n"


def _finding(one: Finding, lang: str) -> ReadFinding:
    return ReadFinding(
        verdict=one.verdict,
        target=one.target,
        subject=one.subject,
        text=render(one.message, lang),
        line=one.line[:2000],
        cause=one.cause,
        sure=one.sure,
        next=one.next,
    )


def _with_sureness(one: ReadFinding, lang: str) -> str:
    text = visible(one.text)
    if one.verdict == "unknown" or one.sure >= 0.85:
        return text
    word = "read.rather-sure" if one.sure >= 0.6 else "read.guess"
    return f"{text} ({_word(word, lang)})"


def _what_was_read(readings: list[TextReading], lang: str, width: int) -> list[str]:
    read: list[str] = []
    unread = 0
    cut: list[str] = []
    for reading in readings:
        # One text alone needs no name before each of its parts.
        where = f"{visible(reading.source)}: " if len(readings) > 1 else ""
        for part in reading.parts:
            key = "read.line" if part.first == part.last else "read.lines"
            span = _word(key, lang, first=part.first, last=part.last)
            read.append(f"{where}{part.tool} {span}")
        unread += sum(last - first + 1 for first, last in reading.unrecognised)
        if reading.cut:
            cut.append(_word("read.cut", lang, source=reading.source or "-"))
    more = len(read) - SHOWN
    shown = read[:SHOWN] + ([f"+ {more}"] if more > 0 else [])
    out = _row(_word("read.label.read", lang), "; ".join(shown), width) if shown else []
    if unread or cut:
        left = [_word("read.unread", lang, count=unread)] if unread else []
        out += _row(_word("read.label.unread", lang), "; ".join(left + cut), width)
    return out


def _word(key: str, lang: str, **args: Any) -> str:
    from weaklink.model.message import say

    return render(say(key, **args), lang)


def _row(label: str, text: str, width: int) -> list[str]:
    from textwrap import wrap

    rows = wrap(text, max(20, width - 10), break_long_words=False, break_on_hyphens=False)
    return [f"{label if at == 0 else '':10}{row}" for at, row in enumerate(rows or [""])]
