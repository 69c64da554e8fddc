"""Requests in the log of an application server: gunicorn, uvicorn, aiohttp, werkzeug, gin, morgan.

Such a line stands between others, often without a time or a duration. What it does not say stays
unknown; the time may come from what the line is dressed in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from weaklink.model.requests import Requests
from weaklink.parse.json_log import json_reader, recognise
from weaklink.parse.log_values import seconds, whole
from weaklink.parse.routes import Routes, settle

_REQUEST = re.compile(
    r"\"(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) ([^\s\"]{1,4000})"
    r"(?: HTTP/[\d.]{1,3}| [\d.]{1,3})?\" (\d{3})(?!\d)"
)
_CLIENT = re.compile(
    r"(?:^|[\s:\]])((?:\d{1,3}\.){3}\d{1,3}|\[?[0-9a-f:]{2,39}\]?)(?::\d{1,5})? (?:- |\[)"
)
_GIN = re.compile(
    r"\| {0,4}(\d{3}) \| {1,14}([\d.]{1,12})(ns|µs|us|ms|s|m) \| {1,40}([0-9a-fA-F.:]{2,45}) \|"
    r" {0,4}(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) {1,8}\"([^\"]{1,8000})\""
)
_MORGAN = re.compile(
    r"(?:^|[\s|])(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (/\S{0,8000}) (\d{3}) ([\d.]{1,12}) ms"
)
_TOOK = re.compile(r"(?:^|[\s=(])(\d{1,7}\.\d{1,9})(s|ms|)(?=[\s)]|$)")
_TOOK_UNIT = re.compile(r"(?:^|[\s=(])(\d{1,9}(?:\.\d{1,9})?) ?(ms|us|µs|s)(?=[\s),]|$)")
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "": 1.0}
MAX_SENT = 1 << 50


class Asked(NamedTuple):
    """One request: `duration` in seconds and `sent` in bytes, None and 0 where it does not say."""

    method: str
    target: str
    status: int
    client: str = ""
    sent: int = 0
    duration: float | None = None


def asked_in(text: str, unit: float = 0.0) -> Asked | None:
    """The request that a line tells of; `unit` is that of a whole number at its end, in seconds."""
    if '"' in text and (found := _REQUEST.search(text)):
        # urllib3 writes the requests that the application SENDS: `https://host:443 "GET / …" 200`.
        sent = "://" in text[: found.start()].rstrip().rpartition(" ")[2]
        return None if sent else _common(text, found, unit)
    if "[GIN]" in text[:64] and (found := _GIN.search(text)):
        took = seconds(found[2])
        scale = _UNITS[found[3]]
        return Asked(
            found[5], found[6], int(found[1]), found[4], 0, None if took is None else took * scale
        )
    if " ms" in text and (found := _MORGAN.search(text)):
        took = seconds(found[4])
        return Asked(
            found[1], found[2], int(found[3]), "", 0, None if took is None else took * 1e-3
        )
    return None


def _common(text: str, found: re.Match[str], unit: float) -> Asked:
    client = _CLIENT.search(text[: found.start()][-120:])
    rest = text[found.end() : found.end() + 4000]
    first = rest[1:].partition(" ")[0]
    tail = rest.rpartition('"')[2] if '"' in rest else rest
    return Asked(
        method=found[1],
        target=found[2],
        status=int(found[3]),
        client=client[1].strip("[]") if client else "",
        sent=min(MAX_SENT, whole(first)) if first.isdigit() else 0,
        duration=_took(tail, unit, whole_first='"' not in rest),
    )


def _took(tail: str, unit: float, *, whole_first: bool) -> float | None:
    if found := _TOOK_UNIT.search(tail):
        value = seconds(found[1])
        return None if value is None else value * _UNITS[found[2]]
    if found := _TOOK.search(tail):
        return seconds(found[1])
    words = tail.split()
    if whole_first:
        words = words[1:]  # the first whole number is the body's size
    if unit and words and words[-1].isdigit():
        value = seconds(words[-1])
        return None if value is None else value * unit
    return None


def unit_of(command: Sequence[str]) -> float:
    """What a whole number at the end of gunicorn's access lines counts, seconds; 0: not told."""
    for place, word in enumerate(command[:200]):
        if not word.startswith("--access-logformat"):
            continue
        pattern = word.partition("=")[2] or "".join(command[place + 1 : place + 2])
        last = pattern.rstrip("\"'").rpartition("%(")[2]
        return {"D)s": 1e-6, "M)s": 1e-3, "T)s": 1.0}.get(last, 0.0)
    return 0.0


