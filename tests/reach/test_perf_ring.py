"""The ring buffer of the kernel's samples is read as written, and nonsense ends it quietly."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.reach.perf_ring import (
    HEAD,
    HEADER,
    LOST,
    PAGE,
    RECORD_LOST,
    RECORD_SAMPLE,
    SAMPLE,
    TAIL,
    CpuSample,
    parse_records,
    read_ring,
)


def record(pid: int, address: int, *, kernel: bool = False) -> bytes:
    body = SAMPLE.pack(address, pid, pid + 1)
    return HEADER.pack(RECORD_SAMPLE, 1 if kernel else 2, HEADER.size + len(body)) + body


def lost_record(count: int) -> bytes:
    body = LOST.pack(77, count) + b"\0" * 8  # the sample's id may follow
    return HEADER.pack(RECORD_LOST, 0, HEADER.size + len(body)) + body


def ring(data: bytes, *, start: int = 0, size: int = PAGE) -> bytearray:
    buffer = bytearray(PAGE + size)
    for n, byte in enumerate(data):
        buffer[PAGE + (start + n) % size] = byte
    struct.pack_into("=QQ", buffer, HEAD, start + len(data), start)
    return buffer


def test_samples_are_read_and_other_records_passed_over() -> None:
    other = HEADER.pack(3, 0, 24) + b"\0" * 16
    found = list(parse_records(record(7, 0x10) + other + record(8, 0x20, kernel=True)))
    assert found == [CpuSample(7, 8, 0x10, False), CpuSample(8, 9, 0x20, True)]


def test_lost_samples_are_counted() -> None:
    lost: list[int] = []
    data = record(1, 1) + lost_record(5) + record(2, 2) + lost_record(37)
    assert [sample.pid for sample in parse_records(data, lost)] == [1, 2]
    assert lost == [5, 37]


@pytest.mark.parametrize("start", [0, 8, PAGE - 24, PAGE - 8, 5 * PAGE - 16])
def test_a_ring_that_wraps_is_put_together(start: int) -> None:
    data = b"".join(record(n, n) for n in range(1, 20))
    assert [sample.pid for sample in read_ring(ring(data, start=start))] == list(range(1, 20))


def test_a_ring_that_is_full_to_the_last_byte() -> None:
    data = record(3, 3) * (PAGE // 24)
    data += HEADER.pack(3, 0, PAGE - len(data)) + b"\0" * (PAGE - len(data) - HEADER.size)
    assert len(data) == PAGE
    assert len(read_ring(ring(data, start=PAGE - 8))) == PAGE // 24


def test_what_was_read_is_not_read_again_and_gives_its_room_back() -> None:
    buffer = ring(record(1, 1) * 3, start=PAGE - 8)
    assert len(read_ring(buffer)) == 3
    assert read_ring(buffer) == []
    head, tail = struct.unpack_from("=QQ", buffer, HEAD)
    assert head == tail


@pytest.mark.parametrize(("head", "tail"), [(0, 0), (8, 16), (10 * PAGE, 0), (2**64 - 1, 0)])
def test_a_head_that_cannot_be_right_gives_nothing(head: int, tail: int) -> None:
    buffer = ring(record(1, 1))
    struct.pack_into("=QQ", buffer, HEAD, head, tail)
    assert read_ring(buffer) == []
    assert struct.unpack_from("=Q", buffer, TAIL) == (head,)


@pytest.mark.parametrize("size", [0, 1, 7, 33, 0xFFFF])
def test_a_size_that_cannot_be_right_ends_it(size: int) -> None:
    broken = HEADER.pack(RECORD_SAMPLE, 0, size) + b"\xff" * 24
    assert next(parse_records(record(1, 1) + broken)) == CpuSample(1, 2, 1, False)
    assert len(list(parse_records(broken * 50))) <= 1


def test_a_record_cut_short_is_no_sample() -> None:
    assert list(parse_records(record(1, 1) + record(2, 2)[:-1])) == [CpuSample(1, 2, 1, False)]
    short = HEADER.pack(RECORD_SAMPLE, 0, HEADER.size + 8) + b"\0" * 8
    lost: list[int] = []
    cut = HEADER.pack(RECORD_LOST, 0, HEADER.size + 8) + b"\1" * 8
    assert list(parse_records(short + cut + record(2, 2), lost)) == [CpuSample(2, 3, 2, False)]
    assert lost == []


@given(st.binary(max_size=400))
def test_nonsense_ends_it_quietly(data: bytes) -> None:
    assert len(list(parse_records(data, []))) <= len(data) // HEADER.size


@given(st.binary(max_size=400), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_any_ring_is_read(data: bytes, head: int, tail: int) -> None:
    buffer = bytearray(PAGE) + bytearray(data.ljust(400, b"\1") * 16)[:PAGE]
    struct.pack_into("=QQ", buffer, HEAD, head, tail)
    assert len(read_ring(buffer, [])) <= PAGE // HEADER.size
