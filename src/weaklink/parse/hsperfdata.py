"""Reads the counters that a JVM keeps in its own file, `/tmp/hsperfdata_USER/PID`.

The layout is HotSpot's PerfData, version 2 (jdk/src/hotspot/share/runtime/perfMemory.hpp): a
prologue of 32 bytes, then entries of a name and a 64-bit number or a text.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

MAGIC = 0xCAFEC0C0
MAX_ENTRIES = 2_000
"""A JVM writes about 250; what says more is no JVM's."""
MAX_NAME, MAX_VALUE = 200, 200
_PROLOGUE, _ENTRY = 32, 20
_COLLECTORS = 4


class HeapCounters(NamedTuple):
    """What the JVM had counted at one moment; seconds since it started."""

    paused_seconds: float
    collections: int
    full: int
    full_seconds: float
    old_used: float
    old_max: float
    reason: str


def parse_hsperfdata(raw: bytes) -> dict[str, int | str]:
    """Values by name; empty for what is no such file. Never raises, whatever the bytes are."""
    if len(raw) < _PROLOGUE or raw[:4] != MAGIC.to_bytes(4, "big") or raw[5] != 2:
        return {}
    order = "<" if raw[4] == 1 else ">"
    at, count = struct.unpack_from(order + "ii", raw, 24)
    found: dict[str, int | str] = {}
    for _ in range(min(count, MAX_ENTRIES)):
        if at < _PROLOGUE or at + _ENTRY > len(raw):
            break
        size, name_at, length = struct.unpack_from(order + "iii", raw, at)
        value_at = struct.unpack_from(order + "i", raw, at + 16)[0]
        if size < _ENTRY or not 0 < name_at < value_at < size or at + size > len(raw):
            break
        name = _text(raw[at + name_at : at + value_at][:MAX_NAME])
        start = at + value_at
        if raw[at + 12 : at + 13] == b"J" and length == 0 and start + 8 <= len(raw):
            found[name] = struct.unpack_from(order + "q", raw, start)[0]
        elif raw[at + 12 : at + 13] == b"B" and 0 < length <= size - value_at:
            found[name] = _text(raw[start : start + min(length, MAX_VALUE)])
        at += size
    return found


def heap_counters(values: dict[str, int | str]) -> HeapCounters | None:
    """Collections and the old generation; None where the file does not tell of collections.

    Collector 1 collects the whole heap with everything stopped, except where its name says that
    it works beside the application (CMS, and what is called concurrent).
    """
    ticks = _number(values, "sun.os.hrt.frequency")
    if ticks <= 0 or "sun.gc.collector.0.time" not in values:
        return None
    paused, count, full, full_seconds = 0.0, 0, 0, 0.0
    for n in range(_COLLECTORS):
        own = f"sun.gc.collector.{n}"
        if f"{own}.time" not in values:
            continue
        seconds = (_number(values, f"{own}.time") + _lasting(values, own)) / ticks
        times = int(_number(values, f"{own}.invocations"))
        paused, count = paused + seconds, count + times
        name = str(values.get(f"{own}.name", ""))
        if n == 1 and "concurrent" not in name.lower() and "CMS" not in name:
            full, full_seconds = times, seconds
    return HeapCounters(
        paused, count, full, full_seconds,
        old_used=_number(values, "sun.gc.generation.1.space.0.used"),
        old_max=_number(values, "sun.gc.generation.1.maxCapacity"),
        reason=_reason(values),
    )  # fmt: skip


def _lasting(values: dict[str, int | str], own: str) -> float:
    """Ticks of a pause that has not ended: its time is added only then."""
    entered = _number(values, f"{own}.lastEntryTime")
    if entered <= _number(values, f"{own}.lastExitTime"):
        return 0.0
    return max(0.0, _number(values, "sun.os.hrt.ticks") - entered)


def _reason(values: dict[str, int | str]) -> str:
    now = str(values.get("sun.gc.cause", ""))
    return now if now not in {"", "No GC"} else str(values.get("sun.gc.lastCause", ""))


def _number(values: dict[str, int | str], name: str) -> float:
    value = values.get(name, 0)
    return float(value) if isinstance(value, int) else 0.0


def _text(raw: bytes) -> str:
    kept = raw.split(b"\0", 1)[0].decode("ascii", "replace")
    return "".join(letter if letter.isprintable() else "?" for letter in kept)
