"""Reads the files of one control group, of version 1 or 2, into the same quantities."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import NamedTuple

from weaklink.model.quantities import cgroup as q
from weaklink.parse.mountinfo import MountLine
from weaklink.parse.proc_host import parse_pressure

NO_LIMIT_BYTES = 1 << 62
"""A v1 memory limit from here on is none: the kernel writes 2^63 less a page."""
V1_CONTROLLERS = ("cpu", "cpuacct", "memory", "freezer")
UNIFIED = "unified"

Read = Callable[[str], bytes]
"""Gives a file of the group by name, or nothing where it has none."""


class GroupState(NamedTuple):
    """What a group's files say: quantities, CPUs it may use, memory limit, whether it is frozen."""

    values: dict[str, float]
    cpu_quota: float | None
    memory_limit: float | None
    frozen: bool


NOTHING = GroupState({}, None, None, frozen=False)


class Hierarchy(NamedTuple):
    """Where a controller's groups are: the folder, and the group that the folder shows."""

    folder: str
    root: str


def hierarchies(mounts: list[MountLine]) -> dict[str, Hierarchy]:
    """Mounted hierarchies by v1 controller, the v2 tree under `unified`; the first mount counts."""
    found: dict[str, Hierarchy] = {}
    for mount in mounts:
        if mount.kind == "cgroup2":
            found.setdefault(UNIFIED, Hierarchy(mount.path, mount.root))
        elif mount.kind == "cgroup":
            for controller in V1_CONTROLLERS:
                if controller in mount.options:
                    found.setdefault(controller, Hierarchy(mount.path, mount.root))
    return found


def folder_of(place: Hierarchy, path: str) -> str | None:
    """The folder of a group; None where it lies outside what is mounted here."""
    if ".." in path.split("/"):
        return None  # outside our own cgroup namespace
    if place.root != "/":
        if path != place.root and not path.startswith(place.root + "/"):
            return None
        path = path[len(place.root) :]
    return place.folder.rstrip("/") + (path if path != "/" else "")


def with_ancestors(path: str) -> list[str]:
    """The group and those above it, without the root: a limit anywhere on the way counts."""
    parts = [part for part in path.split("/") if part]
    return ["/" + "/".join(parts[: n + 1]) for n in range(len(parts))]


def parse_v1(read: Mapping[str, Read]) -> GroupState:
    """A group of version 1; `read` by controller, as far as the group is in it."""
    values: dict[str, float] = {}
    quota = limit = None
    frozen = False
    if cpu := read.get("cpu"):
        stat = flat(cpu("cpu.stat"))
        _put(values, q.CGROUP_CPU_PERIODS_TOTAL, stat.get("nr_periods"))
        _put(values, q.CGROUP_CPU_THROTTLED_PERIODS_TOTAL, stat.get("nr_throttled"))
        _put(values, q.CGROUP_CPU_THROTTLED_SECONDS_TOTAL, stat.get("throttled_time"), 1e9)
        quota = _quota(number(cpu("cpu.cfs_quota_us")), number(cpu("cpu.cfs_period_us")))
    if cpuacct := read.get("cpuacct"):
        _put(values, q.CGROUP_CPU_SECONDS_TOTAL, number(cpuacct("cpuacct.usage")), 1e9)
    if memory := read.get("memory"):
        stat = flat(memory("memory.stat"))
        if "total_rss" in stat:
            values[q.CGROUP_MEMORY_WORKING_BYTES] = stat["total_rss"] + stat.get("total_shmem", 0)
        _put(values, q.CGROUP_MEMORY_USAGE_BYTES, number(memory("memory.usage_in_bytes")))
        _put(values, q.CGROUP_MEMORY_FAILURES_TOTAL, number(memory("memory.failcnt")))
        kills = flat(memory("memory.oom_control")).get("oom_kill")
        _put(values, q.CGROUP_OOM_KILLS_TOTAL, kills)
        limit = number(memory("memory.limit_in_bytes"))
        limit = None if limit is None or limit >= NO_LIMIT_BYTES else limit
    if freezer := read.get("freezer"):
        # FREEZING means that some task of it, one in D state, is not there yet.
        frozen = freezer("freezer.state").strip() in (b"FROZEN", b"FREEZING")
    return _limited(GroupState(values, quota, limit, frozen))


