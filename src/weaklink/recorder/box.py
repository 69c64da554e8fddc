"""The black box: raw counters as whole numbers, one record a second, sealed every five minutes.

The open block is a log of what changed; sealing packs it and begins a new one. After kill -9 the
next start seals what the log holds. Rates are made when it is read, never here.
"""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from weaklink.model.event import Event
from weaklink.recorder import place as places
from weaklink.recorder.asked import Row
from weaklink.recorder.block import MISSING, encode
from weaklink.recorder.store import Store
from weaklink.recorder.tick import Define, Head, Tick, packed_steps, record_of

BLOCK_TICKS = 300
"""Ticks of a block: 300 pack a third better than 60 (PROMISES: keeping a sample)."""
MOST = 1 << 60
"""Values beyond are cut to it: no counter of a kernel in our scales comes near."""


def _boot_seconds() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Clock(NamedTuple):
    """Wall time and time since boot, suspends included; seconds."""

    wall: Callable[[], float] = time.time
    mono: Callable[[], float] = _boot_seconds


class Table:
    """One target's columns, (quantity, scale) each, read by `group`; `values` as last put."""

    __slots__ = ("base", "columns", "group", "target", "values")

    def __init__(self, target: str, group: str, columns: Sequence[tuple[str, float]]) -> None:
        self.target = target
        self.group = group
        self.columns = list(columns)
        self.base = -1
        self.values: Sequence[int] = ()


class Box:
    """Writes one recording. Not for threads: one loop owns it."""

    def __init__(
        self,
        folder: Path | None,
        *,
        head: Head | None = None,
        cap: int = places.CAP_BYTES,
        hours: float = places.HOURS,
        spare: Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.clock = clock or Clock()
        self.store = Store(folder, spare, self._records, cap=cap, hours=hours)
        self._head = head or Head("", "", "", f"{os.getpid()}-{time.time_ns():x}", 0)
        self._tables: dict[Table, None] = {}
        self._ticks: list[Tick] = []
        self._columns = 0
        self._clear()
        self._begin()

    def put(self, table: Table, values: Sequence[int]) -> None:
        """This table's columns at this tick; the first time it is seen it is defined."""
        if table.base < 0:
            self._define(table)
            before: Sequence[int] = (0,) * len(table.columns)
        else:
            before = table.values
        if before == values:
            table.values = values
            return
        number = table.base
        ids, steps = self._ids, self._steps
        for old, new in zip(before, values, strict=True):
            if old != new:
                ids.append(number)
                steps.append(new - old)
            number += 1
        table.values = values

    def read(self, group: str) -> None:
        """Every table of this group was read at this tick, or is as it was."""
        self._read.append(group)

    def end(self, table: Table) -> None:
        """This target is gone, or will be read by another group."""
        self._tables.pop(table, None)
        if table.base >= 0:
            self._ended.append(table.base)
            table.base = -1

    def event(self, event: Event) -> None:
        """Something that happened."""
        self._events.append(event)

    def asked(self, rows: Sequence[Row]) -> None:
        """Condensed requests that ended since the last tick."""
        self._asked.extend(rows)

    def scene(self, packed: bytes) -> None:
        """A look around, as a packed Case."""
        self._scene = packed

    def tick(self) -> None:
        """Close this tick: write its record, and seal the block when it is full."""
        if not self._ticks:
            self._define_all()
        ids, steps = packed_steps(self._ids, self._steps)
        tick = Tick(
            number=len(self._ticks),
            wall_ms=round(1000 * self.clock.wall()),
            mono_ms=round(1000 * self.clock.mono()),
            read=self._read,
            defined=self._defined,
            ended=self._ended,
            ids=ids,
            steps=steps,
            events=self._events,
            asked=self._asked,
            scene=self._scene,
        )
        before = self._ticks[-1] if self._ticks else None
        self.store.append(record_of(tick, before))
        self._ticks.append(tick)
        self._clear()
        if len(self._ticks) >= BLOCK_TICKS:
            self.seal()

    def seal(self) -> None:
        """Pack the open block and begin a new one."""
        if self._ticks:
            self.store.keep(encode(self.store.head, self._ticks))
        self._begin()

    def close(self) -> None:
        """Seal, and let go of the files."""
        if self._ticks:
            self.store.keep(encode(self.store.head, self._ticks))
            self._ticks = []
        self.store.close()

    def _clear(self) -> None:
        self._ids, self._steps = array("I"), array("q")
        self._read: list[str] = []
        self._defined: list[Define] = []
        self._ended: list[int] = []
        self._events: list[Event] = []
        self._asked: list[Row] = []
        self._scene = b""

    def _define(self, table: Table) -> None:
        table.base = self._columns
        self._columns += len(table.columns)
        self._tables[table] = None
        self._defined.append(Define(table.base, table.target, table.group, table.columns))

    def _begin(self) -> None:
        self._ticks = []
        self._columns = 0
        self._head = msgspec.structs.replace(self._head, sequence=self.store.head.sequence + 1)
        self.store.begin(self._head)
        for table in self._tables:
            table.base = -1

    def _define_all(self) -> None:
        """Each block stands alone: what was not put at its first tick begins with what it was."""
        for table in list(self._tables):
            if table.base < 0:
                self.put(table, table.values)

    def _records(self) -> Iterator[bytes]:
        before: Tick | None = None
        for tick in self._ticks:
            yield record_of(tick, before)
            before = tick


def whole(value: float, per: float = 1.0) -> int:
    """A value as a whole number of `per`, bounded; MISSING for what is no number."""
    if value != value:  # noqa: PLR0124 - NaN
        return MISSING
    return max(-MOST, min(MOST, round(value / per)))
