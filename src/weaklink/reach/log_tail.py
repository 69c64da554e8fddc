"""The newest part of a log, from its end backwards, and a look at older parts: never all of it.

A 20 GB log costs the same as a small one: blocks are read from the end until what is wanted is
there or a budget is spent; then a few blocks further back tell what was before.
"""

from __future__ import annotations

import errno
import os
import stat as st
from collections.abc import Iterator
from types import TracebackType

BLOCK = 256 << 10
MAX_CARRY = 1 << 20
"""A line longer than this is dropped: no server writes one."""


class Tail:
    """A log opened for reading backwards. Use as a context manager; raises OSError on opening."""

    def __init__(self, path: str) -> None:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        self._fd = os.open(path, flags)
        found = os.fstat(self._fd)
        if not st.S_ISREG(found.st_mode):
            os.close(self._fd)
            raise OSError(errno.EINVAL, "not a regular file", path)
        self.size = found.st_size
        self.modified = found.st_mtime
        self.position = self.size
        """Everything from here on has been handed out."""

    def __enter__(self) -> Tail:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._fd)

    def lines_at(self, offset: int, size: int) -> list[str]:
        """Whole lines that lie within these bytes."""
        data = os.pread(self._fd, size, offset)
        if offset:
            data = data[data.find(b"\n") + 1 :] if b"\n" in data else b""
        end = data.rfind(b"\n")
        return _lines(data[: end + 1] if end >= 0 else b"")

    def backwards(self, block: int = BLOCK) -> Iterator[list[str]]:
        """Blocks of whole lines, the newest block first, lines in the order of the file."""
        carry = b""
        while self.position > 0:
            begin = max(0, self.position - block)
            data = os.pread(self._fd, self.position - begin, begin) + carry
            if begin:
                first = data.find(b"\n")
                if first < 0:
                    carry = data if len(data) <= MAX_CARRY else b""
                    self.position = begin
                    continue
                carry, data = data[: first + 1], data[first + 1 :]
            self.position = begin
            yield _lines(data)


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "backslashreplace").split("\n")
