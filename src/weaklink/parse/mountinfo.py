"""Reads /proc/PID/mountinfo: what is mounted where, and from what."""

from __future__ import annotations

import re
from typing import NamedTuple

from weaklink.parse.clean import clean_text

MAX_MOUNTS = 5_000
_OCTAL = re.compile(rb"\\([0-7]{3})")


class MountLine(NamedTuple):
    """One mount. `root` is the folder of the file system that is seen there; `/` for all of it."""

    path: str
    root: str
    major_minor: str
    kind: str
    device: str
    options: frozenset[str]
    """Of the mount and of the file system: `ro`, `cpu`, `name=systemd` …"""


def parse_mountinfo(raw: bytes) -> list[MountLine]:
    """Mounts in the order in which they were made: a later one hides an earlier at its path."""
    found: list[MountLine] = []
    for line in raw.split(b"\n"):
        left, dash, right = line.partition(b" - ")
        head, tail = left.split(), right.split()
        if not dash or len(head) < 6 or len(tail) < 2 or len(found) >= MAX_MOUNTS:
            continue
        options = {*head[5].split(b","), *(tail[2].split(b",") if len(tail) > 2 else ())}
        found.append(
            MountLine(
                path=_unescape(head[4]),
                root=_unescape(head[3]),
                major_minor=clean_text(head[2]),
                kind=clean_text(tail[0]),
                device=_unescape(tail[1]),
                options=frozenset(clean_text(option) for option in options),
            )
        )
    return found


def _unescape(word: bytes) -> str:
    """Blanks, tabs, newlines and backslashes stand as octal escapes in the file."""
    return clean_text(_OCTAL.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), word))
