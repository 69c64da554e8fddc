"""Reads HAProxy's HTTP log lines as requests, wherever syslog put something before them.

Format: HAProxy configuration manual, 8.2.3 (`option httplog`): the time is when the request was
accepted, in the host's local time; timers are milliseconds, -1 where that phase was never reached;
a status of -1 says that nothing was sent back. Servers are named `backend/server`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from weaklink.parse.log_values import MONTHS

FORMAT = "haproxy"
"""What `LogFile.format` says of such a log."""
NAMED = "haproxy:"
"""Before the name of a server, where its address is not known from the line."""
MIN_SHARE = 0.5
MAX_HEAD = 1200
SESSION = (
    r"\[(?P<day>\d\d)/(?P<month>[A-Z][a-z]{2})/(?P<year>\d{4}):(?P<hour>\d\d):(?P<minute>\d\d):"
    r"(?P<second>\d\d)\.(?P<ms>\d{3})\] "
    r"(?P<frontend>\S{1,120}) (?P<backend>\S{1,120})/(?P<server>\S{1,120}) "
    r"(?P<heard>-?\d{1,9})/(?P<queued>-?\d{1,9})/(?P<connect>-?\d{1,9})/(?P<answer>-?\d{1,9})/"
    r"\+?(?P<total>-?\d{1,9}) (?P<status>-?\d{1,3}) \+?(?P<bytes>\d{1,18}) "
    r"\S{1,200} \S{1,200} (?P<who>[A-Za-z-])(?P<phase>[A-Za-z-])\S\S "
    r"\d{1,9}/\d{1,9}/\d{1,9}/\d{1,9}/\+?\d{1,6} (?P<before>\d{1,9})/(?P<behind>\d{1,9})"
)
"""One session from its time to the two queues; `before` and `behind` are who stood in them."""
_LINE = re.compile(
    rf"(?:^|\s)(?P<client>\S{{2,80}}):\d{{1,5}} {SESSION} "
    r'(?:\{[^}]{0,400}\} ){0,2}"(?P<request>[^"]{0,16000})"?'
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


def haproxy_reader(
    servers: Mapping[str, str] | None = None,
) -> Callable[[str], tuple[str | None, ...] | None]:
    """A function from a line to its values in the order of `log_format.ROLES`; None: no request.

    `servers` has the address of each `backend/server`; one without keeps its name, marked NAMED.
    """
    addresses = servers or {}
    seconds: dict[str, float] = {}

    def read(line: str) -> tuple[str | None, ...] | None:
        found = _LINE.search(line)
        if found is None or found["request"].startswith(_NO_REQUEST):
            return None
        stamp = line[found.start("day") : found.end("second")]
        at = seconds.get(stamp)
        if at is None:
            if len(seconds) > 5000:
                seconds.clear()
            at = _local(found)
            if at is None:
                return None
            seconds[stamp] = at
        return _row(found, at, addresses)

    return read


def _local(found: re.Match[str]) -> float | None:
    try:
        year, day, hour, minute, second = (
            int(found[name]) for name in ("year", "day", "hour", "minute", "second")
        )
        month = MONTHS[found["month"]]
        return datetime(year, month, day, hour, minute, second).timestamp()  # noqa: DTZ001
    except (KeyError, ValueError, OverflowError):
        return None


def _row(found: re.Match[str], at: float, addresses: Mapping[str, str]) -> tuple[str | None, ...]:
    heard, queued, connected, answered, total = (
        int(found[name]) for name in ("heard", "queued", "connect", "answer", "total")
    )
    status = found["status"]
    if status.startswith("-") or status == "0":
        status = "499" if found["who"] == _CLIENT_LEFT else "400"
    asked = found["server"] != _NOBODY
    name = f"{found['backend']}/{found['server']}"
    inside = total - max(0, heard) - max(0, queued)
    return (
        None,
        None,
        f"{at + int(found['ms']) / 1000:.3f}",
        _seconds(total),
        status,
        found["request"],
        None,
        None,
        found["client"],
        None,
        addresses.get(name, f"{NAMED}{name}") if asked else "-",
        _seconds(inside) if asked and connected >= 0 else "-",
        status if answered >= 0 else "-",
        _seconds(connected) if asked else "-",
        found["bytes"],
    )


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}" if milliseconds >= 0 else "-"
