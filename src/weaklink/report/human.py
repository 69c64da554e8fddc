"""Figures as a person says them: three digits at most, a unit that fits, time of the host.

The space inside a figure is a no-break one, so that wrapping keeps `12 480` and `10.3 s` whole;
`safe.plain` turns it into an ordinary space at the very end.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

NBSP = "\u00a0"
_FAR = 18 * 3600
"""From here on a bare time of day could be yesterday's: the date is said too. Seconds."""
_SIZES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_MAX_EPOCH = 32_503_680_000.0  # year 3000: beyond it no clock of ours


def number(value: float) -> str:
    """A bare figure: `12 480`, `10.3`, `0.21`, `0`."""
    if not math.isfinite(value):
        return "?"
    size = abs(value)
    if size >= 100 or value == int(value):
        return f"{value:,.0f}".replace(",", NBSP)
    if size >= 1:
        return _trimmed(f"{value:.1f}")
    if size < 1e-9:
        return "0"
    digits = 1 - math.floor(math.log10(size))
    return _trimmed(f"{value:.{digits}f}")


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _second_unit(value: float) -> tuple[float, str]:
    size = abs(value)
    if size == 0:
        return 1.0, "s"
    if size < 1e-3:
        return 1e-6, "µs"
    if size < 0.1:
        return 1e-3, "ms"
    if size < 300:
        return 1.0, "s"
    if size < 5400:
        return 60.0, "min"
    if size < 48 * 3600:
        return 3600.0, "h"
    return 86400.0, "d"


def seconds(value: float) -> str:
    """A duration: `0.4 ms`, `0.21 s`, `10.3 s`, `34 min`, `6 h`."""
    if not math.isfinite(value):
        return "?"
    scale, unit = _second_unit(value)
    return f"{number(value / scale)}{NBSP}{unit}"


def seconds_pair(before: float, now: float) -> str:
    """Two durations in one unit: `0.21 -> 10.3 s`."""
    scale, unit = _second_unit(max(abs(before), abs(now)))
    return f"{number(before / scale)}{NBSP}->{NBSP}{number(now / scale)}{NBSP}{unit}"


def percent(ratio: float) -> str:
    """A ratio as per cent: `8.1 %`."""
    return f"{number(round(ratio * 100, 2))}{NBSP}%"


def percent_pair(before: float, now: float) -> str:
    """Two ratios: `0.1 -> 8.1 %`."""
    return f"{number(round(before * 100, 2))}{NBSP}->{NBSP}{percent(now)}"


def size(value: float) -> str:
    """Bytes: `2.5 GiB`."""
    if not math.isfinite(value):
        return "?"
    step = 0
    while abs(value) >= 1024 and step < len(_SIZES) - 1:
        value /= 1024
        step += 1
    return f"{number(value)}{NBSP}{_SIZES[step]}"


def clock(at: float, *, utc_offset: int = 0, now: float | None = None) -> str:
    """Time of day on the host, `15:04:10`; with its date where it is far from `now`."""
    moment = _moment(at, utc_offset)
    if moment is None:
        return "?"
    if now is not None and abs(at - now) > _FAR:
        return f"{moment:%Y-%m-%d}{NBSP}{moment:%H:%M}"
    return f"{moment:%H:%M:%S}"


def clock_minutes(at: float, *, utc_offset: int = 0) -> str:
    """Time of day without seconds, `15:34`."""
    moment = _moment(at, utc_offset)
    return "?" if moment is None else f"{moment:%H:%M}"


def day_and_clock(at: float, *, utc_offset: int = 0) -> str:
    """Date and time of day, `2026-03-01 15:04`."""
    moment = _moment(at, utc_offset)
    return "?" if moment is None else f"{moment:%Y-%m-%d}{NBSP}{moment:%H:%M}"


def _moment(at: float, utc_offset: int) -> datetime | None:
    if not math.isfinite(at) or not 0 <= at < _MAX_EPOCH:
        return None
    zone = timezone(timedelta(seconds=utc_offset)) if abs(utc_offset) < 86400 else UTC
    return datetime.fromtimestamp(at, tz=zone)


def offset_name(utc_offset: int) -> str:
    """`UTC`, `UTC+8`, `UTC-3:30`."""
    if not utc_offset:
        return "UTC"
    sign = "+" if utc_offset > 0 else "-"
    hours, rest = divmod(abs(utc_offset) // 60, 60)
    return f"UTC{sign}{hours}" + (f":{rest:02d}" if rest else "")


def rfc3339(at: float) -> str | None:
    """Epoch seconds as `2026-03-01T07:04:10.250Z`; None for what is no moment of ours."""
    moment = _moment(at, 0)
    return (
        None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
    )
