"""A sealed block: some minutes of everything, in sections that are damaged or whole apart.

Each section is framed and has a checksum of its own; values come in sections of some hundred
columns, so that a flipped byte costs those columns and nothing else, and no sample is ever wrong.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec

from weaklink.model.event import Event
from weaklink.recorder.asked import Row
from weaklink.recorder.columns import WIDTHS, Damaged, inflate, narrow, pack, unpack, width_for
from weaklink.recorder.tick import Define, Head, Tick, framed, frames, steps_of

MISSING = -(1 << 61)
"""Value of what could not be read at a tick at which its group was."""
DENSE = 0.3
"""Share of its rows at which a column moves, from which on every row is kept: read back faster."""
CHUNK = 256
"""Columns of one section of values."""
HEAD, CLOCK, GROUPS, TABLES, VALUES, EVENTS, ASKED, SCENE, END = b"HCGTVEASZ"


class Table(msgspec.Struct, frozen=True, array_like=True):
    """One target's columns: numbers `base` … in the block; there from tick `first` to `until`."""

    base: int
    target: str
    group: str
    first: int
    until: int
    columns: list[tuple[str, float]]


class _Values(msgspec.Struct, frozen=True, array_like=True):
    base: int
    counts: bytes
    places: bytes
    widths: bytes
    steps: dict[int, bytes]


class Moves(NamedTuple):
    """Where a column moved (ticks) and by how much; it starts from 0."""

    places: array[int]
    steps: array[int]


_encode = msgspec.msgpack.Encoder().encode
_GROUPS = msgspec.msgpack.Decoder(dict[str, bytes])
_TABLES = msgspec.msgpack.Decoder(list[Table])
_VALUES = msgspec.msgpack.Decoder(_Values)
_EVENTS = msgspec.msgpack.Decoder(list[Event])
_ASKED = msgspec.msgpack.Decoder(list[Row])
_SCENE = msgspec.msgpack.Decoder(tuple[int, bytes])
_COUNT = msgspec.msgpack.Decoder(int)
_CLOCK = msgspec.msgpack.Decoder(tuple[bytes, bytes])
_HEADER = msgspec.msgpack.Decoder(Head)


def encode(head: Head, ticks: Sequence[Tick]) -> bytes:
    """A block of these ticks, which follow each other from 0 on."""
    tables = tables_of(ticks)
    reads: dict[str, list[int]] = {}
    for tick in ticks:
        for group in tick.read:
            reads.setdefault(group, []).append(tick.number)
    out = [_section(HEAD, _encode(head), plain=True)] * 2
    clock = (_differences(tick.wall_ms for tick in ticks), _differences(t.mono_ms for t in ticks))
    out += [_section(CLOCK, _encode(clock))] * 2
    groups = {name: _differences(found) for name, found in reads.items()}
    out += [_section(GROUPS, _encode(groups)), _section(TABLES, _encode(tables))]
    parts = _values(ticks, tables, {name: array("H", found) for name, found in reads.items()})
    out += [_section(VALUES, _encode(part), plain=True) for part in parts]
    events = [event for tick in ticks for event in tick.events]
    if events:
        out.append(_section(EVENTS, _encode(events)))
    asked = [row for tick in ticks for row in tick.asked]
    if asked:
        out.append(_section(ASKED, _encode(asked)))
    for tick in ticks:
        if tick.scene:
            out.append(_section(SCENE, _encode((tick.number, tick.scene)), plain=True))
    return b"".join([*out, *[_section(END, _encode(len(out)), plain=True)] * 2])


def tables_of(ticks: Sequence[Tick]) -> list[Table]:
    """All tables that these ticks defined, in the order of their columns."""
    ended = {base: tick.number for tick in ticks for base in tick.ended}
    end = len(ticks)
    return [
        Table(one.base, one.target, one.group, tick.number, ended.get(one.base, end), one.columns)
        for tick in ticks
        for one in sorted(tick.defined, key=_base)
    ]


def _base(one: Define) -> int:
    return one.base


def _differences(numbers: Iterable[int]) -> bytes:
    held = list(numbers)
    return pack(narrow([b - a for a, b in zip([0, *held], held, strict=False)]))


def _section(kind: int, payload: bytes, *, plain: bool = False) -> bytes:
    return framed(bytes([kind]) + (payload if plain else zlib.compress(payload, 6)))


def _values(
    ticks: Sequence[Tick], tables: Sequence[Table], reads: dict[str, array[int]]
) -> Iterator[_Values]:
    total = max((table.base + len(table.columns) for table in tables), default=0)
    places: list[Sequence[int]] = [[] for _ in range(total)]
    moved: list[Sequence[int]] = [[] for _ in range(total)]
    for tick in ticks:
        number = tick.number
        for column, step in zip(*steps_of(tick), strict=True):
            places[column].append(number)  # type: ignore[attr-defined]
            moved[column].append(step)  # type: ignore[attr-defined]
    for table in tables:
        read = rows_within(reads.get(table.group, array("H")), table)
        for column in range(table.base, table.base + len(table.columns)):
            if len(read) > len(moved[column]) > DENSE * len(read):
                steps = dict(zip(places[column], moved[column], strict=True))
                if steps.keys() <= set(read):
                    places[column], moved[column] = read, [steps.get(row, 0) for row in read]
    for base in range(0, total, CHUNK):
        columns = range(base, min(base + CHUNK, total))
        widths = bytes(width_for(moved[column]) for column in columns)
        by_width: dict[int, array[int]] = {}
        gaps = array("H")
        for column, width in zip(columns, widths, strict=True):
            by_width.setdefault(width, array(WIDTHS[width])).extend(moved[column])
            gaps.extend(b - a for a, b in zip([0, *places[column]], places[column], strict=False))
        yield _Values(
            base,
            pack(array("H", (len(places[column]) for column in columns))),
            pack(gaps),
            widths,
            {width: pack(steps) for width, steps in by_width.items()},
        )


