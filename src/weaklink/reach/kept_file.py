"""A kernel file that stays open: each reading is one pread, and a reused pid cannot fool us.

A descriptor of /proc/PID/stat belongs to that very process: once it ends, reading fails, whoever
has its number by then.
"""

from __future__ import annotations

import contextlib
import os
import resource

SMALL = 4096
SPARE = 256
"""Descriptors left for everything that is not kept open."""
MOST = 16_384


def raise_limit() -> int:
    """As many descriptors as we may have, within reason; how many can be kept open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return max(0, soft - SPARE)


class Room:
    """How many descriptors may be kept open at the same time; files beyond are opened each time."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


class KeptFile:
    """See the module. `read` raises OSError; ESRCH or ENOENT for what is gone."""

    __slots__ = ("_fd", "_limit", "_path", "_room")

    def __init__(self, path: str, room: Room, limit: int = SMALL) -> None:
        self._path = path
        self._room = room
        self._limit = limit
        self._fd = -1

    def read(self) -> bytes:
        """The file as it is now."""
        if self._fd >= 0:
            return os.pread(self._fd, self._limit, 0)
        descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if self._room.left > 0:
            self._room.left -= 1
            self._fd = descriptor
            return os.pread(descriptor, self._limit, 0)
        try:
            return os.read(descriptor, self._limit)
        finally:
            os.close(descriptor)

    def try_read(self) -> bytes:
        """The same, or nothing where it cannot be read; then it is opened anew the next time."""
        try:
            return self.read()
        except OSError:
            self.close()
            return b""

    def close(self) -> None:
        """Let go of it."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
            self._room.left += 1
