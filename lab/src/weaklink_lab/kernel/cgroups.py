"""Cgroups of the members: CPU share and quota, memory limit, freezer; v1 and v2 trees."""

import contextlib
import os
import time
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")
CONTROLLERS = ("cpu", "cpuacct", "memory", "freezer")
PERIOD_US = 100_000


def unified(mount: Path = MOUNT) -> bool:
    """Tell whether this host has only the v2 tree."""
    return (mount / "cgroup.controllers").exists()


def folders(group: str, mount: Path = MOUNT) -> list[Path]:
    """Give the folders of a group (`root/member`) in every tree it lives in."""
    if unified(mount):
        return [mount / group]
    # cpu and cpuacct may be one mount with two names: make each real folder once.
    made = {(mount / name).resolve() / group for name in CONTROLLERS}
    return sorted(made)


def create(group: str, mount: Path = MOUNT) -> None:
    """Make a group, its parents first."""
    for folder in folders(group, mount):
        folder.mkdir(parents=True, exist_ok=True)
        if unified(mount):
            with contextlib.suppress(OSError):
                (folder.parent / "cgroup.subtree_control").write_text("+cpu +memory")


def join(group: str, mount: Path = MOUNT) -> None:
    """Move the calling process into the group."""
    for folder in folders(group, mount):
        (folder / "cgroup.procs").write_text(str(os.getpid()))


def pids(group: str, mount: Path = MOUNT) -> list[int]:
    """Give the processes of a group and of the groups below it."""
    found: set[int] = set()
    for folder in folders(group, mount):
        for path in [folder / "cgroup.procs", *folder.glob("*/cgroup.procs")]:
            with contextlib.suppress(OSError):
                found.update(int(word) for word in path.read_text().split())
    return sorted(found)


def set_share(group: str, share: int, mount: Path = MOUNT) -> None:
    """Give the group a weight against its neighbours; 1024 is what a plain process has."""
    if unified(mount):
        _write(group, "cpu.weight", str(max(1, min(10_000, share * 100 // 1024))), mount)
    else:
        _write(group, "cpu.shares", str(share), mount)


def set_quota(group: str, cores: float | None, mount: Path = MOUNT) -> None:
    """Let the group use at most so many cores (None: no limit)."""
    micros = None if cores is None else max(1000, int(cores * PERIOD_US))
    if unified(mount):
        _write(group, "cpu.max", f"{'max' if micros is None else micros} {PERIOD_US}", mount)
    else:
        _write(group, "cpu.cfs_quota_us", str(-1 if micros is None else micros), mount)


def set_memory(group: str, limit: int | None, mount: Path = MOUNT) -> None:
    """Limit the group's memory to so many bytes (None: no limit)."""
    if unified(mount):
        _write(group, "memory.max", "max" if limit is None else str(limit), mount)
    else:
        _write(group, "memory.limit_in_bytes", str(-1 if limit is None else limit), mount)


def memory_used(group: str, mount: Path = MOUNT) -> int:
    """Give the group's anonymous memory in bytes: what cannot be reclaimed here."""
    text = _find(group, "memory.stat", mount).read_text()
    values = dict(line.split() for line in text.splitlines())
    return int(values.get("rss", values.get("anon", "0")))


def kills(group: str, mount: Path = MOUNT) -> int:
    """Give how often the kernel killed a process of this group for memory."""
    name = "memory.events" if unified(mount) else "memory.oom_control"
    for line in _find(group, name, mount).read_text().splitlines():
        if line.startswith("oom_kill "):
            return int(line.split()[1])
    return 0


def freeze(group: str, frozen: bool, mount: Path = MOUNT, patience: float = 5.0) -> None:
    """Stop every task of the group where it stands, or let it go on."""
    if unified(mount):
        _write(group, "cgroup.freeze", "1" if frozen else "0", mount)
        return
    wanted = "FROZEN" if frozen else "THAWED"
    path = _find(group, "freezer.state", mount)
    deadline = time.monotonic() + patience
    while path.read_text().strip() != wanted and time.monotonic() < deadline:
        path.write_text(wanted)
        time.sleep(0.02)


def remove(group: str, mount: Path = MOUNT) -> None:
    """Remove a group and what is below it; processes must be gone."""
    for folder in folders(group, mount):
        below = sorted((path for path in folder.glob("*") if path.is_dir()), reverse=True)
        for path in [*below, folder]:
            with contextlib.suppress(OSError):
                path.rmdir()


def left(group: str, mount: Path = MOUNT) -> list[str]:
    """Give the folders of the group that still exist."""
    return [str(folder) for folder in folders(group, mount) if folder.exists()]


def _find(group: str, name: str, mount: Path) -> Path:
    for folder in folders(group, mount):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"{group} has no {name}")


def _write(group: str, name: str, text: str, mount: Path) -> None:
    _find(group, name, mount).write_text(text)
