"""What users ask, as it is written: the new lines of each access log, condensed each second.

A log that grows faster than we may read is read in part, and each request then stands for several.
"""

from __future__ import annotations

import contextlib
import os
from typing import NamedTuple

from weaklink.model.fact import LogFile
from weaklink.model.requests import Requests
from weaklink.parse.access_log import Columns, FormatError, LineReader, reader_for, to_requests
from weaklink.parse.routes import Routes

MAX_STEP = 96 << 10
"""Bytes of one log that are read at one tick: about 600 lines, 6 ms."""
SAMPLE = 64 << 10


class Grown(NamedTuple):
    """New requests of one log; each stands for `weight`."""

    requests: Requests
    weight: int


class Followed:
    """One access log, followed through rotations by its inode."""

    def __init__(self, log: LogFile, path: str) -> None:
        self.log = log
        self.path = path
        self._fd = -1
        self._inode = 0
        self._offset = 0
        self._rest = b""
        self._reader: LineReader | None = None
        self._routes = Routes()
        self._open(from_end=True)

    def grown(self) -> Grown | None:
        """What was written since the last call; None for nothing, or where it cannot be read."""
        if self._fd < 0:
            self._open(from_end=False)
            if self._fd < 0:
                return None
        size = os.fstat(self._fd).st_size
        if size < self._offset:
            self._offset, self._rest = 0, b""  # copied away and cut
        if size == self._offset:
            self._rotated()
            return None
        fresh = size - self._offset
        weight = max(1, -(-fresh // MAX_STEP))
        data = os.pread(self._fd, min(fresh, MAX_STEP), max(self._offset, size - MAX_STEP))
        if weight > 1:
            data = data[data.find(b"\n") + 1 :]
            self._rest = b""
        self._offset = size
        data = self._rest + data
        end = data.rfind(b"\n") + 1
        self._rest = data[end:][: 64 << 10]
        lines = data[:end].decode("utf-8", "backslashreplace").split("\n")
        return self._read(lines, weight)

    def close(self) -> None:
        """Let go of it."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _read(self, lines: list[str], weight: int) -> Grown | None:
        if self._reader is None:
            self._reader = self._reader_for([line for line in lines if line])
            if self._reader is None:
                return None
        columns = Columns(self._reader, self._routes)
        columns.add(lines)
        if not len(columns):
            return None
        requests = to_requests([columns], source=self.log.key or self.log.path)
        return Grown(requests, weight)

    def _reader_for(self, lines: list[str]) -> LineReader | None:
        try:
            return reader_for(self.log.format, lines[-100:], self.log.servers)
        except FormatError:
            return None

    def _open(self, *, from_end: bool) -> None:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        try:
            self._fd = os.open(self.path, flags)
            told = os.fstat(self._fd)
        except OSError:
            return
        self._inode = told.st_ino
        self._offset = told.st_size if from_end else 0
        self._rest = b""
        if from_end and told.st_size:
            sample = os.pread(self._fd, SAMPLE, max(0, told.st_size - SAMPLE))
            lines = sample.decode("utf-8", "backslashreplace").split("\n")[1:-1]
            self._reader = self._reader_for(lines)

    def _rotated(self) -> None:
        with contextlib.suppress(OSError):
            if os.stat(self.path).st_ino != self._inode:  # noqa: PTH116 - a path of another root
                self.close()
                self._open(from_end=False)
