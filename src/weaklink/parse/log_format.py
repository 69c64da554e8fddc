"""Reads any nginx `log_format` into a matcher of lines, without knowing what it is called.

The pattern is the text of the directive, variables and all, optionally with nginx's own
`escape=json` or `escape=none` in front. The matcher never backtracks far: a variable ends where
the literal behind it begins, so a line costs time linear in its length.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from weaklink.model.message import Message, say
from weaklink.words import texts

texts(
    {
        "log.no-time": "its format has no time, so its lines cannot be placed",
        "log.no-variables": "its format names no variable",
        "log.too-long": "its format is longer than {limit} characters",
    }
)

ROLES = (
    "time_local",
    "time_iso8601",
    "msec",
    "request_time",
    "status",
    "request",
    "uri",
    "method",
    "client",
    "forwarded",
    "upstream_addr",
    "upstream_time",
    "upstream_status",
    "connect_time",
    "sent",
)
"""What a line can tell, in the order in which `read` hands it over."""

COMBINED = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
    '"$http_referer" "$http_user_agent"'
)
KNOWN = {
    "combined": COMBINED,
    "common": '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent',
}
"""Formats that need no definition: nginx has `combined` built in."""

MAX_PATTERN = 16_384
_TIMES = ("time_local", "time_iso8601", "msec")

_ROLE_OF = {
    "time_local": "time_local",
    "time_iso8601": "time_iso8601",
    "msec": "msec",
    "request_time": "request_time",
    "status": "status",
    "request": "request",
    "request_uri": "uri",
    "uri": "uri",
    "document_uri": "uri",
    "request_method": "method",
    "remote_addr": "client",
    "realip_remote_addr": "client",
    "http_x_forwarded_for": "forwarded",
    "proxy_add_x_forwarded_for": "forwarded",
    "upstream_addr": "upstream_addr",
    "upstream_response_time": "upstream_time",
    "upstream_status": "upstream_status",
    "upstream_connect_time": "connect_time",
    "bytes_sent": "sent",
    "body_bytes_sent": "sent",
}
_BETTER = {"request_uri": 2, "uri": 1, "document_uri": 0, "bytes_sent": 1, "remote_addr": 1}
"""Where two variables tell the same, the one that tells more wins."""

_NUMBER = r"-|[\d.]{1,20}"
_FEW = r"(?:, | : |,|:)"
_TYPED = {
    "time_local": r"\d{2}/[A-Za-z]{3}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}",
    "time_iso8601": r"[\dT:+\-Z.]{19,35}",
    "msec": r"\d{1,12}\.\d{1,6}",
    "request_time": _NUMBER,
    "status": r"\d{3}|-",
    "client": r"[0-9A-Fa-f.:]{2,45}|unix:|-",
    "upstream_addr": r"[^\s,\"]{1,256}(?:(?:, | : )[^\s,\"]{1,256}){0,31}",
    "upstream_time": rf"(?:{_NUMBER})(?:{_FEW}(?:{_NUMBER})){{0,31}}",
    "upstream_status": rf"(?:\d{{3}}|-)(?:{_FEW}(?:\d{{3}}|-)){{0,31}}",
    "connect_time": rf"(?:{_NUMBER})(?:{_FEW}(?:{_NUMBER})){{0,31}}",
    "sent": r"-|\d{1,20}",
}
_TYPED_LIKE = {
    "upstream_header_time": "upstream_time",
    "upstream_bytes_received": "upstream_time",
    "upstream_response_length": "upstream_time",
    "upstream_bytes_sent": "upstream_time",
    "request_length": "sent",
    "connection": "sent",
    "connection_requests": "sent",
    "remote_port": "sent",
    "server_port": "sent",
    "realip_remote_port": "sent",
    "pid": "sent",
    "connection_time": "request_time",
    "gzip_ratio": "request_time",
}
_VARIABLE = re.compile(r"\$(?:\{(\w{1,128})\}|(\w{1,128}))")
_ESCAPE = re.compile(r"\s*escape=(default|json|none)\s+")


class FormatError(ValueError):
    """A log format cannot be used; `reason` says why, for a person."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason.key)
        self.reason = reason


