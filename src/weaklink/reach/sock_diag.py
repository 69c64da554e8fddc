"""Every TCP and unix socket of one network namespace, as the kernel itself lists them.

Unlike /proc/net/tcp this tells when a connection last carried data (TCP_INFO), how long a
listener's queue may grow, and which unix socket is whose peer. See sock_diag(7),
include/uapi/linux/inet_diag.h, unix_diag.h and tcp.h.
"""

from __future__ import annotations

import socket
import struct

from weaklink.parse.socket_row import TCP_STATES, TcpSocket, UnixSocket, address, unix_name
from weaklink.reach.netlink import ATTRIBUTE, attributes, dump, open_diag

SOCK_DIAG_BY_FAMILY = 20
TCPDIAG_GETSOCK = 18
INET_DIAG_INFO = 2
UNIX_SHOW = 0x01 | 0x04 | 0x10
"""UDIAG_SHOW_NAME, PEER and RQLEN."""
UNIX_NAME, UNIX_PEER, UNIX_QUEUES = 0, 2, 4

TIME_WAIT = 1 << 6
LISTEN = 1 << 10
ALL_BUT_TIME_WAIT = 0xFFF & ~TIME_WAIT & ~(1 << 7) | 1 << 12

TCP_REQUEST = struct.Struct("=3xB48xI4x")
"""inet_diag_req, the older request: it alone lists IPv4 and IPv6 in one walk."""
INET_HEAD = struct.Struct(">BBBBHH16s16sI8x")
INET_TAIL = struct.Struct("=IIIII")
"""Of inet_diag_msg, 72 bytes: the addresses in network order, then expires, queues, uid, inode."""
INET_MESSAGE = INET_HEAD.size + INET_TAIL.size
TCP_INFO = struct.Struct("=44xI4xI12xI28xI")
"""Of tcp_info: last_data_sent and last_data_recv (ms, offsets 44 and 52), rtt (us, 68),
total_retrans (100)."""
TCP_INFO_BYTES = struct.Struct("=120xQQ")
"""bytes_acked and bytes_received (Linux 4.1 on)."""
UNIX_REQUEST = struct.Struct("=BBHIII8x")
UNIX_HEAD = struct.Struct("=BBBxI8x")


def tcp_sockets(*, deadline: float, limit: int, time_wait: bool = False) -> list[TcpSocket]:
    """TCP sockets of both families, at most `limit`; those in TIME_WAIT only where asked for.

    One walk: it costs the kernel some milliseconds whatever it finds, for its table of
    connections is shared by all namespaces.
    """
    states = ALL_BUT_TIME_WAIT | (TIME_WAIT if time_wait else 0)
    return _tcp(TCP_REQUEST.pack(1 << (INET_DIAG_INFO - 1), states), deadline, limit)


def tcp_listeners(*, deadline: float, limit: int) -> list[TcpSocket]:
    """Listeners of both families alone: the kernel keeps them apart, so it is cheap."""
    return _tcp(TCP_REQUEST.pack(0, LISTEN), deadline, limit)


def time_wait_sockets(*, deadline: float, limit: int) -> list[TcpSocket]:
    """At most `limit` that are in TIME_WAIT; no process owns them any more."""
    return _tcp(TCP_REQUEST.pack(0, TIME_WAIT), deadline, limit)


def _tcp(request: bytes, deadline: float, limit: int) -> list[TcpSocket]:
    found: list[TcpSocket] = []
    with open_diag() as kernel:
        for answer in dump(kernel, TCPDIAG_GETSOCK, request, deadline=deadline, limit=limit):
            one = parse_tcp(answer)
            if one is not None:
                found.append(one)
    return found


def unix_sockets(*, deadline: float, limit: int) -> list[UnixSocket]:
    """Unix stream sockets, listening and connected, at most `limit`."""
    request = UNIX_REQUEST.pack(socket.AF_UNIX, 0, 0, 0xFFFF_FFFF, 0, UNIX_SHOW)
    found: list[UnixSocket] = []
    with open_diag() as kernel:
        for answer in dump(kernel, SOCK_DIAG_BY_FAMILY, request, deadline=deadline, limit=limit):
            one = parse_unix(answer)
            if one is not None:
                found.append(one)
    return found


def parse_tcp(data: bytes) -> TcpSocket | None:
    """One answer of inet_diag; None where it is cut short.

    Called for each of some thousand sockets a tick, so it builds its result once.
    """
    if len(data) < INET_MESSAGE:
        return None
    family, number, _, _, sport, dport, source, dest, _ = INET_HEAD.unpack_from(data)
    _, unread, unsent, _, inode = INET_TAIL.unpack_from(data, INET_HEAD.size)
    state = TCP_STATES.get(number, "unknown")
    local, remote = _address(family, source, sport), _address(family, dest, dport)
    start, length = _attribute(data, INET_MESSAGE, INET_DIAG_INFO)
    if length < TCP_INFO.size or state == "listen":
        return TcpSocket(local, remote, state, inode, unread, unsent)
    sent_ms, received_ms, rtt_us, retransmits = TCP_INFO.unpack_from(data, start)
    received = sent = None
    if length >= TCP_INFO_BYTES.size:
        sent, received = TCP_INFO_BYTES.unpack_from(data, start)
    return TcpSocket(
        local,
        remote,
        state,
        inode,
        unread,
        unsent,
        sent_ms / 1e3,
        received_ms / 1e3,
        rtt_us / 1e6 if rtt_us else None,
        retransmits,
        received,
        sent,
    )


def _address(family: int, raw: bytes, port: int) -> str:
    if family == socket.AF_INET:
        return f"{socket.inet_ntop(socket.AF_INET, raw[:4])}:{port}"
    return address(raw, port)


def _attribute(data: bytes, offset: int, wanted: int) -> tuple[int, int]:
    """Where an attribute's content begins and how long it is; (0, 0) where there is none."""
    while offset + ATTRIBUTE.size <= len(data):
        length, kind = ATTRIBUTE.unpack_from(data, offset)
        if length < ATTRIBUTE.size or offset + length > len(data):
            break
        if kind == wanted:
            return offset + ATTRIBUTE.size, length - ATTRIBUTE.size
        offset += (length + 3) & ~3
    return 0, 0


def parse_unix(data: bytes) -> UnixSocket | None:
    """One answer of unix_diag; None where it is cut short or no stream socket."""
    if len(data) < UNIX_HEAD.size:
        return None
    _family, kind, state, inode = UNIX_HEAD.unpack_from(data)
    if kind not in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        return None
    found = attributes(data, UNIX_HEAD.size)
    peer = struct.unpack("=I", found[UNIX_PEER])[0] if len(found.get(UNIX_PEER, b"")) == 4 else 0
    queues = found.get(UNIX_QUEUES, b"")
    unread, unsent = struct.unpack("=II", queues) if len(queues) == 8 else (0, 0)
    return UnixSocket(
        name=unix_name(found.get(UNIX_NAME, b"")),
        listening=TCP_STATES.get(state) == "listen",
        inode=inode,
        peer=peer,
        unread=unread,
        unsent=unsent,
    )