def rows_within(read: array[int], table: Table) -> array[int]:
    """Of the ticks at which its group was read, those at which a table was there."""
    return read[bisect_left(read, table.first) : bisect_left(read, table.until)]


class Block:
    """A block that was read; what is damaged of it is left out, `damaged` counts the sections."""

    def __init__(self, data: bytes) -> None:
        self.head: Head | None = None
        self.wall: array[int] = array("q")
        self.mono: array[int] = array("q")
        self.tables: list[Table] = []
        self.damaged = 0
        self._groups: dict[str, array[int]] = {}
        self._chunks: list[bytes] = []
        self._loose: dict[int, list[bytes]] = {EVENTS: [], ASKED: [], SCENE: []}
        taken, told = 0, -1
        for payload in frames(data):
            try:
                if payload[:1] == bytes([END]):
                    told = max(told, _COUNT.decode(payload[1:]))
                    continue
                taken += 1
                self._take(payload[0], payload[1:])
            except (Damaged, msgspec.DecodeError, IndexError, OverflowError):
                self.damaged += 1
        self.damaged += max(0, told - taken) if told >= 0 else 1

    def _take(self, kind: int, body: bytes) -> None:
        if kind == HEAD:
            self.head = self.head or _HEADER.decode(body)
        elif kind == CLOCK and not self.wall:
            wall, mono = (_sums(unpack(one)) for one in _CLOCK.decode(inflate(body)))
            if len(wall) == len(mono):
                self.wall, self.mono = wall, mono
        elif kind == GROUPS:
            found = _GROUPS.decode(inflate(body))
            self._groups = {name: _sums(unpack(one)) for name, one in found.items()}
        elif kind == TABLES:
            self.tables = _TABLES.decode(inflate(body))
        elif kind == VALUES:
            self._chunks.append(body)
        elif kind in self._loose:
            self._loose[kind].append(body)

    def read_at(self, table: Table) -> array[int]:
        """Ticks at which a table's group was read while it was there."""
        return rows_within(self._groups.get(table.group, array("q")), table)

    def moves(self) -> dict[int, Moves]:
        """What is known of each column, by number; columns of damaged sections are not in it."""
        found: dict[int, Moves] = {}
        for body in self._chunks:
            try:
                found.update(_moves(body))
            except (Damaged, msgspec.DecodeError, KeyError, ValueError):
                self.damaged += 1
        return found

    def events(self) -> list[Event]:
        """All events."""
        return [event for body in self._whole(EVENTS) for event in _EVENTS.decode(body)]

    def asked(self) -> list[Row]:
        """All condensed requests."""
        return [row for body in self._whole(ASKED) for row in _ASKED.decode(body)]

    def scenes(self) -> list[tuple[int, bytes]]:
        """(tick, packed Case) of each look around."""
        found = []
        for body in self._loose[SCENE]:
            try:
                found.append(_SCENE.decode(body))
            except msgspec.DecodeError:
                self.damaged += 1
        return found

    def _whole(self, kind: int) -> Iterator[bytes]:
        for body in self._loose[kind]:
            try:
                yield inflate(body)
            except Damaged:
                self.damaged += 1


def _sums(steps: array[int]) -> array[int]:
    return array("q", accumulate(steps))


def _moves(body: bytes) -> Iterator[tuple[int, Moves]]:
    chunk = _VALUES.decode(body)
    counts = unpack(chunk.counts)
    gaps = unpack(chunk.places)
    steps = {width: unpack(packed) for width, packed in chunk.steps.items()}
    if len(counts) != len(chunk.widths):
        raise Damaged("columns and widths differ in number")
    read = dict.fromkeys(steps, 0)
    at = 0
    for number, (count, width) in enumerate(zip(counts, chunk.widths, strict=True)):
        begin = read[width]
        read[width] = begin + count
        own = steps[width][begin : begin + count]
        if len(own) != count:
            raise Damaged("too few values")
        yield chunk.base + number, Moves(gaps[at : at + count], own)
        at += count


FEW = 24
"""Moves up to which a column is put together from runs instead of row by row."""
_ZERO = array("q", [0])


def values_of(moves: Moves, ticks: array[int]) -> array[int]:
    """A column's values at these ticks, which are the ones at which it was read."""
    gaps, steps = moves
    rows, count = len(ticks), len(steps)
    if rows == 0 or count == 0:
        return _ZERO * rows
    if count == rows:
        return array("q", list(accumulate(steps)))
    first = ticks[0]
    whole = ticks[-1] - first == rows - 1
    if count == 1 and whole:
        at = gaps[0] - first
        return _ZERO * at + array("q", steps) * (rows - at)
    if count <= FEW:
        return _runs(moves, ticks, whole=whole)
    dense = [0] * rows
    if whole:
        for place, step in zip(accumulate(gaps), steps, strict=True):
            dense[place - first] = step
    else:
        row_of = {tick: row for row, tick in enumerate(ticks)}
        for place, step in zip(accumulate(gaps), steps, strict=True):
            dense[row_of[place]] = step
    return array("q", list(accumulate(dense)))


def _runs(moves: Moves, ticks: array[int], *, whole: bool) -> array[int]:
    """Each value as often as it was read; `whole` where no tick is missing between them."""
    values: array[int] = array("q")
    value, row, first = 0, 0, ticks[0]
    for place, step in zip(accumulate(moves.places), moves.steps, strict=True):
        until = place - first if whole else bisect_left(ticks, place)
        values += array("q", (value,)) * (until - row)
        value, row = value + step, until
    values += array("q", (value,)) * (len(ticks) - row)
    return values
