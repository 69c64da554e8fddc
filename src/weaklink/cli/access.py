"""Tries, for an instant each, what looks need to read: nothing is asked of any other program."""

from __future__ import annotations

import os

from weaklink.model.message import Message, say
from weaklink.reach.rights import capabilities
from weaklink.reach.root import Root
from weaklink.report.checked import Access
from weaklink.words import texts

ROOT = "sudo weaklink"
MANY = 400
"""Processes that are tried, newest first: enough to tell a rule from an exception."""

texts(
    {
        "access.processes": "processes of this machine ({count})",
        "access.no-proc": "no /proc is mounted here",
        "access.lose-all": "no process, so no chain",
        "access.others": "descriptors and libraries of {count} processes of other users",
        "access.others-denied": "denied for {denied} of {count}",
        "access.lose-others": "who owns a socket, so links without an owner and members unseen",
        "access.stacks": "Python stacks of running processes (py-spy)",
        "access.stacks-denied": "this user may not trace processes of others (ptrace)",
        "access.no-py-spy": "py-spy is not installed beside this Python",
        "access.lose-stacks": "which function burns or waits, and deadlocks",
        "access.kernel-log": "the kernel's log",
        "access.lose-kernel-log": "OOM kills, failing disks and GPU errors by the kernel's word",
        "access.namespaces": "sockets in other network namespaces, in detail",
        "access.namespaces-denied": "needs CAP_SYS_ADMIN",
        "access.lose-namespaces": "waiting times of connections inside containers",
        "access.groups": "control groups: quotas, throttling, memory limits",
        "access.lose-groups": "throttling and OOM kills of a group",
        "access.pressure": "pressure of CPU, memory and disk (PSI)",
        "access.lose-pressure": "stalls that no other counter shows",
        "access.os-error": "{reason}",
    }
)


def accesses(root: Root) -> list[Access]:
    """What can be read below this root by this user."""
    pids = _pids(root)
    found = [
        Access(
            name="processes",
            allowed=bool(pids),
            what=say("access.processes", count=len(pids)),
            loses=say("access.lose-all"),
            why=None if pids else say("access.no-proc"),
        ),
        _others(root, pids),
        _readable(root, "control-groups", ("/sys/fs/cgroup",), "groups"),
        _readable(root, "pressure", ("/proc/pressure/cpu",), "pressure"),
        _kernel_log(root),
    ]
    if not root.frozen:
        found += [_stacks(), _namespaces()]
    return found


def _pids(root: Root) -> list[int]:
    try:
        return sorted((int(name) for name in root.names("/proc") if name.isdigit()), reverse=True)
    except OSError:
        return []


def _others(root: Root, pids: list[int]) -> Access:
    denied = 0
    tried = 0
    for pid in pids[:MANY]:
        try:
            root.names(f"/proc/{pid}/fd", limit=1)
            tried += 1
        except PermissionError:
            tried += 1
            denied += 1
        except OSError:
            continue
    return Access(
        name="other-processes",
        allowed=not denied,
        what=say("access.others", count=tried),
        loses=say("access.lose-others"),
        why=say("access.others-denied", denied=denied, count=tried) if denied else None,
        remedy=ROOT if denied else "",
    )


def _readable(root: Root, name: str, paths: tuple[str, ...], key: str) -> Access:
    why: Message | None = None
    for path in paths:
        try:
            root.stat(path)
        except OSError as error:
            why = _reason(error)
    return Access(
        name=name,
        allowed=why is None,
        what=say(f"access.{key}"),
        loses=say(f"access.lose-{key}"),
        why=why,
    )


def _kernel_log(root: Root) -> Access:
    why: Message | None = None
    paths = ("/var/log/dmesg", "/var/log/kern.log") if root.frozen else ("/dev/kmsg",)
    for path in paths:
        try:
            descriptor = os.open(root.real(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            os.close(descriptor)
            why = None
            break
        except OSError as error:
            why = _reason(error)
    denied = why is not None and not root.frozen
    return Access(
        name="kernel-log",
        allowed=why is None,
        what=say("access.kernel-log"),
        loses=say("access.lose-kernel-log"),
        why=why,
        remedy=ROOT if denied and os.geteuid() != 0 else "",
    )


def _stacks() -> Access:
    from weaklink.reach.exec import find_tool
    from weaklink.reach.host import NotHere

    why: Message | None = None
    remedy = ""
    try:
        find_tool("py-spy")
        if "CAP_SYS_PTRACE" not in capabilities():
            why, remedy = say("access.stacks-denied"), ROOT
    except NotHere:
        why = say("access.no-py-spy")
    return Access(
        name="python-stacks",
        allowed=why is None,
        what=say("access.stacks"),
        loses=say("access.lose-stacks"),
        why=why,
        remedy=remedy,
    )


def _namespaces() -> Access:
    allowed = "CAP_SYS_ADMIN" in capabilities()
    return Access(
        name="namespaces",
        allowed=allowed,
        what=say("access.namespaces"),
        loses=say("access.lose-namespaces"),
        why=None if allowed else say("access.namespaces-denied"),
        remedy="" if allowed else ROOT,
    )


def _reason(error: OSError) -> Message:
    return say("access.os-error", reason=error.strerror or type(error).__name__)
