"""Reads HAProxy's HTTP log lines as requests, wherever syslog put something before them.

Format: HAProxy configuration manual, 8.2.3 (`option httplog`): the time is when the request was
accepted, in the host's local time; timers are milliseconds, -1 where that phase was never reached;
a status of -1 says that nothing was sent back. Servers are named `backend/server`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

FORMAT = "haproxy"
"""What `LogFile.format` says of such a log."""
NAMED = "haproxy:"
"""Before the name of a server, where its address is not known from the line."""
MIN_SHARE = 0.5
MAX_HEAD = 1200
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LINE = re.compile(
    r"(?:^|\s)(\S{2,80}):\d{1,5} "
    r"\[(\d\d)/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d)\.(\d{3})\] "
    r"\S{1,120} (\S{1,120})/(\S{1,120}) "
    r"(-?\d{1,9})/(-?\d{1,9})/(-?\d{1,9})/(-?\d{1,9})/\+?(-?\d{1,9}) (-?\d{1,3}) \+?(\d{1,18}) "
    r"\S{1,200} \S{1,200} ([A-Za-z-])([A-Za-z-])\S\S "
    r"\d{1,9}/\d{1,9}/\d{1,9}/\d{1,9}/\+?\d{1,6} \d{1,9}/\d{1,9} "
    r'(?:\{[^}]{0,400}\} ){0,2}"([^"]{0,16000})"?'
)
_CLIENT_LEFT = "C"
_NOBODY = "<NOSRV>"
_NO_REQUEST = "<BADREQ>"
"""Somebody connected and asked nothing: a health check, a port scan."""


def is_haproxy(sample: Sequence[str]) -> bool:
    """Whether most of these lines are requests that HAProxy logged."""
    lines = [line for line in sample if line]
    fit = sum(_LINE.search(line[:MAX_HEAD]) is not None for line in lines)
    return bool(lines) and fit >= MIN_SHARE * len(lines)


def haproxy_reader() -> Callable[[str], tuple[str | None, ...] | None]:
    """A function from a line to its values in the order of `log_format.ROLES`; None: no request."""
    seconds: dict[str, float] = {}

    def read(line: str) -> tuple[str | None, ...] | None:
        found = _LINE.search(line)
        if found is None or found[20].startswith(_NO_REQUEST):
            return None
        stamp = line[found.start(2) : found.end(7)]
        at = seconds.get(stamp)
        if at is None:
            if len(seconds) > 5000:
                seconds.clear()
            at = _local(found)
            if at is None:
                return None
            seconds[stamp] = at
        return _row(found, at)

    return read


def _local(found: re.Match[str]) -> float | None:
    try:
        month = _MONTHS.index(found[3]) + 1
        fields = (int(found[number]) for number in (2, 5, 6, 7))
        day, hour, minute, second = fields
        return datetime(int(found[4]), month, day, hour, minute, second).timestamp()  # noqa: DTZ001
    except (ValueError, OverflowError):
        return None


def _row(found: re.Match[str], at: float) -> tuple[str | None, ...]:
    heard, queued, connected, answered, total = (int(found[number]) for number in range(11, 16))
    status, server = found[16], found[10]
    if status.startswith("-") or status == "0":
        status = "499" if found[18] == _CLIENT_LEFT else "400"
    asked = server != _NOBODY
    inside = total - max(0, heard) - max(0, queued)
    return (
        None,
        None,
        f"{at + int(found[8]) / 1000:.3f}",
        _seconds(total),
        status,
        found[20],
        None,
        None,
        found[1],
        None,
        f"{NAMED}{found[9]}/{server}" if asked else "-",
        _seconds(inside) if asked and connected >= 0 else "-",
        status if answered >= 0 else "-",
        _seconds(connected) if asked else "-",
        found[17],
    )


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}" if milliseconds >= 0 else "-"
