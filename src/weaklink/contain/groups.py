"""How the limits of a control group are changed here: by systemd, docker, or its own files."""

from __future__ import annotations

import re
import shlex

from weaklink.contain.shell import SAME_PROCESS, Raw, fill
from weaklink.model.case import Case
from weaklink.model.chain import Link
from weaklink.model.fact import Cgroup, Process
from weaklink.model.message import Argument

CPU_STEP = 2.0
"""A quota is doubled, to one CPU at least, and never beyond the CPUs of the host."""
MEMORY_STEP = 1.5
MOST_MEMORY = 0.9
"""Share of the host's memory that one group's limit is raised to at most."""
_UNIT = re.compile(r"[A-Za-z0-9@._\\:-]{1,200}\.(?:service|scope)")
_CONTAINER = re.compile(r"(?:docker[-/]|^)([0-9a-f]{64})")


def group_of(case: Case, link: Link, *, limited_by: str) -> Cgroup | None:
    """The group of a link's processes that has a CPU quota (`cpu`) or memory limit (`memory`)."""
    pids = set(link.pids)
    found = [
        group
        for group in case.cgroups
        if pids & set(group.pids)
        and (group.cpu_quota if limited_by == "cpu" else group.memory_limit)
    ]
    return min(found, key=lambda group: (len(group.pids), group.path), default=None)


def cpu_values(case: Case, links: list[Link]) -> dict[str, Argument]:
    """`quota`, `new_quota` (CPUs), `set_quota`, `reset_quota` (commands); empty without one."""
    groups = _limited(case, links, "cpu")
    old = max((group.cpu_quota or 0.0 for group in groups), default=0.0)
    new = min(float(case.host.cpus), max(1.0, old * CPU_STEP))
    if not groups or new <= old:
        return {}
    return {
        "quota": old,
        "new_quota": new,
        "set_quota": Raw("\n".join(_cpu_command(group, new) for group in groups)),
        "reset_quota": Raw(
            "\n".join(_cpu_command(group, group.cpu_quota or old) for group in groups)
        ),
    }


def _limited(case: Case, links: list[Link], by: str) -> list[Cgroup]:
    """The distinct groups that limit these links, those of a cluster's own agent left out."""
    found = {
        group.key: group
        for link in links
        if (group := group_of(case, link, limited_by=by)) and "kubepods" not in group.path
    }
    return list(found.values())


def _cpu_command(group: Cgroup, cpus: float) -> Raw:
    if unit := unit_of(group.path):
        return Raw(f"systemctl set-property --runtime {unit} CPUQuota={cpus * 100:.0f}%")
    if container := container_of(group.path):
        return Raw(f"docker update --cpus {cpus:g} {container}")
    millionths = f"{cpus * 1e6:.0f} / 1000000"
    if group.version == 2:
        file = shlex.quote(f"/sys/fs/cgroup{group.path}/cpu.max")
        return Raw(f"echo $(( $(cut -d' ' -f2 {file}) * {millionths} )) > {file}")
    folder = f"/sys/fs/cgroup/cpu{group.path}"
    period = shlex.quote(f"{folder}/cpu.cfs_period_us")
    file = shlex.quote(f"{folder}/cpu.cfs_quota_us")
    return Raw(f"echo $(( $(cat {period}) * {millionths} )) > {file}")


def memory_values(case: Case, links: list[Link]) -> dict[str, Argument]:
    """`limit`, `new_limit` (bytes), `set_limit`, `reset_limit`; empty without a memory limit."""
    groups = _limited(case, links, "memory")
    old = max((group.memory_limit or 0.0 for group in groups), default=0.0)
    new = min(case.host.memory_bytes * MOST_MEMORY, old * MEMORY_STEP)
    if not groups or new <= old:
        return {}
    return {
        "limit": old,
        "new_limit": new,
        "set_limit": Raw("\n".join(_memory_command(group, new) for group in groups)),
        "reset_limit": Raw(
            "\n".join(_memory_command(group, group.memory_limit or old) for group in groups)
        ),
    }


def _memory_command(group: Cgroup, size: float) -> Raw:
    if unit := unit_of(group.path):
        return Raw(f"systemctl set-property --runtime {unit} MemoryMax={size:.0f}")
    if container := container_of(group.path):
        return Raw(f"docker update --memory {size:.0f} --memory-swap {size:.0f} {container}")
    if group.version == 2:
        return Raw(f"echo {size:.0f} > {shlex.quote(f'/sys/fs/cgroup{group.path}/memory.max')}")
    file = shlex.quote(f"/sys/fs/cgroup/memory{group.path}/memory.limit_in_bytes")
    return Raw(f"echo {size:.0f} > {file}")


def held_values(case: Case, process: Process) -> dict[str, Argument]:
    """How a process is held: `thaw` and `freeze` for a frozen group, `go_on` and `halt` for itself.

    Both where it is stopped within a frozen group, so that undo restores what was there.
    """
    values = _freezer(case, process)
    if process.state in ("T", "t") or not values:
        guard = fill(SAME_PROCESS, {"pid": process.pid, "start": process.start_ticks}) or ""
        values["go_on"] = Raw(f"{guard}kill -CONT {process.pid}")
        values["halt"] = Raw(f"{guard}kill -STOP {process.pid}")
    return values


def _freezer(case: Case, process: Process) -> dict[str, Argument]:
    for group in case.cgroups:
        if group.frozen and process.pid in group.pids:
            if group.version == 2:
                file = shlex.quote(f"/sys/fs/cgroup{group.path}/cgroup.freeze")
                return {"thaw": Raw(f"echo 0 > {file}"), "freeze": Raw(f"echo 1 > {file}")}
            file = shlex.quote(f"/sys/fs/cgroup/freezer{group.path}/freezer.state")
            return {
                "thaw": Raw(f"echo THAWED > {file}"),
                "freeze": Raw(f"echo FROZEN > {file}"),
            }
    return {}


def service_values(process: Process) -> dict[str, Argument]:
    """`restart` and `start_service` by who supervises the process; empty where nobody is known."""
    for path in process.cgroup.values():
        if (unit := unit_of(path)) and unit.endswith(".service"):
            return {
                "restart": Raw(f"systemctl restart {unit}"),
                "start_service": Raw(f"systemctl start {unit}"),
            }
        if container := container_of(path):
            return {
                word: Raw(f"docker {word} {container}") for word in ("restart", "start", "stop")
            }
    return {}


def unit_of(path: str) -> str:
    """The systemd unit that a group's path ends in, '' where there is none. Never a login scope."""
    last = path.rstrip("/").rpartition("/")[2]
    if not _UNIT.fullmatch(last) or last.startswith(("session-", "user@", "docker-")):
        return ""
    return shlex.quote(last)


def container_of(path: str) -> str:
    """The docker container's short id in a group's path, '' where there is none."""
    if "docker" not in path:
        return ""
    found = _CONTAINER.search(path)
    return found[1][:12] if found else ""
