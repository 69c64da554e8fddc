"""Files as the process that owns them sees them: through its root, or by its open descriptors."""

from __future__ import annotations

import fnmatch
import os
import stat as st
from pathlib import PurePosixPath

from weaklink.model.fact import Process
from weaklink.reach.host import Reach
from weaklink.reach.root import MAX_BYTES, read_bounded

MAX_NAMES = 2_000
MAX_DESCRIPTORS = 4_096
_CONTAINED = ("docker", "kubepods", "containerd", "crio", "libpod", "lxc", "machine-")


def owner_path(reach: Reach, process: Process, path: str) -> str:
    """Where `path`, as this process sees it, lies for us. Raises OSError where it is gone.

    Without permission to pass through its root, a process that is in no container is taken to
    see the same files as we do.
    """
    if not reach.root.frozen:
        try:
            os.stat(f"/proc/{process.pid}/root/")  # noqa: PTH116
        except PermissionError:
            if process.root != "/" or _in_container(process):
                raise
            return reach.root.real(path)
    return reach.root.inside(process.pid, path)


def owner_text(reach: Reach, process: Process, path: str, limit: int = MAX_BYTES) -> str:
    """A file's text as its owner sees it; raises OSError."""
    data = read_bounded(owner_path(reach, process, path), limit)
    return data.decode("utf-8", "backslashreplace")


def owner_glob(reach: Reach, process: Process, pattern: str) -> list[str]:
    """Paths (as the owner sees them) that a shell pattern names, sorted; at most 2 000."""
    paths = [""]
    for part in PurePosixPath(pattern).parts[1:]:
        if not any(sign in part for sign in "*?["):
            paths = [f"{path}/{part}" for path in paths]
            continue
        found: list[str] = []
        for path in paths:
            try:
                names = os.listdir(owner_path(reach, process, path or "/"))  # noqa: PTH208
            except (FileNotFoundError, NotADirectoryError):
                continue
            # As in the shell: a name that starts with a dot is matched only by one that does.
            kept = (n for n in names if n.startswith(".") == part.startswith("."))
            found += [f"{path}/{name}" for name in kept if fnmatch.fnmatchcase(name, part)]
            if len(found) > MAX_NAMES:
                break
        paths = sorted(found)[:MAX_NAMES]
    return paths


def leads_to_device(reach: Reach, process: Process, path: str) -> bool:
    """Whether a path is, or links to, something in /dev or /proc: `/dev/stdout` above all.

    Resolved by us, `/dev/stdout` would be OUR standard output, which may well be a file.
    """
    for _ in range(8):
        if path.startswith(("/dev/", "/proc/")):
            return True
        folder, _, name = path.rpartition("/")
        try:
            target = os.readlink(f"{owner_path(reach, process, folder or '/')}/{name}")  # noqa: PTH115
        except OSError:
            return False
        path = target if target.startswith("/") else f"{folder}/{target}"
    return True


def open_files(reach: Reach, pid: int) -> dict[int, str]:
    """What a process's descriptors point to, by number; empty where we may not see them."""
    found: dict[int, str] = {}
    try:
        names = reach.root.names(f"/proc/{pid}/fd", MAX_DESCRIPTORS)
    except OSError:
        return found
    for name in names:
        if not name.isdigit():
            continue
        try:
            found[int(name)] = reach.root.link(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue
    return found


def regular(path: str) -> os.stat_result | None:
    """The state of a regular file, None for pipes, devices and what is not there or not ours."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found if st.S_ISREG(found.st_mode) else None


def _in_container(process: Process) -> bool:
    return any(word in path for path in process.cgroup.values() for word in _CONTAINED)
