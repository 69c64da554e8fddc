"""Turns lines of an access log into Requests: what users asked, when, how long, how it ended.

The time in a log is the END of a request, so `start = end - duration`. A log without durations
gives None for them and for the starts; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from weaklink.model.requests import Requests
from weaklink.parse import haproxy_access
from weaklink.parse.json_log import json_reader, recognise
from weaklink.parse.log_format import COMBINED, KNOWN, FormatError, LineFormat, compile_format
from weaklink.parse.log_values import (
    epoch_time,
    iso_time,
    local_time,
    number,
    seconds,
    total_seconds,
    tries,
    whole,
)
from weaklink.parse.routes import Routes, settle

Row = tuple[str | None, ...]
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
MAX_LINE = 32_768
"""Characters; nginx itself refuses longer requests, so a longer line is no access line."""
MAX_MEMO = 20_000
ENOUGH = 0.5
"""A format that fits fewer lines than this is not the format of this log."""

CANDIDATES = (
    # As they stand in the documentation of nginx, ingress-nginx, and widely copied examples.
    COMBINED + " $request_length $request_time [$proxy_upstream_name] [$proxy_alternative] "
    "$upstream_addr $upstream_response_length $upstream_response_time $upstream_status $req_id",
    COMBINED + ' "$http_x_forwarded_for" rt=$request_time uct="$upstream_connect_time" '
    'uht="$upstream_header_time" urt="$upstream_response_time"',
    COMBINED + ' "$http_x_forwarded_for" $request_time $upstream_response_time',
    COMBINED + ' "$http_x_forwarded_for" $request_time',
    COMBINED + " $request_time $upstream_response_time",
    COMBINED + " rt=$request_time",
    COMBINED + " $request_time",
    COMBINED + ' "$http_x_forwarded_for"',
    KNOWN["combined"],
    KNOWN["common"],
    COMBINED + " $anything $more",
)
"""Tried in this order on a log whose format is not known."""


class LineReader(NamedTuple):
    """How to read one log. `resolution` is the step of its times in seconds."""

    read: Callable[[str], Row | None]
    resolution: float
    has_duration: bool
    name: str
    time_is_start: bool = False


def reader_for(
    pattern: str, sample: Sequence[str], servers: Mapping[str, str] | None = None
) -> LineReader | None:
    """The reader of a log with this format, '' for an unknown one; None where nothing fits.

    A format that most of the sample's lines do not fit (the file on disk was changed, the log
    has old lines) gives way to one recognised by content. Raises FormatError for a format that
    has no time.
    """
    if pattern and pattern != haproxy_access.FORMAT:
        reader = _reader(compile_format(pattern))
        if not sample or _share(reader, sample) >= ENOUGH:
            return reader
    return guess(sample, servers)


def guess(sample: Sequence[str], servers: Mapping[str, str] | None = None) -> LineReader | None:
    """A reader recognised by content: JSON by its names, HAProxy's, else the best known format."""
    layout = recognise(sample)
    if layout is not None:
        keys = dict(zip(("time_local", "time_iso8601", "msec"), layout.keys, strict=False))
        coarse = bool(keys["time_local"]) and not (keys["time_iso8601"] or keys["msec"])
        duration = bool(layout.keys[3])
        return LineReader(
            json_reader(layout), 1.0 if coarse else 0.001, duration, "json", layout.time_is_start
        )
    if haproxy_access.is_haproxy(sample[-100:]):
        read = haproxy_access.haproxy_reader(servers)
        return LineReader(read, 0.001, True, haproxy_access.FORMAT, time_is_start=True)
    best: LineReader | None = None
    best_share = ENOUGH
    for pattern in CANDIDATES:
        reader = _reader(compile_format(pattern))
        share = _share(reader, sample[-100:])
        if reader.has_duration and not _written_by_nginx(reader, sample[-100:]):
            continue
        if share > best_share or (share == 1.0 and best is None):
            best, best_share = reader, share
    return best


