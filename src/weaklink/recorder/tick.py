"""One second of the open block, and the log that keeps it: each record stands twice.

A record holds what changed at its tick, and once more what changed at the tick before: one record
that is damaged loses nothing. A log is read up to where two in a row are gone.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterator

import msgspec

from weaklink.model.event import Event
from weaklink.recorder.asked import Row
from weaklink.recorder.columns import Damaged, inflate, shuffled, unshuffled

MARK = b"\xb7WL1"
FRAME = struct.Struct("<4sII")
"""Mark, length of what follows, its CRC-32."""
MAX_RECORD = 16 << 20
QUICK = 1
"""Of zlib: a record is packed each second and kept for minutes only."""


class Define(msgspec.Struct, frozen=True, array_like=True):
    """A target whose columns begin at number `base`: (quantity, scale) of each, read by `group`."""

    base: int
    target: str
    group: str
    columns: list[tuple[str, float]]


class Tick(msgspec.Struct, frozen=True, array_like=True):
    """What one tick brought. `ids` and `steps` are arrays `I` and `q`, as bytes, shuffled."""

    number: int
    wall_ms: int
    mono_ms: int
    read: list[str] = []
    """Groups that were read at this tick, whether or not something moved."""
    defined: list[Define] = []
    ended: list[int] = []
    ids: bytes = b""
    steps: bytes = b""
    events: list[Event] = []
    asked: list[Row] = []
    scene: bytes = b""


class Head(msgspec.Struct, frozen=True, array_like=True):
    """Who wrote a log or block, and of which boot: monotonic times compare within one only."""

    version: str
    host: str
    boot: str
    run: str
    sequence: int


class _Pair(msgspec.Struct, frozen=True, array_like=True):
    tick: Tick
    before: Tick | None = None


_encode = msgspec.msgpack.Encoder().encode
_pair = msgspec.msgpack.Decoder(_Pair)
_head = msgspec.msgpack.Decoder(Head)


def steps_of(tick: Tick) -> tuple[array[int], array[int]]:
    """Column numbers and by how much each moved; raises Damaged."""
    ids, steps = array("I"), array("q")
    ids.frombytes(unshuffled(tick.ids, ids.itemsize))
    steps.frombytes(unshuffled(tick.steps, steps.itemsize))
    if len(ids) != len(steps):
        raise Damaged("columns and values differ in number")
    return ids, steps


def packed_steps(ids: array[int], steps: array[int]) -> tuple[bytes, bytes]:
    """The same as a Tick holds them."""
    return shuffled(ids.tobytes(), ids.itemsize), shuffled(steps.tobytes(), steps.itemsize)


def framed(payload: bytes) -> bytes:
    """A payload with its mark, length and checksum."""
    return FRAME.pack(MARK, len(payload), zlib.crc32(payload)) + payload


def record_of(tick: Tick, before: Tick | None) -> bytes:
    """The bytes to append for a tick."""
    light = None if before is None else msgspec.structs.replace(before, scene=b"")
    return framed(zlib.compress(_encode(_Pair(tick, light)), QUICK))


def head_of(head: Head) -> bytes:
    """The bytes that a log begins with: twice, for the same reason."""
    return framed(zlib.compress(_encode(head), QUICK)) * 2


def frames(data: bytes) -> Iterator[bytes]:
    """Payloads whose checksum fits, in order; what is damaged or cut is stepped over."""
    place = data.find(MARK)
    while place >= 0 and place + FRAME.size <= len(data):
        _, length, told = FRAME.unpack_from(data, place)
        end = place + FRAME.size + length
        if length <= MAX_RECORD and end <= len(data):
            payload = data[place + FRAME.size : end]
            if zlib.crc32(payload) == told:
                yield payload
                place = data.find(MARK, end)
                continue
        place = data.find(MARK, place + 1)


def read_log(data: bytes) -> tuple[Head | None, list[Tick]]:
    """Who wrote a log, and its ticks in order as far as none is missing."""
    head: Head | None = None
    ticks: list[Tick] = []
    for payload in frames(data):
        try:
            plain = inflate(payload)
            if not ticks and head is None:
                head = _head.decode(plain)
                continue
            pair = _pair.decode(plain)
        except (Damaged, msgspec.DecodeError):
            continue
        expected = ticks[-1].number + 1 if ticks else 0
        if pair.tick.number == expected + 1 and pair.before is not None:
            if pair.before.number != expected:
                break
            ticks.append(pair.before)
        elif pair.tick.number != expected:
            break
        ticks.append(pair.tick)
    return head, ticks
