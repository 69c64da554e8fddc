"""Where a recording lies: a folder of its own, capped, never on a disk that is nearly full.

As root /var/lib/weaklink/box, else below XDG_STATE_HOME. Where nothing can be written there, a
folder in memory (tmpfs) stands in, with a small cap, and both are read.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import NamedTuple

from weaklink.recorder.case_files import LEAST_FREE, CannotFile, folder, owned_by_us

BLOCK, LOG = ".box", ".log"
_NAME = re.compile(r"(\d{8})\.(box|log)")
CAP_BYTES = 256 << 20
"""Of a folder on disk: 24 h of a busy host are about 40 MB."""
MEMORY_BYTES = 8 << 20
"""Of a folder in memory, and of what is held without any folder."""
HOURS = 24.0


class Kept(NamedTuple):
    """One file of a recording; `sealed` False: a log of an open block."""

    path: Path
    sequence: int
    size: int
    modified: float
    sealed: bool


def box_folder() -> Path | None:
    """Where the recording lies for this user; None without a home."""
    try:
        return folder().with_name("box")
    except CannotFile:
        return None


def memory_folder() -> Path:
    """The same in memory: gone when the machine restarts."""
    if os.geteuid() == 0 and Path("/run").is_dir():
        return Path("/run/weaklink/box")
    run = os.environ.get("XDG_RUNTIME_DIR", "")
    return Path(run if run.startswith("/") else f"/dev/shm/weaklink-{os.geteuid()}", "weaklink-box")  # noqa: S108


def places() -> list[Path]:
    """Folders that may hold a recording, the durable one first."""
    disk = box_folder()
    return [*([disk] if disk else []), memory_folder()]


def make(place: Path) -> None:
    """The folder, for its owner only; raises OSError where it is not ours or the disk is full."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not owned_by_us(place):
        raise PermissionError(1, "not a folder of ours", str(place))
    if nearly_full(place):
        raise OSError(28, "less than 5 % of its file system is free", str(place))


def nearly_full(place: Path) -> bool:
    """Whether less than LEAST_FREE of its file system is free."""
    space = os.statvfs(place)
    return bool(space.f_blocks) and space.f_bavail / space.f_blocks < LEAST_FREE


def kept(place: Path) -> list[Kept]:
    """Files of a recording, oldest first; empty where there is none or we may not look."""
    found = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                name = _NAME.fullmatch(entry.name)
                if name is None:
                    continue
                with contextlib.suppress(OSError):
                    stat = entry.stat(follow_symlinks=False)
                    sealed = name[2] == "box"
                    found.append(
                        Kept(Path(entry.path), int(name[1]), stat.st_size, stat.st_mtime, sealed)
                    )
    except OSError:
        return []
    return sorted(found, key=lambda one: (one.sequence, one.sealed))


def trim(place: Path, cap: int, oldest: float) -> int:
    """Drop the oldest files beyond the cap or written before `oldest`; how many were dropped."""
    files = kept(place)
    total = sum(one.size for one in files)
    dropped = 0
    for one in files[:-1]:
        if total <= cap and one.modified >= oldest:
            break
        with contextlib.suppress(OSError):
            one.path.unlink()
            dropped += 1
        total -= one.size
    return dropped
