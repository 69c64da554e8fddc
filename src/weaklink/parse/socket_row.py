"""One socket as the kernel lists it, by netlink or as a line of /proc/net, and its address."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

from weaklink.parse.clean import clean_text

TCP_STATES = {
    1: "established",
    2: "syn-sent",
    3: "syn-received",
    4: "fin-wait-1",
    5: "fin-wait-2",
    6: "time-wait",
    7: "close",
    8: "close-wait",
    9: "last-ack",
    10: "listen",
    11: "closing",
    12: "syn-received",
}
"""By number, include/net/tcp_states.h. 12 is a request that is not yet a socket."""

MAPPED = b"\x00" * 10 + b"\xff\xff"


class TcpSocket(NamedTuple):
    """One TCP socket. Addresses are `ip:port` or `[ip6]:port`; ages in seconds.

    For a listener `unread` is how many connections wait and `unsent` how many may (0: unknown).
    `received` and `sent` are bytes since the connection was made. None where the kernel was not
    asked. An established one with inode 0 waits in its listener's queue: nobody accepted it yet.
    """

    local: str
    remote: str
    state: str
    inode: int
    unread: int
    unsent: int
    sent_age: float | None = None
    received_age: float | None = None
    rtt: float | None = None
    retransmits: int = 0
    received: int | None = None
    sent: int | None = None


class UnixSocket(NamedTuple):
    """One unix stream socket; `name` as in `unix:/path` or `unix:@abstract`, '' where unnamed.

    For a listener `unread` is how many connections wait and `unsent` how many may, as for TCP.
    `peer` is the other end's inode, 0 where unknown.
    """

    name: str
    listening: bool
    inode: int
    peer: int
    unread: int
    unsent: int


def address(raw: bytes, port: int) -> str:
    """`ip:port` or `[ip6]:port` of 4 or 16 bytes in network order.

    IPv4 mapped into IPv6 is shown as the IPv4 that it is: both ends then read alike.
    """
    if len(raw) == 16 and raw.startswith(MAPPED):
        raw = raw[12:]
    if len(raw) == 4:
        return f"{raw[0]}.{raw[1]}.{raw[2]}.{raw[3]}:{port}"
    return f"[{ipaddress.IPv6Address(raw).compressed}]:{port}"


def unix_name(raw: bytes) -> str:
    """`unix:/path`, `unix:@abstract` (its NUL shown as @), or '' for an unnamed socket."""
    if not raw or raw == b"\x00":
        return ""
    if raw.startswith(b"\x00"):
        return "unix:@" + clean_text(raw[1:])
    return "unix:" + clean_text(raw.rstrip(b"\x00"))