class AccessRows:
    """Gathers the requests of one log, oldest first, and makes Requests of them."""

    def __init__(self, unit: float = 0.0) -> None:
        self.unit = unit
        self.rows: list[tuple[float, Asked]] = []
        self._routes = Routes()

    def add(self, at: float | None, asked: Asked) -> None:
        """One request that ended at that moment; without one nothing can be said of it."""
        if at is not None:
            self.rows.append((at, asked))

    def requests(self, source: str, covered_from: float, resolution: float) -> Requests | None:
        """All of it as columns, None where there was no request."""
        if not self.rows:
            return None
        rows = sorted(self.rows, key=lambda row: row[0])
        told = [self._routes(asked.target) for _, asked in rows]
        return Requests(
            source=source,
            start=[None if a.duration is None else at - a.duration for at, a in rows],
            end=[at for at, _ in rows],
            duration=[a.duration for _, a in rows],
            status=[a.status for _, a in rows],
            method=[a.method for _, a in rows],
            path=[path for _, path in told],
            route=settle([route for route, _ in told]),
            client=[a.client for _, a in rows],
            upstream=["" for _ in rows],
            upstream_status=[0 for _ in rows],
            upstream_duration=[None for _ in rows],
            tries=[0 for _ in rows],
            sent=[a.sent for _, a in rows],
            covered_from=covered_from,
            resolution=resolution,
        )


class JsonAccess:
    """Requests in JSON lines whose names a sample told; `read` gives one, None for other lines."""

    def __init__(self, sample: Sequence[str]) -> None:
        layout = recognise(sample)
        self._read = json_reader(layout) if layout is not None else None
        self.from_start = layout is not None and layout.time_is_start

    def read(self, line: str, record: Mapping[str, object]) -> Asked | None:
        """A line with its record; a request needs a status and something that was asked."""
        row = self._read(line) if self._read is not None else None
        if row is None:
            return _pino(record)
        status, target = row[4] or "", row[6] or ""
        method = row[7] or ""
        if row[5]:
            words = row[5].split(" ")
            method, target = method or words[0], target or (words[1] if len(words) > 1 else "")
        if not status.isdigit() or not 100 <= int(status[:6]) <= 599:
            return _pino(record)
        if not target.startswith(("/", "http://", "https://")):
            return _pino(record)
        client = (row[8] or "")[:64]
        host = client.rpartition(":")[0] if client.count(":") == 1 else client
        return Asked(method[:16], target, int(status), host, whole(row[14]), seconds(row[3]))


def _pino(record: Mapping[str, object]) -> Asked | None:
    """pino-http and friends: `req.method`, `req.url`, `res.statusCode`, `responseTime` (ms)."""
    status, target = record.get("res.statuscode"), record.get("req.url")
    if not isinstance(status, int) or isinstance(status, bool) or not isinstance(target, str):
        return None
    if not 100 <= status <= 599 or not target.startswith("/"):
        return None
    took = record.get("responsetime")
    duration = None
    if isinstance(took, int | float) and not isinstance(took, bool) and 0 <= took < 1e9:
        duration = took * 1e-3
    method = record.get("req.method")
    return Asked(method[:16] if isinstance(method, str) else "", target, status, "", 0, duration)