class LineFormat(NamedTuple):
    """A compiled format. `groups[i]` is where the i-th of ROLES lies in a match, -1 for nowhere."""

    pattern: str
    regex: re.Pattern[str]
    groups: tuple[int, ...]

    def has(self, role: str) -> bool:
        """Whether lines of this format tell it."""
        return self.groups[ROLES.index(role)] >= 0


def compile_format(pattern: str) -> LineFormat:
    """The matcher of a `log_format` pattern or of a known name; raises FormatError."""
    given = KNOWN.get(pattern, pattern)
    if len(given) > MAX_PATTERN:
        raise FormatError(say("log.too-long", limit=MAX_PATTERN))
    escape = "default"
    if found := _ESCAPE.match(given):
        escape, given = found[1], given[found.end() :]
    pieces = _pieces(given)
    names = [name for _, name in pieces if name]
    if not names:
        raise FormatError(say("log.no-variables"))
    chosen = _choose(names)
    if not any(role in chosen for role in _TIMES):
        raise FormatError(say("log.no-time"))
    taken: dict[str, int] = {}
    parts: list[str] = []
    for index, (literal, name) in enumerate(pieces):
        parts.append(re.escape(literal))
        if not name:
            continue
        before = literal
        body = _value(name, before, pieces[index + 1 :], escape)
        role = _ROLE_OF.get(name, "")
        if role and chosen.get(role) == name and role not in taken:
            taken[role] = len(taken)
            parts.append(f"({body})")
        else:
            parts.append(f"(?:{body})")
    return LineFormat(
        pattern, re.compile("".join(parts)), tuple(taken.get(role, -1) for role in ROLES)
    )


def _pieces(pattern: str) -> list[tuple[str, str]]:
    """(literal, variable behind it) pairs; the last one has no variable."""
    pieces = []
    at = 0
    for found in _VARIABLE.finditer(pattern):
        pieces.append((pattern[at : found.start()], found[1] or found[2]))
        at = found.end()
    return [*pieces, (pattern[at:], "")]


def _choose(names: list[str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for name in names:
        role = _ROLE_OF.get(name)
        if role and (role not in chosen or _BETTER.get(name, 0) > _BETTER.get(chosen[role], 0)):
            chosen[role] = name
    return chosen


def _typed(name: str) -> str:
    role = _ROLE_OF.get(name, "") or _TYPED_LIKE.get(name, "")
    return _TYPED.get(role, "")


def _value(name: str, before: str, rest: list[tuple[str, str]], escape: str) -> str:
    """A pattern for one variable's value; `rest` is what the format goes on with."""
    typed = _typed(name)
    if typed:
        return f"{typed}|"  # json and none write nothing where default writes `-`
    after, following = rest[0]
    if before.endswith('"') and after.startswith('"') and escape != "none":
        # default writes `"` as \x22, json as \": the next bare quote ends the value.
        return r"[^\"\\]*+(?:\\.[^\"\\]*+)*+" if escape == "json" else r"[^\"]*+"
    if not after:
        if not following:
            return r".*"
        return r"[^\s\"]{0,256}?"
    stop = re.escape(after)
    if len(after) == 1:
        if _typed(following):
            stop = _ahead(rest)
        elif after == " ":
            return r"\S*+"
    first = re.escape(after[0])
    return f"[^{first}]*+(?:(?!{stop}){first}[^{first}]*+)*+"


def _ahead(rest: list[tuple[str, str]]) -> str:
    """What ends a value that may hold spaces: the values behind it, up to three, as they look."""
    parts = []
    for literal, name in rest[:3]:
        typed = _typed(name)
        parts.append(re.escape(literal))
        if not typed:
            break
        parts.append(f"(?:{typed})")
    return "".join(parts) + (r"(?![^\s\"\]),|;])" if _typed(rest[0][1]) else "")
