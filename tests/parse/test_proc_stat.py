"""Whatever a process calls itself, its stat line is read right or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.proc_stat import parse_pid_stat, parse_schedstat

REST = (
    "S 1 41 41 0 -1 4194560 500 0 7 0 150 50 0 0 20 -5 3 0 9000 1000000 2500"
    " 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 42 0 0 0 0 0 0 0 0 0 0\n"
)


def line(name: bytes, rest: str = REST) -> bytes:
    return b"41 (" + name + b") " + rest.encode()


def test_reads_every_field_that_we_use() -> None:
    stat = parse_pid_stat(line(b"nginx"))
    assert stat is not None
    assert (stat.pid, stat.name, stat.state, stat.ppid) == (41, "nginx", "S", 1)
    assert (stat.major_faults, stat.cpu_ticks, stat.nice, stat.threads) == (7, 200, -5, 3)
    assert (stat.start_ticks, stat.resident, stat.io_delay_ticks) == (9000, 2500, 42)


@pytest.mark.parametrize(
    "name",
    [b"a) R 1 1 (x", b")", b"((((", b"S 1 2 3) Z 9", b"a b\tc", b"x\ny", b"\x1b[31mred", b""],
)
def test_a_hostile_name_is_cut_at_the_last_parenthesis(name: bytes) -> None:
    stat = parse_pid_stat(line(name))
    assert stat is not None
    assert stat.name == name.decode()
    assert (stat.state, stat.start_ticks) == ("S", 9000)


def test_a_name_that_is_no_utf8_can_be_written_as_json() -> None:
    stat = parse_pid_stat(line(b"\xff\xfe\x00"))
    assert stat is not None
    assert stat.name == "\\xff\\xfe\\x00"


@pytest.mark.parametrize(
    "raw", [b"", b"41", b"41 (x", b"41 (x)", b"41 (x) S 1 2", b"x (y) " + REST.encode()]
)
def test_a_line_cut_short_is_no_process(raw: bytes) -> None:
    assert parse_pid_stat(raw) is None


@given(st.binary(max_size=600))
def test_no_bytes_raise(raw: bytes) -> None:
    parse_pid_stat(raw)
    parse_schedstat(raw)


@given(st.binary(min_size=1, max_size=40))
def test_no_name_moves_the_fields(name: bytes) -> None:
    stat = parse_pid_stat(line(name))
    assert stat is not None
    assert stat.start_ticks == 9000


def test_schedstat_is_in_seconds() -> None:
    assert parse_schedstat(b"1500000000 250000000 77\n") == (1.5, 0.25)
    assert parse_schedstat(b"") is None
