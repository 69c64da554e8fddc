"""Reads a text as `weaklink read` does, in one call: for tests of tools and looks."""

from __future__ import annotations

from weaklink.locate.reading import judge_text, verdict_of
from weaklink.parse.recognize import read_text
from weaklink.report.reading import Read1, project


def read_pasted(text: str | bytes) -> Read1:
    """The whole reading of one text, as the JSON form holds it."""
    reading = read_text(text)
    case = judge_text([reading])
    return project(case, [reading], verdict_of(case))


def said(text: str | bytes) -> str:
    """The findings' texts and deciding lines, one below the other, worst first."""
    return "\n".join(f"{one.verdict}: {one.text}\n{one.line}" for one in read_pasted(text).findings)
