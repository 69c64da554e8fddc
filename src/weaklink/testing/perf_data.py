"""A JVM's counter file, made by hand: what a HotSpot writes to /tmp/hsperfdata_USER/PID."""

from __future__ import annotations

import struct

SECOND = 1_000_000_000


def _entry(name: str, value: int | str) -> bytes:
    label = name.encode() + b"\0"
    name_at = 20
    value_at = (name_at + len(label) + 7) // 8 * 8
    if isinstance(value, int):
        body, kind, length = struct.pack("<q", value), b"J", 0
    else:
        body, kind, length = value.encode() + b"\0", b"B", len(value) + 1
    size = (value_at + len(body) + 7) // 8 * 8
    head = struct.pack("<iii", size, name_at, length) + kind + b"\0\4\2"
    head += struct.pack("<i", value_at)
    return (head + label).ljust(value_at, b"\0") + body.ljust(size - value_at, b"\0")


def perf_data(values: dict[str, int | str]) -> bytes:
    """A whole file with these counters, little-endian, as HotSpot lays it out."""
    rows = b"".join(_entry(name, value) for name, value in values.items())
    head = bytes.fromhex("cafec0c001020001") + struct.pack("<iiqii", 32, 0, 0, 32, len(values))
    return head + rows


HEAP: dict[str, int | str] = {
    "sun.os.hrt.frequency": SECOND,
    "sun.os.hrt.ticks": 100 * SECOND,
    "sun.gc.collector.0.name": "Serial young collection pauses",
    "sun.gc.collector.0.time": 2 * SECOND,
    "sun.gc.collector.0.invocations": 40,
    "sun.gc.collector.1.name": "Serial full collection pauses",
    "sun.gc.collector.1.time": 9 * SECOND,
    "sun.gc.collector.1.invocations": 12,
    "sun.gc.generation.1.space.0.used": 90,
    "sun.gc.generation.1.maxCapacity": 100,
    "sun.gc.cause": "No GC",
    "sun.gc.lastCause": "Allocation Failure",
}
