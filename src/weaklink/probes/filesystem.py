"""File systems: how much room is left, how many inodes, and which of them does not answer."""

from __future__ import annotations

import os
import threading
import time
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.fact import Mount
from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.model.quantities import disk as q
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.model.target import target_key
from weaklink.parse.mountinfo import MountLine, parse_mountinfo
from weaklink.reach.aside import is_stuck, mark_stuck
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.registry import probe
from weaklink.reach.root import Root
from weaklink.words import texts

texts(
    {
        "filesystem.none": "no file system that holds data",
        "filesystem.silent": "{path} ({kind}, {device}) does not answer",
        "filesystem.too-many": "file systems beyond those that are asked: {count}",
    }
)

PSEUDO = frozenset(
    {
        *("proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "securityfs", "debugfs"),
        *("tracefs", "configfs", "pstore", "bpf", "mqueue", "hugetlbfs", "fusectl", "nsfs"),
        *("binfmt_misc", "autofs", "rpc_pipefs", "ramfs", "efivarfs", "selinuxfs", "squashfs"),
        *("iso9660", "fuse.lxcfs", "fuse.portal"),
    }
)
"""Kinds that hold no data that could run out, or are full by nature (squashfs, iso9660)."""
MAX_MOUNTS = 128
ANSWER_SECONDS = 1.5
"""A healthy statvfs takes microseconds, over NFS milliseconds."""


class Space(NamedTuple):
    """Bytes and inodes in all and free; free is what an ordinary user may still take."""

    size: float
    free: float
    inodes: float
    inodes_free: float


UNKNOWN = Space(-1, -1, -1, -1)


@probe(
    "filesystem",
    subject="disk",
    phase="first",
    about="file systems: bytes and inodes left, those that do not answer",
    touches="asks each mounted file system for its size (statvfs)",
)
def look_at_filesystems(reach: Reach, case: Case) -> Take:
    """Mount facts and readings `filesystem_*`; one that does not answer has sizes of -1.

    Each is asked in a thread of its own: statvfs on a dead NFS server never returns. Raises
    NotHere where nothing holds data.
    """
    root = reach.root
    at = reach.now()
    lines = worth_asking(parse_mountinfo(root.read("/proc/self/mountinfo", 1 << 20)))
    if not lines:
        raise NotHere(say("filesystem.none"))
    asked = lines[:MAX_MOUNTS]
    spaces = frozen_spaces(root) if root.frozen else ask_all([line.path for line in asked])
    mounts: list[Mount] = []
    readings: list[Reading] = []
    looks: list[Look] = []
    for line in asked:
        key = target_key("mount", line.path, host=case.host.name)
        space = spaces.get(line.path)
        if isinstance(space, Space):
            mounts.append(_mount(line, space))
            readings += _readings(key, space, at)
            continue
        mounts.append(_mount(line, UNKNOWN))
        if space is None and not root.frozen:
            looks.append(_silent(line, key, at))
    if len(lines) > len(asked):
        reason = say("filesystem.too-many", count=len(lines) - len(asked))
        looks.append(Look(name="filesystem", target="", outcome="timeout", at=at, reason=reason))
    return Take(mounts=mounts, readings=readings, looks=looks)


def worth_asking(lines: list[MountLine]) -> list[MountLine]:
    """File systems that hold data, each once (a bind mount shows the same one again)."""
    by_path = {line.path: line for line in lines}  # a later mount hides an earlier one there
    seen: set[str] = set()
    found = []
    for line in by_path.values():
        if line.kind in PSEUDO or line.major_minor in seen:
            continue
        seen.add(line.major_minor)
        found.append(line)
    return found


def ask_all(paths: list[str], seconds: float = ANSWER_SECONDS) -> dict[str, Space | OSError]:
    """Sizes by path, or why not, all asked at the same time; what did not answer is missing."""
    found: dict[str, Space | OSError] = {}
    threads: list[tuple[str, threading.Thread]] = []

    def ask(path: str) -> None:
        try:
            found[path] = _space(path)
        except OSError as error:
            found[path] = error

    for path in paths:
        if is_stuck(f"statvfs {path}"):
            continue
        thread = threading.Thread(target=ask, args=(path,), name="weaklink-statvfs", daemon=True)
        thread.start()
        threads.append((path, thread))
    end = time.monotonic() + seconds
    for path, thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
        if thread.is_alive():
            mark_stuck(f"statvfs {path}", thread)
    return dict(found)


def frozen_spaces(root: Root) -> dict[str, Space | OSError]:
    """Sizes that a frozen root recorded: `frozen-statvfs`, a line `size free inodes left path`."""
    found: dict[str, Space | OSError] = {}
    for line in try_read(root, "/frozen-statvfs", 1 << 20).decode("utf-8", "replace").split("\n"):
        words = line.split(" ", 4)
        if len(words) == 5 and all(word.isdigit() for word in words[:4]):
            found[words[4]] = Space(*(float(word) for word in words[:4]))
    return found


def _space(path: str) -> Space:
    told = os.statvfs(path)
    return Space(
        float(told.f_blocks * told.f_frsize),
        float(told.f_bavail * told.f_frsize),
        float(told.f_files),
        float(told.f_favail),
    )


def _mount(line: MountLine, space: Space) -> Mount:
    return Mount(
        path=line.path,
        device=line.device,
        kind=line.kind,
        major_minor=line.major_minor,
        size=space.size,
        free=space.free,
        inodes=space.inodes,
        inodes_free=space.inodes_free,
        read_only="ro" in line.options,
    )


def _readings(key: str, space: Space, at: float) -> list[Reading]:
    values = [(q.FILESYSTEM_SIZE_BYTES, space.size), (q.FILESYSTEM_FREE_BYTES, space.free)]
    if space.inodes:  # btrfs and others make inodes as they need them and say 0
        values.append((q.FILESYSTEM_FREE_INODES, space.inodes_free))
    return [Reading(quantity=name, target=key, at=at, value=value) for name, value in values]


def _silent(line: MountLine, key: str, at: float) -> Look:
    reason = say("filesystem.silent", path=line.path, kind=line.kind, device=line.device)
    return Look(name="filesystem", target=key, outcome="timeout", at=at, reason=reason)
