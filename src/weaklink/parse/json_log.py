"""Reads an access log of JSON lines whose format nobody told us, by its names and values.

Names are those in use by nginx, Envoy, Traefik, Caddy, HAProxy, uvicorn and friends; nested
objects count as `outer.inner`. What cannot be told apart stays unknown rather than guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from weaklink.parse.log_format import ROLES

_NAMES: dict[str, tuple[str, ...]] = {
    "time_local": ("time_local",),
    "time_iso8601": (
        "time_iso8601",
        "@timestamp",
        "timestamp",
        "time",
        "ts",
        "start_time",
        "starttime",
        "date",
        "datetime",
    ),
    "msec": ("msec", "time_msec", "epoch", "unixtime"),
    "request_time": (
        "request_time",
        "duration",
        "latency",
        "elapsed",
        "response_time",
        "request_duration",
        "req_time",
        "took",
        "duration_s",
        "duration_ms",
        "latency_ms",
        "elapsed_ms",
        "request_time_ms",
        "response_time_ms",
        "duration_us",
        "duration_ns",
        "rt",
    ),
    "status": (
        "status",
        "status_code",
        "response_code",
        "downstreamstatus",
        "code",
        "http_status",
        "response.status_code",
    ),
    "request": ("request", "request_line"),
    "uri": (
        "request_uri",
        "uri",
        "url",
        "path",
        "request_path",
        "requestpath",
        "request.uri",
        "http.url",
        "request.url",
    ),
    "method": (
        "request_method",
        "method",
        "requestmethod",
        "request.method",
        "http_method",
        "verb",
    ),
    "client": (
        "remote_addr",
        "client_ip",
        "client",
        "remote_ip",
        "clienthost",
        "request.remote_ip",
        "downstream_remote_address",
        "client_addr",
    ),
    "forwarded": ("http_x_forwarded_for", "x_forwarded_for", "xff"),
    "upstream_addr": ("upstream_addr", "upstream_host", "serviceaddr", "upstream", "backend"),
    "upstream_time": (
        "upstream_response_time",
        "originduration",
        "upstream_time",
        "upstream_service_time",
        "urt",
    ),
    "upstream_status": ("upstream_status", "originstatus"),
    "connect_time": ("upstream_connect_time",),
    "sent": (
        "bytes_sent",
        "body_bytes_sent",
        "size",
        "response_size",
        "downstreamcontentsize",
        "bytes",
    ),
}
_ENDINGS = {"_ms": 1e-3, "_us": 1e-6, "_ns": 1e-9}
MAX_DEPTH = 2
"""Nested objects are read to this depth: no server nests its access log deeper."""


class JsonLayout(NamedTuple):
    """Which key holds which role (in the order of ROLES) and the unit of its durations."""

    keys: tuple[str, ...]
    scale: float
    upstream_scale: float
    time_is_start: bool = False


def recognise(lines: Sequence[str]) -> JsonLayout | None:
    """The layout of these lines, None where they are no JSON access log."""
    records = [record for line in lines[-200:] if (record := flat(line))]
    if not records or len(records) * 2 < len(lines[-200:]):
        return None
    keys = tuple(_key(role, records) for role in ROLES)
    found = dict(zip(ROLES, keys, strict=True))
    if not (found["time_local"] or found["time_iso8601"] or found["msec"]):
        return None
    if not (found["status"] or found["request_time"]):
        return None
    return JsonLayout(
        keys,
        _scale(found["request_time"], records),
        _scale(found["upstream_time"], records),
        found["time_iso8601"] in ("start_time", "starttime"),
    )


def json_reader(layout: JsonLayout) -> Callable[[str], tuple[str | None, ...] | None]:
    """A reader of lines of this layout: values by ROLES, or None where the line does not fit."""
    duration, upstream = ROLES.index("request_time"), ROLES.index("upstream_time")

    def read(line: str) -> tuple[str | None, ...] | None:
        record = flat(line)
        if record is None:
            return None
        row = [_text(record.get(key)) if key else None for key in layout.keys]
        for index, scale in ((duration, layout.scale), (upstream, layout.upstream_scale)):
            row[index] = _scaled(row[index], scale)
        return tuple(row)

    return read


def flat(line: str) -> dict[str, object] | None:
    """One JSON object with lower-case names, inner ones as `outer.inner`; else None."""
    begin = line.find("{", 0, 64)
    if begin < 0:
        return None
    try:
        record = msgspec.json.decode(line[begin:].encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    if not isinstance(record, dict):
        return None
    flattened: dict[str, object] = {}
    _flatten(record, "", 0, flattened)
    return flattened


def _flatten(
    record: Mapping[str, object], prefix: str, depth: int, into: dict[str, object]
) -> None:
    for name, value in list(record.items())[:200]:
        key = f"{prefix}{name}".lower()
        if isinstance(value, dict) and depth < MAX_DEPTH:
            _flatten(value, f"{key}.", depth + 1, into)
        else:
            into.setdefault(key, value)


def _key(role: str, records: Sequence[Mapping[str, object]]) -> str:
    for name in _NAMES[role]:
        present = [record[name] for record in records if name in record]
        if present and any(_fits(role, value) for value in present):
            return name
    return ""


def _fits(role: str, value: object) -> bool:
    text = _text(value)
    if text is None:
        return False
    if role == "status":
        return text.isdigit() and 100 <= int(text[:6]) <= 599
    if role == "request":
        return " " in text
    if role == "time_local":
        return "/" in text
    if role == "uri":
        return text.startswith(("/", "http://", "https://"))
    return True


def _scale(key: str, records: Sequence[Mapping[str, object]]) -> float:
    """Seconds in one unit of a duration: by the name's ending, else whole numbers are milliseconds.

    Envoy and most loggers write whole milliseconds, nginx and Caddy fractions of seconds, Traefik
    whole nanoseconds (a minute of milliseconds is 6e4, of nanoseconds 6e10).
    """
    for ending, scale in _ENDINGS.items():
        if key.endswith(ending):
            return scale
    values = [record[key] for record in records if key in record]
    numbers = [value for value in values if isinstance(value, int | float)]
    if not numbers or any(isinstance(value, float) for value in numbers):
        return 1.0
    return 1e-9 if sorted(numbers)[len(numbers) // 2] >= 1e6 else 1e-3


def _text(value: object) -> str | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return repr(value)
    return None


def _scaled(text: str | None, scale: float) -> str | None:
    if text is None:
        return None
    for ending, unit in (("ms", 1e-3), ("µs", 1e-6), ("us", 1e-6), ("ns", 1e-9), ("s", 1.0)):
        if text.endswith(ending):
            text, scale = text[: -len(ending)], unit
            break
    if scale == 1.0:
        return text
    try:
        return repr(float(text) * scale)
    except ValueError:
        return None
