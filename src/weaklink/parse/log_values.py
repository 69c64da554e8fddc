"""The values in an access log's line: times, durations, and lists over several tries."""

from __future__ import annotations

from calendar import timegm
from datetime import UTC, datetime
from functools import lru_cache

MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), 1
    )
}
MAX_SECONDS = 10 * 366 * 86400.0
"""A longer duration is no duration but a misread column."""


@lru_cache(maxsize=4096)
def local_time(text: str) -> float | None:
    """Epoch seconds of `01/Dec/2026:04:42:43 +0000`, None where it is none."""
    try:
        fields = (
            int(text[7:11]),
            MONTHS[text[3:6]],
            int(text[0:2]),
            int(text[12:14]),
            int(text[15:17]),
            int(text[18:20]),
        )
        away = int(text[22:24]) * 3600 + int(text[24:26]) * 60
        if not 1970 <= fields[0] <= 9998:
            return None
        return float(timegm(fields) - (away if text[21] == "+" else -away))
    except (ValueError, KeyError, IndexError):
        return None


def iso_time(text: str) -> float | None:
    """Epoch seconds of an ISO 8601 time; one without a zone is taken as UTC."""
    try:
        moment = datetime.fromisoformat(text[:40])
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None


def epoch_time(text: str) -> float | None:
    """Epoch seconds of a number that is seconds, milliseconds, micro- or nanoseconds."""
    value = number(text)
    if value is None or value <= 0:
        return None
    for scale in (1.0, 1e3, 1e6, 1e9):
        if 1e8 <= value / scale < 1e10:
            return value / scale
    return None


def number(text: str | None) -> float | None:
    """A non-negative number, None for `-`, nothing and nonsense."""
    if not text or text == "-":
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e300 else None


def seconds(text: str | None) -> float | None:
    """A duration in seconds, None where it was not written."""
    value = number(text)
    return value if value is not None and value <= MAX_SECONDS else None


def tries(text: str) -> list[str]:
    """The entries of a list over tries: `a, b` within a group, `a : b` from group to group."""
    if "," not in text and " : " not in text:
        return [text]
    return [entry.strip() for part in text.split(" : ") for entry in part.split(",")]


def total_seconds(text: str | None) -> float | None:
    """The sum over all tries that have a time; None where none has."""
    if not text:
        return None
    if "," not in text and ":" not in text:
        return seconds(text)
    known = [
        value
        for entry in text.replace(":", ",").split(",")
        if (value := seconds(entry.strip())) is not None
    ]
    return sum(known) if known else None


def whole(text: str | None, default: int = 0) -> int:
    """A whole number, `default` where it is none."""
    if not text:
        return default
    try:
        value = int(text)
    except ValueError:
        value = int(number(text) or default)
    return value if 0 <= value < 1 << 62 else default
