"""Under what a process runs, told by its parents and its control group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

CRONS = frozenset({"cron", "crond", "CRON", "anacron", "fcron", "cronie", "busybox"})
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ash", "fish", "ksh"})
LOGINS = frozenset({"sshd", "login", "su", "sudo", "tmux: server", "screen", "tmux"})
MAX_TEXT = 160


class Parent(NamedTuple):
    """One process above: the nearest first."""

    pid: int
    name: str
    argv: list[str]


class Origin(NamedTuple):
    """`kind` `cron`, `unit`, `shell`, `container` or '' where nothing tells; `text` names it."""

    kind: str
    text: str


def origin_of(parents: Sequence[Parent], cgroup: str = "", own: Sequence[str] = ()) -> Origin:
    """The cron line, unit, shell or container that a process belongs to; `own` is its command."""
    for place, parent in enumerate(parents):
        if parent.name in CRONS:
            return Origin("cron", _line(parents[:place], own))
    for parent in parents:
        if parent.name in LOGINS or parent.name.startswith("sshd"):
            return Origin("shell", parent.name)
    unit = unit_of(cgroup)
    if unit:
        return Origin("container" if unit.startswith(("docker-", "cri-")) else "unit", unit)
    for parent in parents:
        if parent.name in SHELLS and len(parent.argv) < 2:
            return Origin("shell", parent.name)
    return Origin("", "")


def _line(below: Sequence[Parent], own: Sequence[str]) -> str:
    """What cron was told to run: the command of the shell that it started, where there is one."""
    lines = [own, *(parent.argv for parent in below)]
    for argv in reversed(lines):
        if "-c" in argv[1:3] and argv[0].rpartition("/")[2] in SHELLS:
            return argv[-1][:MAX_TEXT]
    return " ".join(lines[-1])[:MAX_TEXT]


def unit_of(cgroup: str) -> str:
    """The systemd unit at the end of a control group's path (`refresh.service`), '' for none."""
    for part in reversed(cgroup.split("/")):
        if part.endswith((".service", ".scope")) and not part.startswith(("session-", "init")):
            return part[:MAX_TEXT]
    return ""
