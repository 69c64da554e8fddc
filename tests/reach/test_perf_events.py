"""The ring buffer of the kernel's samples is read as written, and nonsense ends it quietly."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.reach.host import NotAllowed, NotHere
from weaklink.reach.perf_events import (
    HEAD,
    HEADER,
    PAGE,
    RECORD_SAMPLE,
    SAMPLE,
    TAIL,
    CpuSample,
    parse_records,
    read_ring,
    sample_cpus,
)


def record(pid: int, address: int, *, kernel: bool = False) -> bytes:
    body = SAMPLE.pack(address, pid, pid + 1)
    return HEADER.pack(RECORD_SAMPLE, 1 if kernel else 2, HEADER.size + len(body)) + body


def ring(data: bytes, *, start: int = 0, size: int = PAGE) -> bytearray:
    buffer = bytearray(PAGE + size)
    for n, byte in enumerate(data):
        buffer[PAGE + (start + n) % size] = byte
    struct.pack_into("<Q", buffer, HEAD, start + len(data))
    struct.pack_into("<Q", buffer, TAIL, start)
    return buffer


def test_samples_are_read_and_other_records_passed_over() -> None:
    lost = HEADER.pack(2, 0, 24) + b"\0" * 16
    found = list(parse_records(record(7, 0x10) + lost + record(8, 0x20, kernel=True)))
    assert found == [CpuSample(7, 8, 0x10, False), CpuSample(8, 9, 0x20, True)]


@pytest.mark.parametrize("start", [0, 8, PAGE - 24, PAGE - 8])
def test_a_ring_that_wraps_is_put_together(start: int) -> None:
    data = b"".join(record(n, n) for n in range(1, 20))
    assert [sample.pid for sample in read_ring(ring(data, start=start))] == list(range(1, 20))


@given(st.binary(max_size=400))
def test_nonsense_ends_it_quietly(data: bytes) -> None:
    assert len(list(parse_records(data))) <= len(data)


def test_a_size_of_nothing_does_not_hang() -> None:
    assert list(parse_records(HEADER.pack(RECORD_SAMPLE, 0, 0) * 50)) == []


def test_the_machine_is_sampled_where_the_kernel_allows_it() -> None:
    try:
        samples, hertz = sample_cpus(0.2)
    except (NotAllowed, NotHere):
        return  # what it says then is a text of the catalogue, checked for all of them
    assert hertz > 0
    assert all(sample.pid >= 0 for sample in samples)
