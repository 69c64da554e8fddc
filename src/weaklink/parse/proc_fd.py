"""Reads /proc/PID/fdinfo/N and /proc/PID/limits: how a file is open, and how many may be."""

from __future__ import annotations

import os
from typing import NamedTuple

_UNLIMITED = float(1 << 30)


class FdInfo(NamedTuple):
    """One descriptor: flags as open(2) takes them, position in bytes, id of the mount."""

    flags: int
    position: int
    mount: int

    @property
    def writes(self) -> bool:
        """Whether it was opened for writing."""
        return self.flags & os.O_ACCMODE != os.O_RDONLY

    @property
    def appends(self) -> bool:
        """Whether each write goes to the end, as a log's do."""
        return bool(self.flags & os.O_APPEND)


def parse_fdinfo(raw: bytes) -> FdInfo | None:
    """None where a line is missing: not a kernel's fdinfo."""
    values: dict[bytes, bytes] = {}
    for line in raw.split(b"\n")[:32]:
        name, colon, rest = line.partition(b":")
        if colon:
            values.setdefault(name, rest.strip())
    try:
        return FdInfo(
            int(values[b"flags"], 8), int(values[b"pos"]), int(values.get(b"mnt_id", b"-1"))
        )
    except (KeyError, ValueError):
        return None


def parse_open_files_limit(raw: bytes) -> float | None:
    """The soft limit of open files; a very large number for `unlimited`, None if not told."""
    for line in raw.split(b"\n")[:64]:
        if line.startswith(b"Max open files"):
            words = line[len(b"Max open files") :].split()
            if words and words[0] == b"unlimited":
                return _UNLIMITED
            return float(words[0]) if words and words[0].isdigit() else None
    return None


def parse_mount_ids(raw: bytes) -> dict[int, str]:
    """`major:minor` by mount id, from /proc/PID/mountinfo."""
    found: dict[int, str] = {}
    for line in raw.split(b"\n")[:5_000]:
        words = line.split(None, 3)
        if len(words) > 3 and words[0].isdigit():
            found[int(words[0])] = words[2].decode("ascii", "replace")
    return found
