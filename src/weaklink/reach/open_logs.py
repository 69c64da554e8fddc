"""The logs that a process holds open: its own descriptors tell, wherever the files lie."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from weaklink.model.fact import Process
from weaklink.reach.host import Reach
from weaklink.reach.owner_files import open_files, regular

MAX_LOGS = 8
FRESH = 3600.0
"""Seconds: a log that nobody wrote to for an hour says nothing of what is now."""
APPEND = 0o2000
_ENDINGS = (".log", ".out", ".err", ".txt", ".jsonl", ".ndjson")
_NO_LOGS = (
    ".db", ".sqlite", ".sqlite3", "-wal", "-shm", "-journal", ".lock", ".pid", ".aof", ".rdb",
    ".bin", ".safetensors", ".gguf", ".onnx", ".pt", ".idx", ".sst", ".ldb", ".sock", ".pack",
    ".gz", ".xz", ".zst", ".mp4", ".jpg", ".png", ".parquet", ".npy", ".so",
)  # fmt: skip
_NOWHERE = ("/dev/", "/proc/", "/sys/", "/memfd:", "/anon_", "/SYSV", "/[")
_CONTAINER = re.compile(r"[0-9a-f]{64}")
DOCKER = "/var/lib/docker/containers/{id}/{id}-json.log"
CONTAINERS = "/var/log/containers"


class OpenLog(NamedTuple):
    """A file that a process writes lines to: `path` is its name, `where` how we open it."""

    path: str
    where: str
    modified: float
    size: int
    identity: tuple[int, int]


def open_logs(reach: Reach, process: Process) -> tuple[list[OpenLog], list[str]]:
    """(regular files that it writes and that look like logs, newest first; where else fd 1 and 2
    lead: `pipe`, `socket`, or `denied` where its descriptors may not be seen)."""
    try:
        reach.root.names(f"/proc/{process.pid}/fd", 1)
    except PermissionError:
        return [], ["denied"]
    except OSError:
        return [], []
    found: dict[tuple[int, int], OpenLog] = {}
    elsewhere: list[str] = []
    for number, target in open_files(reach, process.pid).items():
        if number in (1, 2) and target.startswith(("pipe:", "socket:")):
            elsewhere.append(target.partition(":")[0])
        elif target.startswith("/") and _may_be_log(reach, process.pid, number, target):
            log = _log(target, reach.root.real(f"/proc/{process.pid}/fd/{number}"))
            if log is not None and reach.now() - log.modified <= FRESH:
                found.setdefault(log.identity, log)
    if elsewhere:
        for log in _container_logs(reach, process):
            found.setdefault(log.identity, log)
            elsewhere = []
    newest = sorted(found.values(), key=lambda log: -log.modified)
    return newest[:MAX_LOGS], sorted(set(elsewhere))


def _may_be_log(reach: Reach, pid: int, number: int, target: str) -> bool:
    path = target.removesuffix(" (deleted)")
    if path.startswith(_NOWHERE) or path.lower().endswith(_NO_LOGS):
        return False
    try:
        text = reach.root.text(f"/proc/{pid}/fdinfo/{number}", 4096)
    except OSError:
        return False
    flags = next((line.split()[1] for line in text.split("\n") if line.startswith("flags:")), "0")
    try:
        bits = int(flags, 8)
    except ValueError:
        return False
    if bits & 3 == os.O_RDONLY:
        return False
    named = path.lower().endswith(_ENDINGS) or ".log." in path
    return number in (1, 2) or bool(bits & APPEND) or named


def _log(path: str, where: str) -> OpenLog | None:
    found = regular(where)
    if found is None:
        return None
    identity = (found.st_dev, found.st_ino)
    return OpenLog(path.removesuffix(" (deleted)"), where, found.st_mtime, found.st_size, identity)


def _container_logs(reach: Reach, process: Process) -> list[OpenLog]:
    """What a container's runtime keeps of its output, where it lies on this machine."""
    ids = {name for path in process.cgroup.values() for name in _CONTAINER.findall(path)}
    found = []
    for name in sorted(ids)[:2]:
        paths = [DOCKER.format(id=name)]
        try:
            names = reach.root.names(CONTAINERS, 5000)
        except OSError:
            names = []
        paths += [f"{CONTAINERS}/{one}" for one in names if one.endswith(f"-{name}.log")]
        for path in paths:
            log = _log(path, reach.root.real(path))
            if log is not None:
                found.append(log)
    return found
