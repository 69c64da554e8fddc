"""A small client for Redis: it asks, waits no longer than told, and counts what it asked."""

from __future__ import annotations

import contextlib
import socket
import time
from collections import Counter

from weaklink.parse.resp import MAX_REPLY, NeedMore, NotResp, Reply, command, read_reply
from weaklink.reach.connect import connect


class RedisClient:
    """One connection, made in the namespace of process `pid`. Raises OSError and NotResp."""

    def __init__(self, address: str, *, pid: int, timeout: float) -> None:
        self._socket = connect(address, pid=pid, timeout=timeout)
        self._data = bytearray()
        self.sent: Counter[str] = Counter()

    def ask(self, *args: str | int, timeout: float) -> Reply:
        """One reply; an error of the server comes back as ReplyError, it is not raised."""
        return self.ask_all([args], timeout=timeout)[0]

    def ask_all(self, commands: list[tuple[str | int, ...]], *, timeout: float) -> list[Reply]:
        """Replies to several commands sent in one go; raises TimeoutError when it is over."""
        deadline = time.monotonic() + timeout
        for args in commands:
            self.sent[str(args[0])] += 1
        self._socket.settimeout(max(0.001, timeout))
        self._socket.sendall(b"".join(command(*args) for args in commands))
        replies: list[Reply] = []
        at = 0
        while len(replies) < len(commands):
            try:
                reply, at = read_reply(self._data, at)
                replies.append(reply)
                continue
            except NeedMore:
                pass
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            piece = self._socket.recv(1 << 18)
            if not piece:
                raise ConnectionResetError("closed by the server")
            self._data += piece
            if len(self._data) > MAX_REPLY:
                raise NotResp("a reply beyond reason")
        del self._data[:at]
        return replies

    def touched(self) -> list[str]:
        """What was asked so far, for the record: `INFO 7 times`."""
        return [f"{name} {count} times" for name, count in sorted(self.sent.items())]

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
