"""Freezes this machine: copies what looks would read into a folder, at several moments.

The folder can be looked at with `--root DIR`, on another machine and on another day. Command
lines and the kernel's log are redacted as they are copied; environments and memory never are.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from weaklink.parse.cgroup import UNIFIED, V1_CONTROLLERS, folder_of, hierarchies, with_ancestors
from weaklink.parse.clean import clean_text
from weaklink.parse.mountinfo import parse_mountinfo
from weaklink.parse.proc_process import parse_cgroup_of, parse_cmdline
from weaklink.parse.redact import redact, redact_argv
from weaklink.reach.root import Root

HOST_FILES = (
    *("stat", "loadavg", "meminfo", "vmstat", "diskstats", "self/mountinfo", "uptime"),
    *("pressure/cpu", "pressure/memory", "pressure/io"),
    *("sys/kernel/hostname", "sys/kernel/osrelease"),
)
PROCESS_FILES = ("stat", "status", "cgroup", "schedstat", "io", "wchan")
NETWORK_FILES = ("tcp", "tcp6", "unix", "snmp", "netstat", "sockstat")
CGROUP_FILES = (
    *("cpu.stat", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpuacct.usage", "freezer.state"),
    *("memory.stat", "memory.usage_in_bytes", "memory.limit_in_bytes", "memory.failcnt"),
    *("memory.oom_control", "cpu.max", "memory.current", "memory.max", "memory.events"),
    *("cgroup.events", "cpu.pressure", "memory.pressure", "io.pressure"),
)
MAX_TASKS = 512
MAX_FILE = 4 << 20


def freeze(destination: Path, *, seconds: float = 2.0, interval: float = 1.0) -> Path:
    """Record this machine for that long, a moment every `interval` seconds; gives the folder.

    Raises OSError where the folder cannot be written; what cannot be read is left out.
    """
    destination.mkdir(parents=True, exist_ok=True)
    started = time.time()
    (destination / "frozen-at").write_text(f"{started}\n")
    root = Root()
    _moment(root, destination, whole=True)
    _spaces(root, destination)
    _kernel_log(destination)
    moment = interval
    while moment <= seconds + 1e-9:
        time.sleep(max(0.0, started + moment - time.time()))
        _moment(root, destination / "frames" / f"{time.time() - started:.3f}", whole=False)
        moment += interval
    return destination


def _moment(root: Root, into: Path, *, whole: bool) -> None:
    for name in HOST_FILES:
        _copy(root, f"/proc/{name}", into)
    if whole:
        for path in ("/etc/hostname", "/etc/localtime"):
            _copy(root, path, into)
        _link(root, "/proc/self/ns/net", into)
        _blocks(root, into)
    places = hierarchies(parse_mountinfo(_read(root, "/proc/self/mountinfo")))
    folders: set[str] = set()
    seen: set[int] = set()
    for name in root.names("/proc"):
        if not name.isdigit() or name == str(os.getpid()):
            continue
        _process(root, name, into, whole=whole)
        space = _netns_mark(name)
        if space and space not in seen:
            seen.add(space)
            for file in NETWORK_FILES:
                _copy(root, f"/proc/{name}/net/{file}", into)
        for controller, path in parse_cgroup_of(_read(root, f"/proc/{name}/cgroup")).items():
            if controller in (*V1_CONTROLLERS, UNIFIED) and controller in places:
                for group in with_ancestors(path):
                    folders.add(folder_of(places[controller], group) or "")
    for folder in sorted(folders - {""}):
        for file in CGROUP_FILES:
            _copy(root, f"{folder}/{file}", into)


def _process(root: Root, pid: str, into: Path, *, whole: bool) -> None:
    own = f"/proc/{pid}"
    for file in PROCESS_FILES:
        _copy(root, f"{own}/{file}", into)
    for link in ("exe", "root", "ns/net"):
        _link(root, f"{own}/{link}", into)
    _put(into, f"{own}/cmdline", _argv(_read(root, f"{own}/cmdline")))
    for task in _names(root, f"{own}/task")[:MAX_TASKS]:
        for file in ("stat", "schedstat"):
            _copy(root, f"{own}/task/{task}/{file}", into)
    for number in _names(root, f"{own}/fd"):
        _link(root, f"{own}/fd/{number}", into, only=("socket:[", "/"))
    if whole:
        lines = _read(root, f"{own}/maps").split(b"\n")
        mapped = {line[line.find(b"/") :]: line for line in lines if b"/" in line}
        _put(into, f"{own}/maps", b"\n".join(mapped.values()))


def _argv(raw: bytes) -> bytes:
    return b"".join(
        argument.encode("utf-8", "backslashreplace") + b"\x00"
        for argument in redact_argv(parse_cmdline(raw))
    )


def _blocks(root: Root, into: Path) -> None:
    for name in _names(root, "/sys/block"):
        _copy(root, f"/sys/block/{name}/queue/rotational", into)
        for holder in _names(root, f"/sys/block/{name}/holders"):
            _put(into, f"/sys/block/{name}/holders/{holder}", b"")


def _spaces(root: Root, into: Path) -> None:
    from weaklink.probes.filesystem import Space, ask_all, worth_asking

    lines = worth_asking(parse_mountinfo(_read(root, "/proc/self/mountinfo")))
    told = ask_all([line.path for line in lines])
    rows = [
        f"{space.size:.0f} {space.free:.0f} {space.inodes:.0f} {space.inodes_free:.0f} {path}"
        for path, space in told.items()
        if isinstance(space, Space)
    ]
    _put(into, "/frozen-statvfs", "\n".join([*rows, ""]).encode())


def _kernel_log(into: Path) -> None:
    """The kernel's log as var/log/dmesg; nothing where it may not be read."""
    from weaklink.parse.kernel_log import parse_kmsg
    from weaklink.probes.kernel_log import kmsg_records

    try:
        records = kmsg_records()
    except OSError:
        return
    lines = [parse_kmsg(record, 0.0) for record in records]
    text = [f"<{line.priority}>[{line.at:12.6f}] {redact(line.text)}" for line in lines if line]
    _put(into, "/var/log/dmesg", "\n".join([*text, ""]).encode())


def _netns_mark(pid: str) -> int:
    try:
        return os.stat(f"/proc/{pid}/net/tcp").st_ino  # noqa: PTH116
    except OSError:
        return 0


def _names(root: Root, path: str) -> list[str]:
    try:
        return root.names(path)
    except OSError:
        return []


def _read(root: Root, path: str) -> bytes:
    try:
        return root.read(path, MAX_FILE)
    except OSError:
        return b""


def _copy(root: Root, path: str, into: Path) -> None:
    try:
        data = root.read(path, MAX_FILE)
    except OSError:
        return
    _put(into, path, data)


def _link(root: Root, path: str, into: Path, *, only: Iterable[str] = ("",)) -> None:
    try:
        target = clean_text(root.link(path))
    except OSError:
        return
    if target.startswith(tuple(only)):
        file = into / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        file.symlink_to(target)


def _put(into: Path, path: str, data: bytes) -> None:
    file = into / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