def _reader(line_format: LineFormat) -> LineReader:
    match = line_format.regex.fullmatch
    groups = line_format.groups
    exact = line_format.has("msec")

    def read(line: str) -> Row | None:
        found = match(line)
        if found is None:
            return None
        values = (*found.groups(), None)
        return tuple([values[index] for index in groups])

    return LineReader(
        read,
        0.001 if exact else 1.0,
        line_format.has("request_time"),
        line_format.pattern,
    )


def _share(reader: LineReader, sample: Sequence[str]) -> float:
    lines = [line for line in sample if line]
    if not lines:
        return 0.0
    return sum(reader.read(line[:MAX_LINE]) is not None for line in lines) / len(lines)


def _written_by_nginx(reader: LineReader, sample: Sequence[str]) -> bool:
    """Whether what may be durations look it: nginx always writes three decimals."""
    rows = [row for line in sample if line and (row := reader.read(line[:MAX_LINE]))]
    return all(row[3] is None or row[3][-4:-3] == "." for row in rows)


class Columns:
    """Gathers rows of one log. Made for many lines: what repeats is looked up, not parsed again."""

    def __init__(self, reader: LineReader, routes: Routes) -> None:
        self.reader = reader
        self.routes = routes
        self.skipped = 0
        self.whole_seconds = True
        self.end: list[float] = []
        self.duration: list[float | None] = []
        self.asked: list[tuple[str, str, str]] = []
        self.status: list[int] = []
        self.client: list[str] = []
        self.upstream: list[tuple[str, int]] = []
        self.upstream_status: list[int] = []
        self.upstream_duration: list[float | None] = []
        self.connect: list[float | None] = []
        self.sent: list[int] = []
        self._times: dict[str, float | None] = {}
        self._asked: dict[str, tuple[str, str, str]] = {}
        self._clients: dict[tuple[str | None, str | None], str] = {}
        self._upstreams: dict[str, tuple[str, int]] = {"-": ("", 0), "": ("", 0)}
        self._statuses: dict[str | None, int] = {None: 0}

    def __len__(self) -> int:
        return len(self.end)

    def add(self, lines: Iterable[str]) -> None:
        """Read these lines; those that do not fit are counted in `skipped`."""
        read, from_start = self.reader.read, self.reader.time_is_start
        times, clients, upstreams, statuses = (
            self._times,
            self._clients,
            self._upstreams,
            self._statuses,
        )
        for line in lines:
            if not line:
                continue
            row = read(line) if len(line) <= MAX_LINE else None
            if row is None:
                self.skipped += 1
                continue
            end = times.get(row[0] or "") or self._end(row)
            if end is None:
                self.skipped += 1
                continue
            duration = seconds(row[3])
            if from_start and duration is not None:
                end += duration
            self.end.append(end)
            self.duration.append(duration)
            self.asked.append(self._asked.get(row[5] or "") or self._ask(row))
            if (status := statuses.get(row[4])) is None:
                status = _remember(statuses, row[4], whole(row[4]))
            self.status.append(status)
            who = (row[8], row[9])
            if (client := clients.get(who)) is None:
                client = _remember(clients, who, _client(row))
            self.client.append(client)
            address = row[10] or ""
            if (upstream := upstreams.get(address)) is None:
                upstream = _remember(upstreams, address, _upstream(address))
            self.upstream.append(upstream)
            if (status := statuses.get(row[12])) is None:
                status = _remember(statuses, row[12], whole(tries(row[12] or "")[-1]))
            self.upstream_status.append(status)
            self.upstream_duration.append(total_seconds(row[11]))
            self.connect.append(total_seconds(row[13]))
            self.sent.append(whole(row[14]))

    def _end(self, row: Row) -> float | None:
        if row[2]:
            self.whole_seconds = False
            value = number(row[2])
            return value if value and value < 1e10 else epoch_time(row[2])
        text = row[0] or row[1]
        if not text:
            return None
        if text in self._times:
            return self._times[text]
        value = local_time(text) if row[0] else (iso_time(text) or epoch_time(text))
        if value is not None and value != int(value):
            self.whole_seconds = False
        return _remember(self._times, text, value)

    def _ask(self, row: Row) -> tuple[str, str, str]:
        """(method, path, route)."""
        method, target = _asked(row)
        route, path = self.routes(target)
        asked = method, path, route
        if row[5] and not row[6] and not row[7]:
            _remember(self._asked, row[5], asked)
        return asked