def parse_v2(read: Read) -> GroupState:
    """A group of version 2; a controller that is not enabled there has no files."""
    values: dict[str, float] = {}
    cpu = flat(read("cpu.stat"))
    _put(values, q.CGROUP_CPU_SECONDS_TOTAL, cpu.get("usage_usec"), 1e6)
    _put(values, q.CGROUP_CPU_PERIODS_TOTAL, cpu.get("nr_periods"))
    _put(values, q.CGROUP_CPU_THROTTLED_PERIODS_TOTAL, cpu.get("nr_throttled"))
    _put(values, q.CGROUP_CPU_THROTTLED_SECONDS_TOTAL, cpu.get("throttled_usec"), 1e6)
    words = read("cpu.max").split()
    quota = _quota(number(words[0]), number(words[1])) if len(words) == 2 else None
    memory = flat(read("memory.stat"))
    if "anon" in memory:
        values[q.CGROUP_MEMORY_WORKING_BYTES] = memory["anon"] + memory.get("shmem", 0)
    _put(values, q.CGROUP_MEMORY_USAGE_BYTES, number(read("memory.current")))
    events = flat(read("memory.events"))
    _put(values, q.CGROUP_MEMORY_FAILURES_TOTAL, events.get("max"))
    _put(values, q.CGROUP_OOM_KILLS_TOTAL, events.get("oom_kill"))
    for resource, name in (
        ("cpu", q.CGROUP_PRESSURE_CPU_SOME_SECONDS_TOTAL),
        ("memory", q.CGROUP_PRESSURE_MEMORY_SOME_SECONDS_TOTAL),
        ("io", q.CGROUP_PRESSURE_IO_SOME_SECONDS_TOTAL),
    ):
        _put(values, name, parse_pressure(read(f"{resource}.pressure")).get("some"))
    # The word `max` is no number and so is no limit. A frozen task still shows state S, so this
    # file is the only one that tells.
    frozen = flat(read("cgroup.events")).get("frozen") == 1
    return _limited(GroupState(values, quota, number(read("memory.max")), frozen))


def merged(first: GroupState, second: GroupState) -> GroupState:
    """One state of both: on a hybrid machine a group has files of both versions."""
    return GroupState(
        second.values | first.values,
        first.cpu_quota if first.cpu_quota is not None else second.cpu_quota,
        first.memory_limit if first.memory_limit is not None else second.memory_limit,
        first.frozen or second.frozen,
    )


@functools.lru_cache(maxsize=256)  # a file that is as it was need not be taken apart again
def flat(raw: bytes) -> Mapping[str, float]:
    """A flat keyed file (`name number` a line); what is no number is left out."""
    found: dict[str, float] = {}
    for line in raw.split(b"\n"):
        words = line.split()
        if len(words) == 2:
            value = number(words[1])
            if value is not None:
                found[words[0].decode("ascii", "replace")] = value
    return found


def number(raw: bytes) -> float | None:
    """A file or word that is one whole number; None for `max`, -1 and anything else."""
    digits = raw.strip()
    return float(digits) if digits.isdigit() and len(digits) < 20 else None


def _quota(quota: float | None, period: float | None) -> float | None:
    return quota / period if quota and period else None


def _put(values: dict[str, float], name: str, value: float | None, per: float = 1.0) -> None:
    if value is not None:
        values[name] = value / per


def _limited(state: GroupState) -> GroupState:
    values = dict(state.values)
    _put(values, q.CGROUP_CPU_QUOTA, state.cpu_quota)
    _put(values, q.CGROUP_MEMORY_LIMIT_BYTES, state.memory_limit)
    return state._replace(values=values)
