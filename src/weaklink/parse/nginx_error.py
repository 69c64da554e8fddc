"""Reads nginx's error log: which upstream failed how, as data instead of prose.

The log writes local time without a zone, so the caller says how far local time is from UTC.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.parse.nginx_config import pass_target
from weaklink.parse.redact import redact

_HEAD = re.compile(
    r"(\d{4})/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d) \[(\w{1,8})\] (\d{1,9})#\d{1,9}: (?:\*\d{1,20} )?"
)
_UPSTREAM = re.compile(r', upstream: "([^"]{1,2048})"')
_WHAT = (
    # The first that fits; words of ngx_http_upstream.c, ngx_event_connect.c, ngx_connection.c.
    ("no-live-upstreams", "no live upstreams"),
    ("ejected", "upstream server temporarily disabled"),
    ("connect-timeout", "timed out) while connecting to upstream"),
    ("read-timeout", "upstream timed out"),
    ("connect-refused", "connect() failed (111"),
    ("connect-failed", "connect() to "),
    ("connect-failed", "connect() failed"),
    ("closed-early", "upstream prematurely closed"),
    ("reset", "(104: "),
    ("worker-connections", "worker_connections are not enough"),
    ("file-limit", "(24: "),
    ("disk-full", "(28: "),
    ("limited", "limiting requests"),
    ("limited", "limiting connections"),
    ("resolve-failed", "could not be resolved"),
    ("tls", "SSL_do_handshake() failed"),
    ("temporary-file", "buffered to a temporary file"),
    ("too-big", "client intended to send too large body"),
    ("worker-died", "exited on signal"),
)
_SERIOUS = frozenset({"emerg", "alert", "crit"})
MAX_TEXT = 240
MAX_LINE = 8_192


class ErrorLine(NamedTuple):
    """One line. `at` epoch seconds; `code` '' where the line is of no kind that we know."""

    at: float
    level: str
    code: str
    upstream: str
    text: str


def read_error_line(line: str, utc_offset: int = 0) -> ErrorLine | None:
    """One line of an error log, redacted; None for what is none."""
    line = line[:MAX_LINE]
    found = _HEAD.match(line)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    if not (year >= 1970 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    at = float(timegm((year, month, day, hour, minute, second)) - utc_offset)
    said = line[found.end() :]
    level = found[7]
    code = kind_of(said)
    upstream = ""
    if target := _UPSTREAM.search(said):
        upstream = redact(pass_target(target[1]))
    short = said.partition(", client: ")[0]
    return ErrorLine(at, level, code, upstream, redact(short)[:MAX_TEXT])


def kind_of(said: str) -> str:
    """Which of the known kinds a line is of, from what it says; '' for none."""
    code = next((code for code, words in _WHAT if words in said), "")
    if code.startswith("connect-") and "upstream" not in said:
        return ""  # its own syslog server or resolver, not the chain
    if code == "read-timeout" and "while connecting to upstream" in said:
        return "connect-timeout"
    return code


def worth_telling(line: ErrorLine) -> bool:
    """Whether it says something about the service: a known kind, or serious for nginx itself."""
    return bool(line.code) or line.level in _SERIOUS


class ErrorGroup(NamedTuple):
    """Lines of one kind about one upstream within a few seconds."""

    at: float
    code: str
    upstream: str
    text: str
    level: str
    lines: int


def group_errors(lines: Iterable[ErrorLine], seconds: float = 10.0) -> list[ErrorGroup]:
    """Put like lines of the same ten seconds together, oldest first; `at` is the first of them."""
    groups: dict[tuple[int, str, str, str], ErrorGroup] = {}
    for line in lines:
        key = (int(line.at // seconds), line.code or line.text[:60], line.upstream, line.level)
        known = groups.get(key)
        if known is None:
            groups[key] = ErrorGroup(line.at, line.code, line.upstream, line.text, line.level, 1)
        else:
            groups[key] = known._replace(lines=known.lines + 1, at=min(known.at, line.at))
    return sorted(groups.values())
