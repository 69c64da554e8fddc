"""What users asked, condensed: counts by second, route, member, status and latency step.

A step is 5 % wide, so a latency is known to ±2.5 %. Which thing was asked for is kept as 16 bits of
a hash: enough to tell one thing from many, and nothing that a path could give away.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterable

import msgspec

from weaklink.model.requests import Requests

SHORTEST = 1e-4
"""Seconds of step 0."""
WIDTH = math.log(1.05)
UNTIMED = -1
MAX_STEP = 400
"""0.1 ms * 1.05^400 is eight hours: nobody waits longer."""
MAX_ROWS = 400
"""A second. Beyond it things are no longer told apart, then members: counts stay right."""


class Row(msgspec.Struct, frozen=True, array_like=True):
    """`count` requests of one kind that ended in one second (epoch seconds)."""

    second: int
    source: str
    route: str
    upstream: str
    status: int
    step: int
    thing: int
    count: int


def step_of(duration: float | None) -> int:
    """The latency step of a duration in seconds; UNTIMED for None."""
    if duration is None:
        return UNTIMED
    if duration <= SHORTEST:
        return 0
    return min(MAX_STEP, round(math.log(duration / SHORTEST) / WIDTH))


def duration_of(step: int) -> float | None:
    """The middle of a step, seconds."""
    return None if step < 0 else SHORTEST * math.exp(WIDTH * step)


def thing_of(path: str) -> int:
    """Sixteen bits that are the same for the same path; 0 for none."""
    return (zlib.crc32(path.encode("utf-8", "replace")) & 0xFFFF) or 1 if path else 0


def condense(rows: Requests, *, weight: int = 1) -> list[Row]:
    """Rows of the requests of one log, in order; each stands for `weight` requests."""
    found: Counter[tuple[int, str, str, int, int, int]] = Counter()
    for i in range(len(rows)):
        found[
            int(rows.end[i]),
            rows.route[i],
            rows.upstream[i],
            rows.status[i],
            step_of(rows.duration[i]),
            thing_of(rows.path[i]),
        ] += weight
    if len(found) > MAX_ROWS:
        found = _coarser(found)
    return [
        Row(second, rows.source, route, upstream, status, step, thing, count)
        for (second, route, upstream, status, step, thing), count in sorted(found.items())
    ]


def _coarser(
    found: Counter[tuple[int, str, str, int, int, int]],
) -> Counter[tuple[int, str, str, int, int, int]]:
    """Without things, and where that is not enough without members."""
    merged: Counter[tuple[int, str, str, int, int, int]] = Counter()
    for (second, route, upstream, status, step, _), count in found.items():
        merged[second, route, upstream, status, step, 0] += count
    if len(merged) <= MAX_ROWS:
        return merged
    found, merged = merged, Counter()
    for (second, route, _, status, step, _), count in found.items():
        merged[second, route, "", status, step, 0] += count
    return merged


def expand(rows: Iterable[Row], *, most: int, covered_from: float) -> list[Requests]:
    """Requests of each log again, at most `most` rows in all.

    Where there were more, each row of a kind is thinned alike, never to nothing.
    """
    kept = list(rows)
    total = sum(row.count for row in kept)
    share = min(1.0, most / total) if total else 1.0
    columns: dict[str, list[tuple[float, Row]]] = {}
    for row in kept:
        count = max(1, round(row.count * share))
        into = columns.setdefault(row.source, [])
        into.extend((row.second + (i + 0.5) / count, row) for i in range(count))
    return [
        _requests(source, sorted(found, key=lambda one: one[0]), covered_from)
        for source, found in sorted(columns.items())
    ]


def _requests(source: str, found: list[tuple[float, Row]], covered_from: float) -> Requests:
    durations = [duration_of(row.step) for _, row in found]
    ends = [end for end, _ in found]
    return Requests(
        source=source,
        start=[None if d is None else e - d for e, d in zip(ends, durations, strict=True)],
        end=ends,
        duration=durations,
        status=[row.status for _, row in found],
        method=[""] * len(found),
        path=[f"#{row.thing:04x}" if row.thing else "" for _, row in found],
        route=[row.route for _, row in found],
        client=[""] * len(found),
        upstream=[row.upstream for _, row in found],
        upstream_status=[0] * len(found),
        upstream_duration=[None] * len(found),
        tries=[1 if row.upstream else 0 for _, row in found],
        sent=[0] * len(found),
        covered_from=covered_from,
        resolution=1.0,
    )
