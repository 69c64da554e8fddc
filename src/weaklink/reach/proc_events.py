"""Which processes ran another program or ended: told by the kernel as it happens.

The proc connector (Documentation/driver-api/connector.rst, include/uapi/linux/cn_proc.h) needs
CAP_NET_ADMIN in the first user namespace. Where it is refused, the caller polls.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from collections.abc import Iterator
from typing import NamedTuple

from weaklink.reach.netlink import messages

NETLINK_CONNECTOR = 11
CN_IDX_PROC, CN_VAL_PROC = 1, 1
LISTEN = 1
"""PROC_CN_MCAST_LISTEN"""
HEADER = struct.Struct("=IHHII")
CONNECTOR = struct.Struct("=IIIIHH")
"""idx, val, seq, ack, len, flags of struct cn_msg."""
EVENT = struct.Struct("=IIQ")
"""what, cpu, nanoseconds since boot of struct proc_event."""
EXEC, EXIT = 0x2, 0x8000_0000
SO_ATTACH_FILTER = 26
LOAD, TO_X, EQUAL, EQUAL_X, RETURN = 0x20, 0x07, 0x15, 0x1D, 0x06
"""BPF_LD|BPF_W|BPF_ABS, BPF_MISC|BPF_TAX, BPF_JMP|BPF_JEQ with a constant and with X, BPF_RET."""
NLMSG_DONE = 3
BUFFER = 1 << 20
MOST = 2_000
"""Events taken at one go: a fork storm is counted by the kernel, not followed by us."""


class ProcEvent(NamedTuple):
    """`kind` `exec` or `exit`; `code` of an exit as wait(2) has it."""

    kind: str
    pid: int
    code: int
    at: float
    """Seconds since boot, suspends left out."""


class ProcEvents:
    """A subscription. Raises OSError where it is not allowed or not built in."""

    def __init__(self) -> None:
        kernel = socket.socket(
            socket.AF_NETLINK,
            socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK,
            NETLINK_CONNECTOR,
        )
        try:
            kernel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
            _attach_filter(kernel)
            kernel.bind((0, CN_IDX_PROC))
            order = struct.pack("=I", LISTEN)
            body = CONNECTOR.pack(CN_IDX_PROC, CN_VAL_PROC, 0, 0, len(order), 0) + order
            kernel.send(HEADER.pack(HEADER.size + len(body), NLMSG_DONE, 0, 0, os.getpid()) + body)
        except OSError:
            kernel.close()
            raise
        self._kernel = kernel
        self.lost = 0
        """How often the kernel had more to tell than we took."""

    def fileno(self) -> int:
        """For select."""
        return self._kernel.fileno()

    def take(self, most: int = MOST) -> Iterator[ProcEvent]:
        """What happened since; threads that come and go are left out."""
        taken = 0
        while taken < most:
            try:
                data = self._kernel.recv(1 << 16)
            except BlockingIOError:
                return
            except OSError:
                self.lost += 1  # ENOBUFS: the kernel dropped some
                return
            for _kind, _sequence, payload in messages(data):
                taken += 1
                event = read_event(payload)
                if event is not None:
                    yield event

    def close(self) -> None:
        """Hang up."""
        self._kernel.close()


def read_event(payload: bytes) -> ProcEvent | None:
    """One message of the connector; None for threads and for what we do not follow."""
    start = CONNECTOR.size
    if len(payload) < start + EVENT.size + 16:
        return None
    if struct.unpack_from("=I", payload)[0] != CN_IDX_PROC:
        return None
    what, _cpu, nanoseconds = EVENT.unpack_from(payload, start)
    one, two, code, _ = struct.unpack_from("=IIII", payload, start + EVENT.size)
    at = nanoseconds / 1e9
    if what == EXEC and one == two:
        return ProcEvent("exec", two, 0, at)
    if what == EXIT and one == two:
        return ProcEvent("exit", two, code, at)
    return None


def _attach_filter(kernel: socket.socket) -> None:
    """Let the kernel drop what we do not follow: forks, and threads that come and go.

    A service that makes a thread a request would else wake us as often. Classic BPF
    (Documentation/networking/filter.rst); its loads read the packet as big-endian.
    """
    what = HEADER.size + CONNECTOR.size
    one, two = what + EVENT.size, what + EVENT.size + 4
    program = b"".join(
        struct.pack("=HBBI", *line)
        for line in (
            (LOAD, 0, 0, what),
            (EQUAL, 1, 0, socket.htonl(EXEC)),
            (EQUAL, 0, 4, socket.htonl(EXIT)),
            (LOAD, 0, 0, two),
            (TO_X, 0, 0, 0),
            (LOAD, 0, 0, one),
            (EQUAL_X, 1, 0, 0),
            (RETURN, 0, 0, 0),
            (RETURN, 0, 0, 0xFFFF_FFFF),
        )
    )
    kept = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("@HP", len(program) // 8, ctypes.addressof(kept))
    kernel.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, described)
