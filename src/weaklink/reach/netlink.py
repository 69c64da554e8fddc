"""Asks the kernel for lists over netlink: one request, many bounded answers."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Iterator

from weaklink.model.message import say
from weaklink.reach.host import TooLate
from weaklink.words import texts

texts({"netlink.late": "the kernel's list did not end in time"})

NETLINK_ROUTE = 0
NETLINK_SOCK_DIAG = 4
NLM_F_REQUEST = 1
NLM_F_REQUEST_DUMP = 0x301
"""NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH, include/uapi/linux/netlink.h."""
NLMSG_ERROR = 2
NLMSG_DONE = 3
HEADER = struct.Struct("=IHHII")
ATTRIBUTE = struct.Struct("=HH")
RECEIVE_BYTES = 256 << 10
MAX_MESSAGES = 100_000
"""A dump ends here: a machine with more sockets than that is described by this many."""


def open_diag() -> socket.socket:
    """A socket for sock_diag(7) in the network namespace of the calling thread."""
    return _open(NETLINK_SOCK_DIAG)


def open_route() -> socket.socket:
    """A socket for rtnetlink(7) in the network namespace of the calling thread."""
    return _open(NETLINK_ROUTE)


def _open(protocol: int) -> socket.socket:
    kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, protocol)
    try:
        kernel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        kernel.bind((0, 0))
    except OSError:
        kernel.close()
        raise
    return kernel


def dump(
    kernel: socket.socket,
    kind: int,
    request: bytes,
    *,
    deadline: float,
    limit: int = MAX_MESSAGES,
) -> Iterator[bytes]:
    """The payloads that answer one dump request, at most `limit`.

    `deadline` in monotonic seconds: TooLate after it. Raises OSError for what the kernel refuses
    (ENOENT: it was built without that family). What is cut short or of another request is
    skipped. After `limit` the socket still holds the rest: close it.
    """
    sequence = time.monotonic_ns() & 0xFFFF_FFFF
    kernel.sendto(
        HEADER.pack(HEADER.size + len(request), kind, NLM_F_REQUEST_DUMP, sequence, 0) + request,
        (0, 0),
    )
    given = 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise _late()
        kernel.settimeout(left)
        try:
            data = kernel.recv(RECEIVE_BYTES)
        except TimeoutError:
            raise _late() from None
        for answered, reply_to, payload in messages(data):
            if reply_to != sequence:
                continue
            if answered == NLMSG_DONE:
                return
            if answered == NLMSG_ERROR:
                _refused(payload)
                return
            yield payload
            given += 1
            if given >= limit:
                return


def ask(kernel: socket.socket, kind: int, request: bytes, *, deadline: float) -> bytes:
    """The payload of the one message that answers a request that is no dump.

    Raises TooLate, or OSError with the errno that the kernel refuses it with.
    """
    sequence = time.monotonic_ns() & 0xFFFF_FFFF
    kernel.sendto(
        HEADER.pack(HEADER.size + len(request), kind, NLM_F_REQUEST, sequence, 0) + request,
        (0, 0),
    )
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise _late()
        kernel.settimeout(left)
        try:
            data = kernel.recv(RECEIVE_BYTES)
        except TimeoutError:
            raise _late() from None
        for answered, reply_to, payload in messages(data):
            if reply_to != sequence:
                continue
            if answered == NLMSG_ERROR:
                _refused(payload)
                return b""
            return payload


def messages(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Type, sequence number and payload of each message in one datagram; stops at a broken one."""
    offset = 0
    while offset + HEADER.size <= len(data):
        length, kind, _flags, sequence, _port = HEADER.unpack_from(data, offset)
        if length < HEADER.size or offset + length > len(data):
            return
        yield kind, sequence, data[offset + HEADER.size : offset + length]
        offset += (length + 3) & ~3


def attributes(data: bytes, offset: int) -> dict[int, bytes]:
    """Attributes by type from `offset` on; stops at a broken one."""
    found: dict[int, bytes] = {}
    while offset + ATTRIBUTE.size <= len(data):
        length, kind = ATTRIBUTE.unpack_from(data, offset)
        if length < ATTRIBUTE.size or offset + length > len(data):
            break
        found[kind & 0x3FFF] = data[offset + ATTRIBUTE.size : offset + length]
        offset += (length + 3) & ~3
    return found


def _refused(payload: bytes) -> None:
    number = -struct.unpack_from("=i", payload)[0] if len(payload) >= 4 else 0
    if number:
        raise OSError(number, os.strerror(number), "netlink")


def _late() -> TooLate:
    return TooLate(say("netlink.late"))
