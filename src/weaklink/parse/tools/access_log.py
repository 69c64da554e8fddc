"""Access logs: combined and what people add to it, ingress-nginx, JSON lines; summed up.

A log's time is the END of a request; hanging requests are not in it. Without durations nothing
is said about latency.
"""

from __future__ import annotations

import re
from collections import Counter

from weaklink.model.fact_text_log import AccessDigest
from weaklink.model.take import Take
from weaklink.parse.access_log import LineReader, reader_for
from weaklink.parse.log_values import (
    epoch_time,
    iso_time,
    local_time,
    number,
    seconds,
    tries,
    whole,
)
from weaklink.parse.quote import quoted
from weaklink.parse.routes import Routes
from weaklink.parse.text_tool import Passage, tool

MAX_LINES = 50_000
"""Of a longer log the last so many are read: recent requests are what hurts now."""
LEAST_READ = 0.5
_STAMP = re.compile(r"\[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] ")
_JSON = ('"status"', '"status_code"', '"response_code"', '"DownstreamStatus"')
_JSON_URI = ('"request', '"uri"', '"path"', '"RequestPath"', '"url"')
FAILED = frozenset({500, 502, 503, 504, 499})
STEP, NEAR = 5, 0.02
"""A proxy's timeouts are set in multiples of five seconds; its timers are that exact."""


def _starts(line: str) -> bool:
    head = line[:2000]
    if head.lstrip()[:1] == "{":
        return any(name in head for name in _JSON) and any(name in head for name in _JSON_URI)
    found = _STAMP.search(head)
    return found is not None and '"' in head[found.end() : found.end() + 2]


@tool("access-log", heads=('{"',), needles=('] "',), starts=_starts, scattered=True)
def access_log(passage: Passage) -> Take | None:
    """A digest; None where no known format fits most lines."""
    lines = passage.lines[-MAX_LINES:]
    sample = lines[:50] + lines[-50:]
    reader = reader_for("", sample)
    if reader is None:
        return None
    digest = _digest(lines, reader, sampled=len(passage.lines) > MAX_LINES)
    return Take(software=[digest]) if digest is not None else None


def _digest(lines: list[str], reader: LineReader, *, sampled: bool) -> AccessDigest | None:
    statuses: Counter[str] = Counter()
    failing: Counter[str] = Counter()
    upstreams: Counter[str] = Counter()
    routes: Counter[str] = Counter()
    limits: Counter[int] = Counter()
    examples: dict[str, str] = {}
    durations: list[float] = []
    times: list[float] = []
    retried = skipped = 0
    slowest: tuple[float, str] = (-1.0, "")
    route_of = Routes()
    for line in lines:
        row = reader.read(line) if len(line) <= 32_768 else None
        status = whole(row[4]) if row is not None else 0
        if row is None or not 100 <= status <= 599:
            skipped += 1
            continue
        code = str(status)
        statuses[code] += 1
        examples.setdefault(code, line)
        at = _time(row[0], row[1], row[2])
        if at is not None:
            times.append(at)
        taken = seconds(row[3])
        if taken is not None:
            durations.append(taken)
            if taken > slowest[0]:
                slowest = (taken, line)
        addresses = tries(row[10]) if row[10] and row[10] != "-" else []
        last = addresses[-1] if addresses else ""
        retried += len(addresses) > 1
        if last:
            upstreams[last[:120]] += 1
        if status in FAILED:
            if last and status != 499:
                failing[last[:120]] += 1
            target = row[6] or (row[5] or "").partition(" ")[2].partition(" ")[0]
            routes[route_of(target or "-")[0]] += 1
            if taken is not None and _is_limit(taken):
                limits[round(taken)] += 1
                examples.setdefault(f"limit {round(taken)}", line)
    total = sum(statuses.values())
    if not total or skipped > (1 - LEAST_READ) * len(lines):
        return None
    durations.sort()
    limit = limits.most_common(1)[0] if limits else None
    lines_kept = {name: quoted(line) for name, line in examples.items()}
    if limit:
        lines_kept["at_limit"] = lines_kept[f"limit {limit[0]}"]
    if slowest[1]:
        lines_kept["slowest"] = quoted(slowest[1])
    return AccessDigest(
        format=reader.name[:120],
        requests=total,
        statuses=dict(statuses),
        routes_failing=dict(routes.most_common(10)),
        median=durations[len(durations) // 2] if durations else None,
        p99=durations[min(len(durations) - 1, int(0.99 * len(durations)))] if durations else None,
        slowest=durations[-1] if durations else None,
        span=max(times) - min(times) if times else None,
        failing_upstreams=dict(failing.most_common(20)),
        upstreams=dict(upstreams.most_common(50)),
        retried=retried,
        at_limit=float(limit[0]) if limit else None,
        at_limit_count=limit[1] if limit else 0,
        lines={name: line for name, line in lines_kept.items() if not name.startswith("limit ")},
        skipped=skipped,
        sampled=sampled,
    )


def _is_limit(taken: float) -> bool:
    whole_seconds = round(taken)
    return (
        whole_seconds >= STEP and whole_seconds % STEP == 0 and abs(taken - whole_seconds) <= NEAR
    )


def _time(local: str | None, iso: str | None, msec: str | None) -> float | None:
    if msec:
        value = number(msec)
        return value if value and value < 1e10 else epoch_time(msec)
    if local:
        return local_time(local)
    return (iso_time(iso) or epoch_time(iso)) if iso else None
