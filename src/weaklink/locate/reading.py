"""Judges what was recognised in texts: parts to a Case, and the same looks as live over it."""

from __future__ import annotations

from typing import Any

from weaklink.locate.look import looks
from weaklink.locate.view import View
from weaklink.model.case import Case, grow
from weaklink.model.fact import Host
from weaklink.model.finding import VERDICTS, Finding, Verdict, worst
from weaklink.model.message import Message, say
from weaklink.model.series import to_series
from weaklink.model.text_reading import TextPart, TextReading
from weaklink.words import texts

texts(
    {
        "read.nothing": "no known tool's output in this text: nothing can be said",
        "read.not-judged": "{tool}: read, but it holds nothing to judge by",
        "read.failed": "{source}: {why}",
        "read.look-failed": "the look {name} failed on this text",
    }
)
TEXT_HOST = "text"
"""The host part of target keys that a reader makes: whose machine it is the text does not say."""


def judge_text(readings: list[TextReading]) -> Case:
    """A Case with all facts of the texts, and the findings of every look over them.

    A text in which nothing can be judged gives a finding `unknown`, never silence: what could
    not be seen must not count as healthy.
    """
    case = case_of([part for reading in readings for part in reading.parts])
    findings = find(case)
    if not findings:
        findings = _why_nothing(readings)
    for reading in readings:
        if reading.failed:
            message = say("read.failed", source=reading.source or "-", why=reading.failed)
            findings.append(_unknown(message, reading.source))
    return grow(case, findings=ordered(findings))


def case_of(parts: list[TextPart]) -> Case:
    """One Case that holds the facts of all parts; times are those that the texts state."""
    gathered: dict[str, list[Any]] = {}
    host = Host(name=TEXT_HOST, boot=0.0, cpus=0, memory_bytes=0)
    for part in parts:
        take = part.take
        host = take.host or host
        for name in take.__struct_fields__:
            value = getattr(take, name)
            if isinstance(value, list) and value:
                gathered.setdefault(name, []).extend(value)
    series = to_series(gathered.pop("readings", []))
    empty = Case(
        schema="weaklink/case/1", id="text", created=0.0, version="", host=host, window=(0.0, 0.0)
    )
    return grow(empty, series=series, **gathered)


def find(case: Case) -> list[Finding]:
    """The findings of every look over a Case, once each; a look that fails is said."""
    view = View(case)
    found: dict[str, Finding] = {}
    for look in looks():
        try:
            judged = list(look.run(view))
        except Exception:
            failed = _unknown(say("read.look-failed", name=look.name), look.subject)
            found[look.name] = failed
            continue
        for one in judged:
            if isinstance(one, Finding):
                key = f"{one.verdict} {one.target} {one.message.key} {one.message.args} {one.line}"
                found.setdefault(key, one)
    return list(found.values())


def ordered(findings: list[Finding]) -> list[Finding]:
    """Worst first; else in the order in which they were found."""
    return sorted(findings, key=lambda finding: -VERDICTS.index(finding.verdict))


def verdict_of(case: Case) -> Verdict:
    """The worst verdict of a Case's findings; unknown where there are none."""
    return worst(case.findings) if case.findings else "unknown"


def _why_nothing(readings: list[TextReading]) -> list[Finding]:
    tools = sorted({part.tool for reading in readings for part in reading.parts})
    if tools:
        return [_unknown(say("read.not-judged", tool=tool), tool) for tool in tools]
    if any(reading.failed for reading in readings):
        return []
    return [_unknown(say("read.nothing"), "")]


def _unknown(message: Message, subject: str) -> Finding:
    return Finding(verdict="unknown", target="", message=message, subject=subject, sure=1.0)
