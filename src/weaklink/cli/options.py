"""Values of options as a person types them: `10s`, `15:04`, `10m` ago, a URL, a folder."""

from __future__ import annotations

import argparse
import math
import re
import time
from datetime import datetime, timedelta
from pathlib import Path

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s?(s|min|m|h|d|)")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
SHORTEST, LONGEST = 1.0, 120.0
"""Of the window of a diagnosis, seconds: below 1 no counter moves, above 120 nobody waits."""
MAX_URL = 2000


def duration(text: str) -> float:
    """`10s`, `3m`, `1.5h`, `10` (seconds) as seconds; raises ArgumentTypeError."""
    found = _DURATION.fullmatch(text.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration (10s, 3m, 1h)")
    return float(found[1]) * _UNITS[found[2]]


def window(text: str) -> float:
    """How long to look, seconds."""
    seconds = duration(text)
    if not SHORTEST <= seconds <= LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r}: from {SHORTEST:.0f}s to {LONGEST:.0f}s")
    return seconds


_SIZE = re.compile(r"(\d{1,6})\s?([kMG]?)(?:i?B)?")


def size(text: str) -> int:
    """`256M`, `1G` as bytes; raises ArgumentTypeError."""
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no size (256M, 1G)")
    return int(found[1]) << {"": 0, "k": 10, "M": 20, "G": 30}[found[2]]


def port(text: str) -> int:
    """A TCP port to listen at; raises ArgumentTypeError."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65_536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return int(text)


def moment(text: str, now: float | None = None) -> float:
    """`15:04`, `15:04:10`, an ISO time or `10m` (ago) as epoch seconds, UTC.

    A time of day without a date is the last such time of this machine's clock; an ISO time
    without an offset is this machine's local time. Raises ArgumentTypeError.
    """
    now = time.time() if now is None else now
    text = text.strip()
    if _DURATION.fullmatch(text) and not text.isdigit():
        return now - duration(text)
    if found := _CLOCK.fullmatch(text):
        return _last_clock(int(found[1]), int(found[2]), int(found[3] or 0), text, now)
    try:
        at = datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time (15:04, 2026-03-01T15:04:10Z, 10m for ten minutes ago)"
        ) from None
    if not math.isfinite(at) or at <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time of ours")
    return at


def _last_clock(hour: int, minute: int, second: int, text: str, now: float) -> float:
    try:
        today = datetime.fromtimestamp(now).astimezone()
        at = today.replace(hour=hour, minute=minute, second=second, microsecond=0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time of day") from None
    if at.timestamp() > now:
        at -= timedelta(days=1)
    return at.timestamp()


def entry(text: str) -> str:
    """An http or https URL that may be asked; credentials in it are refused."""
    from urllib.parse import urlsplit

    if len(text) > MAX_URL or not text.isprintable() or " " in text:
        raise argparse.ArgumentTypeError("the URL is too long or holds odd characters")
    try:
        parts = urlsplit(text)
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise argparse.ArgumentTypeError(f"{text!r}: an http:// or https:// URL is needed")
    if parts.username is not None or parts.password is not None:
        raise argparse.ArgumentTypeError("credentials in a URL end up in logs: leave them out")
    return text


def root(text: str) -> str:
    """A folder that holds a frozen host: with a `proc` in it."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text!r}: no such folder")
    if not Path(text, "proc").is_dir():
        raise argparse.ArgumentTypeError(f"{text!r}: no proc/ in it, so it is no frozen host")
    return text
