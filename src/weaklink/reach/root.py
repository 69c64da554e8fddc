"""Bounded file reads, of this machine (`/`) or of a folder that holds a frozen one.

A frozen host is a folder with `proc/`, `sys/`, `etc/`, `var/` … as they stand below `/`. It may
hold several moments: `frames/<seconds>/proc/…` overlays the base from that many seconds after
the first one on, so that counters have a rate. Symbolic links inside a frozen root, and inside a
process's own root, are resolved against that root, never against ours.
"""

from __future__ import annotations

import errno
import os
import stat as st
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath

MAX_BYTES = 4 << 20
"""A read stops here unless the caller asks for less: no file of the kernel's is larger in use."""
MAX_LINKS = 16


class Root:
    """Reads files below one root. `clock` gives epoch seconds; frozen roots have their own."""

    def __init__(self, path: str = "/", *, clock: Callable[[], float] = time.time) -> None:
        self.path = os.path.abspath(path)  # noqa: PTH100 - no resolving: the root is as given
        self.frozen = self.path != "/"
        self._clock = clock
        self._frames = self._find_frames() if self.frozen else []
        self._offset = 0.0

    def _find_frames(self) -> list[tuple[float, str]]:
        folder = Path(self.path, "frames")
        if not folder.is_dir():
            return []
        found = []
        for entry in folder.iterdir():
            try:
                found.append((float(entry.name), str(entry)))
            except ValueError:
                continue
        return sorted(found)

    @property
    def frames(self) -> list[float]:
        """Moments that a frozen root holds beyond the base, seconds after it."""
        return [at for at, _ in self._frames]

    def now(self) -> float:
        """Epoch seconds: of the clock, or of the frozen moment (`frozen-at` holds the first)."""
        if not self.frozen:
            return self._clock()
        try:
            started = float(Path(self.path, "frozen-at").read_text().strip())
        except (OSError, ValueError):
            started = Path(self.path).stat().st_mtime
        return started + self._offset

    def advance(self, seconds: float) -> None:
        """Move a frozen root to this many seconds after its first moment."""
        self._offset = seconds

    def real(self, path: str) -> str:
        """The path on this machine's file system for `path` below this root, links resolved."""
        if not self.frozen:
            return path
        candidates = [frame for at, frame in self._frames if at <= self._offset + 1e-6]
        for base in [*reversed(candidates), self.path]:
            resolved = resolve_below(base, path)
            if os.path.lexists(resolved):
                return resolved
        return resolve_below(self.path, path)

    def inside(self, pid: int, path: str) -> str:
        """The path of a process's own file, through its root; raises OSError if it is gone."""
        if self.frozen:
            through = f"/proc/{pid}/root"
            own = self.real(through)
            if os.path.isdir(own) and not os.path.islink(own):  # noqa: PTH112,PTH114
                return resolve_below(own, path)
            return self.real(path)
        return resolve_below(f"/proc/{pid}/root", path)

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """At most `limit` bytes of a file below this root; raises OSError."""
        return read_bounded(self.real(path), limit)

    def text(self, path: str, limit: int = MAX_BYTES) -> str:
        """The same as text; bytes that are no UTF-8 are kept as escapes."""
        return self.read(path, limit).decode("utf-8", "backslashreplace")

    def names(self, path: str, limit: int = 100_000) -> list[str]:
        """Names in a folder below this root, of every moment so far; raises OSError."""
        if not self.frozen:
            return _names(path, limit)
        candidates = [frame for at, frame in self._frames if at <= self._offset + 1e-6]
        last_error: OSError | None = None
        for base in [*reversed(candidates), self.path]:
            try:
                return _names(resolve_below(base, path), limit)
            except OSError as error:
                last_error = error
        raise last_error or OSError(errno.ENOENT, "no such folder", path)

    def link(self, path: str) -> str:
        """Where a symbolic link below this root points, unresolved; raises OSError."""
        if not self.frozen:
            return os.readlink(path)  # noqa: PTH115 - Path would normalise socket:[1]
        folder, name = os.path.split(path)
        return os.readlink(os.path.join(self.real(folder), name))  # noqa: PTH115,PTH118

    def stat(self, path: str) -> os.stat_result:
        """stat(2) of a file below this root; raises OSError."""
        return os.stat(self.real(path))  # noqa: PTH116

    def exists(self, path: str) -> bool:
        """Whether it is there and we may know it."""
        try:
            self.stat(path)
        except OSError:
            return False
        return True


def _names(path: str, limit: int) -> list[str]:
    with os.scandir(path) as entries:
        found = []
        for entry in entries:
            found.append(entry.name)
            if len(found) >= limit:
                break
    return found


def read_bounded(path: str, limit: int = MAX_BYTES, *, offset: int = 0) -> bytes:
    """At most `limit` bytes from `offset` of a regular or kernel file.

    Never blocks on a FIFO or a device and never follows a last-component link (resolve first).
    Raises OSError; EINVAL for what is no regular file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        if not st.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        if offset:
            os.lseek(descriptor, offset, os.SEEK_SET)
        parts = []
        left = limit
        while left > 0:
            part = os.read(descriptor, min(left, 1 << 18))
            if not part:
                break
            parts.append(part)
            left -= len(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def resolve_below(base: str, path: str) -> str:
    """`path` below `base` with every symbolic link resolved as if `base` were `/`.

    `..` never climbs above `base`. Raises OSError (ELOOP) on too many links. A missing tail is
    kept as it is, so that opening it says ENOENT.
    """
    todo = list(reversed([part for part in PurePosixPath(path).parts if part != "/"]))
    done: list[str] = []
    links = 0
    while todo:
        part = todo.pop()
        if part == "..":
            if done:
                done.pop()
            continue
        here = os.path.join(base, *done, part)  # noqa: PTH118
        # Magic links such as /proc/PID/root or fd/N are the caller's business, not walked here.
        if os.path.islink(here):  # noqa: PTH114
            target = os.readlink(here)  # noqa: PTH115
            if _is_magic(target):
                done.append(part)
                continue
            links += 1
            if links > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            if target.startswith("/"):
                done = []
            todo.extend(reversed([p for p in PurePosixPath(target).parts if p != "/"]))
            continue
        done.append(part)
    return os.path.join(base, *done)  # noqa: PTH118


def _is_magic(target: str) -> bool:
    return target.endswith("]") and ":[" in target
