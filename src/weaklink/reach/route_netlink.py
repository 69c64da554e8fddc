"""Which way a packet would leave, and over whom: the kernel's routing, asked and never guessed.

Everything here is of the network namespace of the calling thread. See rtnetlink(7),
include/uapi/linux/rtnetlink.h, if_link.h, if_addr.h and neighbour.h.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import struct
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from weaklink.reach.netlink import ask, attributes, dump, open_route

GET_LINK, GET_ADDRESS, GET_ROUTE, GET_NEIGHBOUR = 18, 22, 26, 30
ROUTE_HEAD = struct.Struct("=BBBBBBBBI")
LINK_HEAD = struct.Struct("=BxHiII")
ADDRESS_HEAD = struct.Struct("=BBBBI")
NEIGHBOUR_HEAD = struct.Struct("=BxxxiHBB")
RTA_DST, RTA_OIF, RTA_GATEWAY, RTA_PREFSRC, RTA_TABLE = 1, 4, 5, 7, 15
IFLA_NAME, IFLA_MTU, IFLA_CARRIER = 3, 4, 33
IFA_ADDRESS, IFA_LOCAL = 1, 2
NDA_DST, NDA_MAC = 1, 2
IFF_UP = 1
KINDS = {1: "unicast", 2: "local", 3: "broadcast", 5: "multicast", 6: "blackhole"}
STATES = (
    (0x01, "INCOMPLETE"), (0x02, "REACHABLE"), (0x04, "STALE"), (0x08, "DELAY"), (0x10, "PROBE"),
    (0x20, "FAILED"), (0x40, "NOARP"), (0x80, "PERMANENT"),
)  # fmt: skip
LIMIT = 4096
"""Of interfaces, addresses, neighbours: a node of many pods has some hundreds."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
T = TypeVar("T")


class LinkRow(NamedTuple):
    """One interface."""

    device: int
    name: str
    up: bool
    carrier: bool | None
    mtu: int


class NeighbourRow(NamedTuple):
    """One entry of the neighbour table."""

    device: int
    address: str
    mac: str
    state: str


class Answer(NamedTuple):
    """The kernel's answer to a route lookup; `error` an errno's name where there is no way."""

    device: int = 0
    via: str = ""
    source: str = ""
    table: int = 0
    kind: str = ""
    error: str = ""


class Surroundings(NamedTuple):
    """What a namespace's routing consists of at one moment."""

    links: dict[int, LinkRow]
    networks: list[tuple[int, Network]]
    """Networks of its own addresses, by interface."""
    neighbours: list[NeighbourRow]
    answers: dict[str, Answer]


def surroundings(destinations: list[str], *, deadline: float) -> Surroundings:
    """Ask for each destination; raises OSError or TooLate where the kernel tells nothing."""
    with open_route() as kernel:

        def every(kind: int, request: bytes, read: Callable[[bytes], T | None]) -> list[T]:
            rows = dump(kernel, kind, request, deadline=deadline, limit=LIMIT)
            return [row for row in map(read, rows) if row is not None]

        links = every(GET_LINK, LINK_HEAD.pack(0, 0, 0, 0, 0), parse_link)
        networks = every(GET_ADDRESS, ADDRESS_HEAD.pack(0, 0, 0, 0, 0), parse_network)
        neighbours = every(GET_NEIGHBOUR, NEIGHBOUR_HEAD.pack(0, 0, 0, 0, 0), parse_neighbour)
        answers = {one: _lookup(kernel, one, deadline) for one in destinations}
    return Surroundings({row.device: row for row in links}, networks, neighbours, answers)


def _lookup(kernel: socket.socket, destination: str, deadline: float) -> Answer:
    there = ipaddress.ip_address(destination)
    family = socket.AF_INET if there.version == 4 else socket.AF_INET6
    packed = there.packed
    request = ROUTE_HEAD.pack(family, there.max_prefixlen, 0, 0, 0, 0, 0, 0, 0)
    request += struct.pack("=HH", 4 + len(packed), RTA_DST) + packed
    try:
        return parse_route(ask(kernel, GET_ROUTE, request, deadline=deadline))
    except OSError as error:
        return Answer(error=errno.errorcode.get(error.errno or 0, str(error.errno)))


def parse_route(data: bytes) -> Answer:
    """One route message; what is cut short has no error and no interface: unknown."""
    if len(data) < ROUTE_HEAD.size:
        return Answer()
    _, _, _, _, table, _, _, kind, _ = ROUTE_HEAD.unpack_from(data)
    found = attributes(data, ROUTE_HEAD.size)
    return Answer(
        device=_number(found.get(RTA_OIF, b"")),
        via=_ip(found.get(RTA_GATEWAY, b"")),
        source=_ip(found.get(RTA_PREFSRC, b"")),
        table=_number(found.get(RTA_TABLE, b"")) or table,
        kind=KINDS.get(kind, str(kind)),
    )


def parse_link(data: bytes) -> LinkRow | None:
    """One interface; None where the message is cut short."""
    if len(data) < LINK_HEAD.size:
        return None
    _, _, index, flags, _ = LINK_HEAD.unpack_from(data)
    found = attributes(data, LINK_HEAD.size)
    carrier = found.get(IFLA_CARRIER)
    return LinkRow(
        index,
        os.fsdecode(found.get(IFLA_NAME, b"").rstrip(b"\0")),
        bool(flags & IFF_UP),
        None if not carrier or not flags & IFF_UP else carrier[0] == 1,
        _number(found.get(IFLA_MTU, b"")),
    )


def parse_network(data: bytes) -> tuple[int, Network] | None:
    """The network of one address of an interface; None for a single host's (/32, /128)."""
    if len(data) < ADDRESS_HEAD.size:
        return None
    _, bits, _, _, index = ADDRESS_HEAD.unpack_from(data)
    found = attributes(data, ADDRESS_HEAD.size)
    address = _ip(found.get(IFA_ADDRESS, b"") or found.get(IFA_LOCAL, b""))
    try:
        network = ipaddress.ip_network(f"{address}/{bits}", strict=False)
    except ValueError:
        return None
    return (index, network) if network.num_addresses > 1 else None


def parse_neighbour(data: bytes) -> NeighbourRow | None:
    """One neighbour; None where the message is cut short or names no address."""
    if len(data) < NEIGHBOUR_HEAD.size:
        return None
    _, index, state, _, _ = NEIGHBOUR_HEAD.unpack_from(data)
    found = attributes(data, NEIGHBOUR_HEAD.size)
    address = _ip(found.get(NDA_DST, b""))
    mac = ":".join(f"{byte:02x}" for byte in found.get(NDA_MAC, b""))
    name = next((name for bit, name in STATES if state & bit), "")
    return NeighbourRow(index, address, mac, name) if address else None


def _ip(raw: bytes) -> str:
    return str(ipaddress.ip_address(raw)) if len(raw) in (4, 16) else ""


def _number(raw: bytes) -> int:
    return int(struct.unpack("=I", raw)[0]) if len(raw) == 4 else 0
