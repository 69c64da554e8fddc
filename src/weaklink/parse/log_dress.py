"""Takes a log line out of what it is dressed in: docker's JSON, CRI's prefix, a JSON logger.

What is left is what the program wrote, when (where the dress tells), and whether it calls it an
error. Everything is bounded and believed by nobody.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from weaklink.parse.json_log import flat
from weaklink.parse.log_clock import LogClock, of_record, zoned

MAX_TEXT = 4000
"""Characters of one line that are looked at."""
_CRI = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(?:Z|[+-]\d\d:\d\d)) std(?:out|err) [FP] "
)
_ERROR = re.compile(
    r"(?:^|[\s\[|(])(?:ERROR|CRITICAL|FATAL|SEVERE|PANIC|error|fatal|panic)(?=[\]\s:|)/]|$)"
    r"|^[EF]\d{4} \d\d:\d\d|level=(?:error|fatal|panic)"
)
_CALM = re.compile(r"(?<![\w/])(?:INFO|DEBUG|TRACE|info|debug)(?![\w/])|^I\d{4} \d\d:\d\d")
_LEVELS = ("level", "severity", "levelname", "lvl", "log.level", "loglevel")
_MESSAGES = ("msg", "message", "event", "log", "text", "body")
_DETAILS = (
    "exc_info", "exception", "traceback", "stack", "stack_trace", "err.stack", "err.message",
    "error.stack", "error.message", "error.stack_trace", "err", "error", "exc_text", "reason",
)  # fmt: skip
BAD_LEVELS = ("error", "critical", "fatal", "panic", "severe", "emerg", "alert")
CALM_LEVELS = ("info", "debug", "trace", "verbose", "notice", "informational")
PINO_ERROR, PINO_WARN = 50, 40
"""Levels of pino and bunyan: 30 is info, 40 warning, 50 error, 60 fatal."""


class Undressed(NamedTuple):
    """One line. `text` may hold several (a traceback inside a JSON value)."""

    text: str
    at: float | None
    error: bool
    calm: bool
    """The program itself calls it information: a prompt that it quotes is not its own word."""
    record: dict[str, object] | None


def undress(line: str, clock: LogClock) -> Undressed:
    """What the program wrote; `at` is None where nothing tells when."""
    outer: float | None = None
    if line.startswith('{"log":'):
        inner = _docker(line)
        if inner is not None:
            line, outer = inner
    elif line[:4].isdigit() and (found := _CRI.match(line[:64])):
        line, outer = line[found.end() :], zoned(found[1])
    if line.startswith("{") and line.rstrip().endswith("}"):
        record = flat(line[: 8 * MAX_TEXT])
        if record is not None:
            at = outer if outer is not None else of_record(record, clock)
            return Undressed(_said(record), at, _is_bad(record), _is_calm(record), record)
    text = line[:MAX_TEXT]
    at = outer if outer is not None else clock.at(text)
    error = _ERROR.search(text[:120]) is not None
    return Undressed(text, at, error, not error and _CALM.search(text[:80]) is not None, None)


def form_of(lines: list[str]) -> str:
    """How most of these lines are dressed: `docker`, `cri`, `json` or `text`."""
    count = {"docker": 0, "cri": 0, "json": 0}
    for line in lines:
        if line.startswith('{"log":'):
            count["docker"] += 1
        elif _CRI.match(line[:64]):
            count["cri"] += 1
        elif line.startswith("{"):
            count["json"] += 1
    best = max(count, key=lambda name: count[name])
    return best if lines and count[best] * 2 >= len(lines) else "text"


def _docker(line: str) -> tuple[str, float | None] | None:
    try:
        record = msgspec.json.decode(line[: 16 * MAX_TEXT].encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    text = record.get("log") if isinstance(record, dict) else None
    if not isinstance(text, str):
        return None
    stamp = record.get("time")
    return text.rstrip("\n"), zoned(stamp) if isinstance(stamp, str) else None


def _said(record: dict[str, object]) -> str:
    parts = [value for name in _MESSAGES if isinstance(value := record.get(name), str)][:1]
    parts += [value for name in _DETAILS if isinstance(value := record.get(name), str)]
    return "\n".join(part for part in parts if part)[:MAX_TEXT]


def _is_bad(record: dict[str, object]) -> bool:
    level = _level(record)
    return level >= PINO_ERROR if isinstance(level, float) else level in BAD_LEVELS


def _is_calm(record: dict[str, object]) -> bool:
    level = _level(record)
    return 0 < level < PINO_WARN if isinstance(level, float) else level in CALM_LEVELS


def _level(record: dict[str, object]) -> float | str:
    """The level as a number (pino, bunyan) or a word in lower case; '' where there is none."""
    for name in _LEVELS:
        level = record.get(name)
        if isinstance(level, bool) or level is None:
            continue
        if isinstance(level, int | float):
            return float(level)
        if isinstance(level, str):
            return level.lower()
    return ""
