"""Reads a recording back: series, events, requests and looks around, of any span of time.

Times come from the clock that counts since boot, set by the newest wall time of that boot: a clock
that was put back or forward in between makes no second twice and no rate negative.
"""

from __future__ import annotations

import contextlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from weaklink.model.event import Event
from weaklink.model.series import Series
from weaklink.reach.root import read_bounded
from weaklink.recorder.asked import Row
from weaklink.recorder.block import MISSING, Block, Moves, Table, encode, values_of
from weaklink.recorder.place import kept, places
from weaklink.recorder.tick import read_log

MAX_FILE = 64 << 20
WIDEST = 8
"""Bytes of a step in columns that can hold MISSING at all."""
MARGIN = 2.0
"""Seconds that a log's own times may lie beside ours."""

Wanted = Callable[[str, str], bool]
"""(quantity, target): whether this series is asked for."""


class Column(NamedTuple):
    """One stretch of one series: whole numbers at moments (epoch seconds), times `scale`."""

    quantity: str
    target: str
    scale: float
    times: array[float]
    values: array[int]
    has_gaps: bool = False
    """Whether some values may be MISSING."""


class _Part:
    """A block with its ticks' moments, epoch seconds."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.boot = block.head.boot if block.head else ""
        self.moments: array[float] = array("d")
        self._moves: dict[int, Moves] | None = None

    @property
    def start(self) -> float:
        return self.moments[0] if self.moments else 0.0

    @property
    def end(self) -> float:
        return self.moments[-1] if self.moments else 0.0

    def moves(self) -> dict[int, Moves]:
        if self._moves is None:
            self._moves = self.block.moves()
        return self._moves


class Recording:
    """What folders hold, oldest first. Nothing is decoded before it is asked for."""

    def __init__(self, parts: list[_Part], damaged: int = 0) -> None:
        self._parts = parts
        self._damaged = damaged

    @classmethod
    def load(
        cls, folders: Iterable[Path] | None = None, since: float = 0.0, until: float = 0.0
    ) -> Recording:
        """The recording of these folders (this user's own), as far as it may matter for the span.

        Never raises: what is damaged or may not be read is left out.
        """
        blocks: list[Block] = []
        damaged = 0
        for folder in places() if folders is None else folders:
            files = kept(folder)
            sealed = {one.sequence for one in files if one.sealed}
            for one in files:
                if since and one.modified < since - 3600:
                    continue  # written an hour before: not even a clock put back explains it
                if not one.sealed and one.sequence in sealed:
                    continue
                block = _read(one.path, sealed=one.sealed)
                if block is None:
                    damaged += 1
                    continue
                if block.damaged and one.sealed:
                    block = _whole_copy(one.path) or block
                if not block.wall:
                    damaged += 1
                    continue
                damaged += block.damaged
                blocks.append(block)
        parts = [part for part in _timed(blocks) if part.moments]
        if since or until:
            parts = [
                part
                for part in parts
                if part.end >= since - MARGIN and (not until or part.start <= until + MARGIN)
            ]
        return cls(parts, damaged)

    @property
    def damaged(self) -> int:
        """Parts that could not be read; what they held is missing, nothing is wrong."""
        return self._damaged

    @property
    def span(self) -> tuple[float, float]:
        """From when to when there is anything, epoch seconds; (0, 0) for nothing."""
        if not self._parts:
            return (0.0, 0.0)
        return (self._parts[0].start, max(part.end for part in self._parts))

    @property
    def seconds(self) -> int:
        """Ticks that were kept."""
        return sum(len(part.moments) for part in self._parts)

    def columns(
        self, wanted: Wanted | None = None, since: float = 0.0, until: float = 0.0
    ) -> Iterator[Column]:
        """Stretches of the wanted series between two moments (0: open), a block at a time."""
        for part in self._parts:
            if part.end < since or (until and part.start > until):
                continue
            times: dict[tuple[str, int, int], tuple[array[float], array[int], slice]] = {}
            for table in part.block.tables:
                pairs = [
                    (number, quantity, scale)
                    for number, (quantity, scale) in enumerate(table.columns, table.base)
                    if wanted is None or wanted(quantity, table.target)
                ]
                if not pairs:
                    continue
                key = (table.group, table.first, table.until)
                if key not in times:
                    times[key] = _rows(part, table, since, until)
                moments, ticks, rows = times[key]
                if not moments:
                    continue
                moves = part.moves()
                whole_span = len(moments) == len(ticks)
                for number, quantity, scale in pairs:
                    if number not in moves:
                        continue
                    values = values_of(moves[number], ticks)
                    yield Column(
                        quantity,
                        table.target,
                        scale,
                        moments,
                        values if whole_span else values[rows],
                        moves[number].steps.itemsize == WIDEST,
                    )

    def series(
        self, wanted: Wanted | None = None, since: float = 0.0, until: float = 0.0
    ) -> list[Series]:
        """The same joined, one Series a quantity and target, in the quantity's own unit."""
        joined: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
        shared: dict[int, tuple[array[float], list[float]]] = {}
        for column in self.columns(wanted, since, until):
            times, values = joined.setdefault((column.quantity, column.target), ([], []))
            moments = shared.get(id(column.times))
            if moments is None:
                moments = shared[id(column.times)] = column.times, column.times.tolist()
            if column.has_gaps:
                pairs = zip(moments[1], column.values, strict=True)
                kept_rows = [(at, value) for at, value in pairs if value != MISSING]
                times.extend(at for at, _ in kept_rows)
                values.extend(_scaled((value for _, value in kept_rows), column.scale))
            else:
                times += moments[1]
                values += _scaled(column.values, column.scale)
        return [
            Series(quantity=name, target=target, times=times, values=values)
            for (name, target), (times, values) in sorted(joined.items())
            if times
        ]

    def events(self, since: float = 0.0, until: float = 0.0) -> list[Event]:
        """Events between two moments, oldest first."""
        found = [event for part in self._parts for event in part.block.events()]
        return sorted(
            (event for event in found if event.at >= since and (not until or event.at <= until)),
            key=lambda event: event.at,
        )

    def asked(self, since: float = 0.0, until: float = 0.0) -> list[Row]:
        """Condensed requests that ended between two moments."""
        return [
            row
            for part in self._parts
            for row in part.block.asked()
            if row.second >= since - 1 and (not until or row.second <= until)
        ]

    def scene(self, at: float) -> bytes:
        """The last look around before a moment, else the first one after it; b'' for none."""
        found = [
            (part.moments[tick], packed)
            for part in self._parts
            for tick, packed in part.block.scenes()
            if tick < len(part.moments)
        ]
        before = [one for one in found if one[0] <= at]
        chosen = max(before, default=min(found, default=None))
        return chosen[1] if chosen else b""


def _scaled(values: Iterable[int], scale: float) -> list[float]:
    if scale == 1.0:
        return list(map(float, values))
    if scale < 1.0 and round(1 / scale) * scale == 1.0:
        per = round(1 / scale)  # 0.3, not 0.30000000000000004
        return [value / per for value in values]
    return [value * scale for value in values]


def _rows(
    part: _Part, table: Table, since: float, until: float
) -> tuple[array[float], array[int], slice]:
    ticks = part.block.read_at(table)
    moments = part.moments
    if ticks and ticks[-1] < len(moments) and ticks[-1] - ticks[0] == len(ticks) - 1:
        times = moments[ticks[0] : ticks[-1] + 1]
    else:
        times = array("d", (moments[tick] for tick in ticks if tick < len(moments)))
    rows = slice(bisect_left(times, since), bisect_right(times, until) if until else len(times))
    if rows.start == 0 and rows.stop == len(times):
        return times, ticks, rows
    return times[rows], ticks, rows


def _read(path: Path, *, sealed: bool) -> Block | None:
    try:
        data = read_bounded(str(path), MAX_FILE)
    except OSError:
        return None
    if sealed:
        return Block(data)
    head, ticks = read_log(data)
    return Block(encode(head, ticks)) if head is not None and ticks else None


def _whole_copy(path: Path) -> Block | None:
    """The block once more from its log, which is kept until the next block is sealed."""
    with contextlib.suppress(OSError):
        return _read(path.with_suffix(".log"), sealed=False)
    return None


def _timed(blocks: list[Block]) -> list[_Part]:
    """Each block with its moments: time since boot, set by that boot's newest wall time."""
    parts = [_Part(block) for block in blocks]
    newest: dict[str, tuple[int, float]] = {}
    for part in parts:
        walls, monos = part.block.wall, part.block.mono
        if monos:
            newest[part.boot] = max(
                newest.get(part.boot, (-1, 0.0)), (monos[-1], (walls[-1] - monos[-1]) / 1000)
            )
    for part in parts:
        shift = newest.get(part.boot, (0, 0.0))[1]
        part.moments = array("d", (mono / 1000 + shift for mono in part.block.mono))
    return sorted(parts, key=lambda part: (part.start, part.end))
