"""The kernel's ring buffer of samples, read as bytes: whole records only, lost ones counted.

Layout from include/uapi/linux/perf_event.h: a page of control fields, then a ring of records,
each a header (kind, misc bits, size) and what the event's `sample_type` asked for.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from typing import NamedTuple

PAGE = mmap.PAGESIZE
HEADER = struct.Struct("=IHH")
SAMPLE = struct.Struct("=QII")
"""PERF_SAMPLE_IP and PERF_SAMPLE_TID: address, process, thread."""
LOST = struct.Struct("=QQ")
"""Of PERF_RECORD_LOST: the event, and how many records found no room."""
RECORD_LOST, RECORD_SAMPLE = 2, 9
MISC_MODE, MISC_KERNEL = 7, 1
HEAD, TAIL = 1024, 1032
"""Offsets of data_head and data_tail in the control page."""


class CpuSample(NamedTuple):
    """One interrupted instruction; `pid` 0 is the idle task."""

    pid: int
    tid: int
    address: int
    kernel: bool


def read_ring(ring: mmap.mmap | bytearray, lost: list[int] | None = None) -> list[CpuSample]:
    """Samples since the last time, and their room given back; counts of lost ones go to `lost`.

    A head that cannot be right (behind the tail, or further than the ring is long) gives nothing.
    """
    (head,) = struct.unpack_from("=Q", ring, HEAD)
    (tail,) = struct.unpack_from("=Q", ring, TAIL)
    size = len(ring) - PAGE
    length = head - tail
    found: list[CpuSample] = []
    if 0 < length <= size:
        start = tail % size
        end = start + length
        data = bytes(ring[PAGE + start : PAGE + min(end, size)])
        if end > size:
            data += bytes(ring[PAGE : PAGE + end - size])
        found = list(parse_records(data, lost))
    struct.pack_into("=Q", ring, TAIL, head)
    return found


def parse_records(data: bytes, lost: list[int] | None = None) -> Iterator[CpuSample]:
    """Samples of a run of whole records; other kinds are passed over, nonsense ends it."""
    at = 0
    while at + HEADER.size <= len(data):
        kind, misc, size = HEADER.unpack_from(data, at)
        if size < HEADER.size or at + size > len(data):
            return
        body = size - HEADER.size
        if kind == RECORD_SAMPLE and body >= SAMPLE.size:
            address, pid, tid = SAMPLE.unpack_from(data, at + HEADER.size)
            yield CpuSample(pid, tid, address, kernel=misc & MISC_MODE == MISC_KERNEL)
        elif kind == RECORD_LOST and body >= LOST.size and lost is not None:
            lost.append(LOST.unpack_from(data, at + HEADER.size)[1])
        at += size
