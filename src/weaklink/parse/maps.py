"""/proc/PID/maps: which mapped file an address of code belongs to, by the library's plain name."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

MAX_LINES = 20_000
MAIN, JIT = "[main]", "[jit]"
_VERSION = re.compile(r"(?:-[0-9a-f]{8}|[-.]\d|\.so\b|\.cpython-|\.abi\d|\.pyd\b).*$")
"""From here on a library's file name only tells version, build and platform."""


class Code(NamedTuple):
    """Executable ranges of a process in order of address: starts, ends, names."""

    starts: list[int]
    ends: list[int]
    names: list[str]

    def name_at(self, address: int) -> str | None:
        """The library that holds an address; None where nothing executable is mapped."""
        place = bisect_right(self.starts, address) - 1
        if place < 0 or address >= self.ends[place]:
            return None
        return self.names[place]


def read_code(text: str, program: str = "") -> Code:
    """Executable mappings of a maps text; `program` is the path of the executable itself."""
    rows: list[tuple[int, int, str]] = []
    for line in text.split("\n")[:MAX_LINES]:
        parts = line.split(None, 5)
        if len(parts) < 5 or "x" not in parts[1]:
            continue
        low, dash, high = parts[0].partition("-")
        try:
            start, end = int(low, 16), int(high, 16)
        except ValueError:
            continue
        if dash and start < end:
            path = parts[5].strip() if len(parts) > 5 else ""
            rows.append((start, end, library_name(path, program)))
    rows.sort()
    return Code([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])


def library_name(path: str, program: str = "") -> str:
    """`/x/libavcodec-6c3c2d1d.so.61.3.100` -> `libavcodec`; anonymous code is `[jit]`."""
    path = path.removesuffix(" (deleted)")
    if not path or path.startswith(("//anon", "/memfd:", "anon_inode:")):
        return JIT
    if path.startswith("["):
        return path
    if program and path == program:
        return MAIN
    base = path.rpartition("/")[2]
    return _VERSION.sub("", base[:200]) or base[:60]