def _remember(memo: dict[_Key, _Value], key: _Key, value: _Value) -> _Value:
    if len(memo) > MAX_MEMO:
        memo.clear()
    memo[key] = value
    return value


def to_requests(parts: Sequence[Columns], *, source: str, covered_from: float = 0.0) -> Requests:
    """One Requests from parts of one log, in the order given (oldest part first)."""
    end = [value for part in parts for value in part.end]
    duration = [value for part in parts for value in part.duration]
    asked = [value for part in parts for value in part.asked]
    upstream = [value for part in parts for value in part.upstream]
    connect = [value for part in parts for value in part.connect]
    return Requests(
        source=source,
        start=[None if d is None else e - d for e, d in zip(end, duration, strict=True)],
        end=end,
        duration=duration,
        status=[value for part in parts for value in part.status],
        method=[one[0] for one in asked],
        path=[one[1] for one in asked],
        route=settle([one[2] for one in asked]),
        client=[value for part in parts for value in part.client],
        upstream=[one[0] for one in upstream],
        upstream_status=[value for part in parts for value in part.upstream_status],
        upstream_duration=[value for part in parts for value in part.upstream_duration],
        tries=[one[1] for one in upstream],
        connect=connect if any(value is not None for value in connect) else [],
        sent=[value for part in parts for value in part.sent],
        covered_from=covered_from,
        resolution=1.0 if all(part.whole_seconds for part in parts) else 0.001,
        skipped=sum(part.skipped for part in parts),
    )


def read_access_log(text: str, pattern: str = "", *, source: str = "log:-/-/text") -> Requests:
    """Requests from a whole text; `pattern` as in `reader_for`. Raises FormatError."""
    lines = text.split("\n")
    reader = reader_for(pattern, lines[:50] + lines[-50:])
    if reader is None:
        return Requests(source=source, skipped=sum(bool(line) for line in lines))
    columns = Columns(reader, Routes())
    columns.add(lines)
    first = min(columns.end, default=0.0)
    return to_requests([columns], source=source, covered_from=first)


def _asked(row: Row) -> tuple[str, str]:
    request = row[5]
    method, target = row[7] or "", row[6] or ""
    if request:
        words = request.split(" ", 2)
        if len(words) >= 2 and words[0].isalpha() and len(words[0]) <= 16:
            return method or words[0], target if target.startswith("/") else words[1]
        return method, target or "-"
    return (method if method.isalpha() and len(method) <= 16 else ""), target or "-"


def _client(row: Row) -> str:
    forwarded = row[9]
    if forwarded and forwarded != "-":
        first = forwarded.partition(",")[0].strip()
        # Written by the client: only what looks like an address is taken.
        if 2 <= len(first) <= 45 and all(c in "0123456789abcdefABCDEF.:" for c in first):
            return first
    client = row[8] or ""
    return "" if client == "-" else client[:64]


def _upstream(text: str | None) -> tuple[str, int]:
    """The member that was asked last, and how many were.

    Where no member is left nginx writes the group's own name: nobody was asked then.
    """
    if not text or text == "-":
        return "", 0
    asked = [entry for entry in tries(text) if ":" in entry]
    return (asked[-1][:256], len(asked)) if asked else ("", 0)


__all__ = ["Columns", "FormatError", "LineReader", "read_access_log", "reader_for", "to_requests"]
