"""The kernel's small files on room in a network namespace, and what is none of them."""

from __future__ import annotations

import pytest

from weaklink.parse.net_room import parse_conntrack_stat, parse_count, parse_port_range

STAT = b"""entries  clashres found new invalid ignore drop early_drop icmp_error
0000000a  00000000 00000000 00000000 00000001 00000000 00000010 00000001 00000000
0000000a  00000000 00000000 00000000 00000001 00000000 00000002 00000000 00000000
"""


def test_drops_of_all_processors_are_counted_together() -> None:
    assert parse_conntrack_stat(STAT) == 19


@pytest.mark.parametrize("raw", [b"", b"drop\n", b"found new\n1 2\n", b"drop\nzz\n"])
def test_a_table_that_tells_no_drops_is_unknown(raw: bytes) -> None:
    assert parse_conntrack_stat(raw) is None


@pytest.mark.parametrize(
    ("raw", "known"),
    [(b"32768\t60999\n", (32768, 60999)), (b"", None), (b"9 1", None), (b"1 x", None)],
)
def test_a_port_range_has_two_ends_in_order(raw: bytes, known: tuple[int, int] | None) -> None:
    assert parse_port_range(raw) == known


def test_a_count_is_one_number() -> None:
    assert (parse_count(b"42\n"), parse_count(b"-1"), parse_count(b"")) == (42, None, None)
