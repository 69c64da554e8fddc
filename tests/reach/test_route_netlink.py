"""The kernel's routing is asked over netlink, and broken answers are no answers."""

from __future__ import annotations

import socket
import struct
import time

from weaklink.reach.route_netlink import (
    Answer,
    NeighbourRow,
    parse_link,
    parse_neighbour,
    parse_network,
    parse_route,
    surroundings,
)


def attribute(kind: int, content: bytes) -> bytes:
    padding = b"\0" * (-len(content) % 4)
    return struct.pack("=HH", 4 + len(content), kind) + content + padding


def test_what_is_local_is_answered_as_local() -> None:
    found = surroundings(["127.0.0.1"], deadline=time.monotonic() + 5)
    assert found.answers["127.0.0.1"].kind == "local"
    assert found.links[found.answers["127.0.0.1"].device].name == "lo"


def test_a_way_over_a_gateway_is_read_from_one_message() -> None:
    head = struct.pack("=BBBBBBBBI", 2, 32, 0, 0, 254, 0, 0, 1, 0)
    body = attribute(4, struct.pack("=I", 7)) + attribute(5, socket.inet_aton("10.0.0.1"))
    assert parse_route(head + body) == Answer(7, "10.0.0.1", "", 254, "unicast", "")


def test_a_neighbour_that_failed_has_no_hardware_address() -> None:
    head = struct.pack("=BxxxiHBB", 2, 3, 0x20, 0, 1)
    row = parse_neighbour(head + attribute(1, socket.inet_aton("10.0.0.9")))
    assert row == NeighbourRow(3, "10.0.0.9", "", "FAILED")


def test_an_address_of_a_single_host_is_no_network() -> None:
    for bits, known in ((24, True), (32, False)):
        head = struct.pack("=BBBBI", 2, bits, 0, 0, 4)
        found = parse_network(head + attribute(1, socket.inet_aton("10.0.0.9")))
        assert (found is not None) is known


def test_messages_that_are_cut_short_tell_nothing() -> None:
    assert parse_route(b"\x02") == Answer()
    assert parse_link(b"\x02") is None
    assert parse_neighbour(b"\x02") is None
    assert parse_network(b"\x02") is None
