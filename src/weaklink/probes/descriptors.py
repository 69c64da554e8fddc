"""Which process holds which socket: the descriptors of /proc/PID/fd, read as seldom as possible."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from weaklink.reach.memory import memory
from weaklink.reach.root import Root

MAX_DESCRIPTORS = 50_000
"""Of one process; nginx's default at most a few thousand. Beyond it the rest is not owned."""


@dataclass
class Owners:
    """Sockets by process as last read; `starts` are the start ticks that they were read for.

    `denied` holds processes (with their start) whose descriptors we may not read.
    """

    by_pid: dict[int, frozenset[int]] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)
    denied: dict[int, int] = field(default_factory=dict)
    sought: set[int] = field(default_factory=set)
    """Inodes that nobody was found to hold: not searched for again."""

    lock: threading.Lock = field(default_factory=threading.Lock)

    def of_inodes(self) -> dict[int, list[int]]:
        """Processes by socket inode, ascending."""
        pids: dict[int, list[int]] = {}
        for pid in sorted(self.by_pid):
            for inode in self.by_pid[pid]:
                pids.setdefault(inode, []).append(pid)
        return pids

    def holders(self) -> list[int]:
        """Processes that held a socket when they were last read."""
        by_pid = dict(self.by_pid)
        return [pid for pid, inodes in by_pid.items() if inodes]


def owners(root: Root) -> Owners:
    """What is known about this root's sockets."""
    return memory(root, "socket-owners", Owners)


def refresh(root: Root, known: Owners, starts: dict[int, int], pids: Iterable[int]) -> None:
    """Read the descriptors of these processes again and forget those that are gone.

    `starts` holds start ticks by pid of all processes that live: a pid with another start is
    another process.
    """
    for pid in [p for p in known.by_pid if known.starts.get(p) != starts.get(p)]:
        known.by_pid.pop(pid, None)
    known.denied = {p: start for p, start in known.denied.items() if starts.get(p) == start}
    for pid in pids:
        inodes = socket_inodes(root, pid)
        if inodes is None:
            known.denied[pid] = starts.get(pid, 0)
            continue
        known.denied.pop(pid, None)
        known.by_pid[pid] = inodes
        known.starts[pid] = starts.get(pid, 0)
    known.starts = {pid: known.starts.get(pid, 0) for pid in known.by_pid}


def complete(root: Root, starts: dict[int, int], wanted: set[int]) -> dict[int, list[int]]:
    """Processes by socket inode, after looking for what is wanted and not yet known.

    New processes are read first, then those that held sockets before, then all; an inode that
    nobody holds (or whose holder is hidden from us) costs one full search, not one a tick.
    """
    known = owners(root)
    with known.lock:
        read = known.starts | known.denied
        refresh(root, known, starts, [pid for pid in starts if read.get(pid) != starts[pid]])
        table = known.of_inodes()
        if wanted - table.keys() - known.sought:
            held = [pid for pid, inodes in known.by_pid.items() if inodes]
            refresh(root, known, starts, held)
            table = known.of_inodes()
        if wanted - table.keys() - known.sought:
            refresh(root, known, starts, [pid for pid in starts if pid not in known.denied])
            table = known.of_inodes()
        if wanted:
            known.sought = wanted - table.keys()
    return table


def socket_inodes(root: Root, pid: int) -> frozenset[int] | None:
    """Inodes of the sockets that a process holds; None where we may not look."""
    folder = f"/proc/{pid}/fd"
    try:
        links = _frozen_links(root, folder) if root.frozen else _links(folder)
    except PermissionError:
        return None
    except OSError:
        return frozenset()
    held = [link[8:-1] for link in links if link.startswith("socket:[")]
    return frozenset(int(inode) for inode in held if inode.isdigit())


def _links(folder: str) -> list[str]:
    """Raises PermissionError also where the folder may be listed and not one link be read."""
    found: list[str] = []
    refused: PermissionError | None = None
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in os.listdir(descriptor)[:MAX_DESCRIPTORS]:  # noqa: PTH208
            try:
                found.append(os.readlink(name, dir_fd=descriptor))
            except PermissionError as error:
                refused = error
            except OSError:
                continue
    finally:
        os.close(descriptor)
    if refused is not None and not found:
        raise refused
    return found


def _frozen_links(root: Root, folder: str) -> list[str]:
    found = []
    for name in root.names(folder, MAX_DESCRIPTORS):
        try:
            found.append(root.link(f"{folder}/{name}"))
        except OSError:
            continue
    return found
