"""Which pids, devices, caches and logs of this host the commands are about: the chain's."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from weaklink.capture.wanted import Value
from weaklink.model.case import Case
from weaklink.model.fact import Process
from weaklink.parse.cgroup import folder_of, hierarchies
from weaklink.parse.mountinfo import parse_mountinfo
from weaklink.reach.host import Reach
from weaklink.reach.open_logs import open_logs
from weaklink.reach.root import Root
from weaklink.sources.metrics import doors_of
from weaklink.sources.redis import servers

LOOKING = 2.0
"""Seconds for the descriptors of the chain's processes."""


def words_of(case: Case, root: Root) -> dict[str, list[Value]]:
    """Values for the words of `capture.wanted`, the chain's first."""
    pids = [pid for link in case.chain.links if link.on_chain for pid in link.pids]
    by_pid = {process.pid: process for process in case.processes}
    chain = [by_pid[pid] for pid in pids if pid in by_pid]
    return {
        "pid": _once(Value(str(process.pid)) for process in chain),
        "python": _once(Value(str(one.pid)) for one in chain if _is_python(one)),
        "netns": _once(_namespaces(chain, root)),
        "device": _once(
            Value(one.name) for one in case.devices if root.exists(f"/sys/block/{one.name}/device")
        ),
        "interface": _once(
            Value(name)
            for name in _names(root, "/sys/class/net")
            if root.exists(f"/sys/class/net/{name}/device")
        ),
        "cgroup": _once(_groups(root, chain)),
        "redis": _once(Value(one.address, one.process.pid) for one in servers(case, 0.0)[0]),
        "metrics": _once(
            Value(_reachable(door.address), door.pid)
            for door in doors_of(case)
            if not door.address.startswith("unix:")
        ),
        "log": list({one.text: one for one in _logs(case, root, chain)}.values()),
    }


def _once(values: Iterable[Value]) -> list[Value]:
    return list(dict.fromkeys(values))


def _names(root: Root, folder: str) -> list[str]:
    try:
        return sorted(root.names(folder, 1000))
    except OSError:
        return []


def _is_python(process: Process) -> bool:
    name = process.exe.rpartition("/")[2]
    return process.python or name.startswith("python") or "python" in process.libraries


def _reachable(address: str) -> str:
    host, _, port = address.rpartition(":")
    local = {"0.0.0.0": "127.0.0.1", "*": "127.0.0.1", "[::]": "[::1]"}
    return f"{local.get(host, host)}:{port}"


def _namespaces(chain: list[Process], root: Root) -> Iterable[Value]:
    """One pid of each network namespace of the chain that is not our own."""
    try:
        seen = {root.link("/proc/self/ns/net")}
    except OSError:
        return
    for process in chain:
        try:
            own = root.link(f"/proc/{process.pid}/ns/net")
        except OSError:
            continue
        if own not in seen:
            seen.add(own)
            yield Value(str(process.pid))


def _groups(root: Root, chain: list[Process]) -> Iterable[Value]:
    """Folders of the groups that the chain's processes live in, of every hierarchy."""
    try:
        places = hierarchies(parse_mountinfo(root.read("/proc/self/mountinfo", 1 << 20)))
    except OSError:
        return
    for process in chain:
        for controller, path in process.cgroup.items():
            place = places.get(controller)
            folder = folder_of(place, path) if place and path != "/" else None
            if folder is not None:
                yield Value(folder)


def _logs(case: Case, root: Root, chain: list[Process]) -> Iterable[Value]:
    """Logs that the configuration names and logs that the chain's processes hold open."""
    by_key = {process.key: process for process in case.processes}
    for log in sorted(case.logs, key=lambda log: -log.modified):
        owner = by_key.get(log.owner)
        if log.path.startswith("/") and not log.same_as:
            yield Value(log.path, where=_inside(root, owner, log.path))
    reach = Reach(root=root, window=0.0, until=0.0, deadline=time.monotonic() + LOOKING)
    for process in chain:
        for found in open_logs(reach, process)[0]:
            yield Value(found.path, where=found.where)


def _inside(root: Root, owner: Process | None, path: str) -> str:
    """The path through its owner's own root, where we may go that way."""
    if owner is not None:
        try:
            through = root.inside(owner.pid, path)
        except OSError:
            return path
        if os.access(through, os.R_OK):
            return through
    return path
