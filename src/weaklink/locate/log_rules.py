"""A table that says what a statement of a program's log means; one function judges by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from weaklink.locate.verdicts import Said, figure
from weaklink.model.fact_text_log import Saying
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import Argument


class Rule(NamedTuple):
    """What one statement means. Its text has the key `<prefix><code>`."""

    verdict: Verdict
    cause: str = ""
    sure: float = 0.8
    next: str = ""
    often: int = 0
    """From so many times on it is critical; 0: the count does not matter."""


def arguments_of(saying: Saying) -> dict[str, Argument]:
    """Figures and words of a statement as a text's arguments, with `count`, `times`, `about`."""
    found: dict[str, Argument] = dict(saying.words)
    found |= {name: figure(value, 2) for name, value in saying.values.items()}
    found["count"] = saying.count
    if saying.count > 1:
        found["times"] = saying.count
    if saying.about:
        found["about"] = saying.about
    return found


def judge(
    said: Said, rows: list[Saying], rules: Mapping[str, Rule], prefix: str
) -> Iterator[Finding]:
    """One finding a statement that the table knows; the same code about several is told once each.

    A text says how often by `{count}`, or in an optional `[… {times} …]` only where more than once.
    """
    for row in rows:
        rule = rules.get(row.code)
        if rule is None:
            continue
        verdict = rule.verdict
        if rule.often and row.count >= rule.often:
            verdict = "critical"
        yield said.finding(
            verdict,
            f"{prefix}{row.code}",
            row.about or row.tool,
            row.line,
            row.last_line,
            cause=rule.cause,
            sure=rule.sure,
            next=rule.next,
            more=arguments_of(row),
        )
