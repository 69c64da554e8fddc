"""What is collected: commands as a person would type them, and how long each may take.

Only what changes nothing and slows nobody: no strace, no --bigkeys, no jstack, no packets.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

LOG_LINES = 2000
"""Of each log: a minute of a busy entry, an hour of a quiet one."""
MAX_VALUES = 16
"""Pids, devices, logs … of one word: a host with hundreds of disks is not asked about each."""
CGROUP_FILES = (
    "cpu.stat", "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us",
    "memory.max", "memory.current", "memory.events", "memory.stat",
    "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.failcnt", "memory.oom_control",
    "io.stat", "pids.max", "pids.current", "cgroup.freeze", "freezer.state",
)  # fmt: skip
"""Of both versions; a group has some of them."""
_WORD = re.compile(r"\{([a-z]+)\}")

_ROWS: tuple[tuple[str, float], ...] = (
    # command, seconds that it takes by itself; what samples comes first and runs meanwhile
    ("mpstat -P ALL 1 3", 3),
    ("vmstat 1 4", 3),
    ("iostat -x 1 3", 3),
    ("top -b -n 2 -d 2 -w 160", 2),
    ("pidstat -u -d -r 1 2", 2),
    ("nvidia-smi dmon -s pucm -c 3", 3),
    ("nvidia-smi pmon -c 2", 2),
    ("date", 0),
    ("uname -a", 0),
    ("uptime", 0),
    ("nproc", 0),
    ("free -m", 0),
    ("ps -eo pid,ppid,user,stat,ni,pcpu,pmem,rss,etime,wchan:24,args", 0),
    ("top -H -b -n 1 -w 160", 1),
    ("cat /proc/pressure/cpu", 0),
    ("cat /proc/pressure/io", 0),
    ("cat /proc/pressure/memory", 0),
    ("cat /proc/meminfo", 0),
    ("df -h", 0),
    ("df -i", 0),
    ("lsblk", 0),
    ("cat /proc/mdstat", 0),
    ("ip -s link", 0),
    ("ip addr", 0),
    ("ip route", 0),
    ("ip rule", 0),
    ("ip neigh", 0),
    ("ss -s", 0),
    ("ss -tln", 0),
    ("ss -tan", 0),
    ("nstat -az", 0),
    ("dmesg -T", 0),
    ("nvidia-smi", 2),
    ("nvidia-smi -q", 2),
    ("storcli64 /call show all", 5),
    ("perccli64 /call show all", 5),
    ("docker ps -a", 2),
    ("ethtool {interface}", 0),
    ("ethtool -S {interface}", 0),
    ("smartctl -a /dev/{device}", 3),
    ("nsenter -t {netns} -n ip -s link", 0),
    ("nsenter -t {netns} -n ip addr", 0),
    ("nsenter -t {netns} -n ip route", 0),
    ("nsenter -t {netns} -n ip neigh", 0),
    ("nsenter -t {netns} -n ss -tln", 0),
    ("nsenter -t {netns} -n ss -tan", 0),
    ("nsenter -t {netns} -n nstat -az", 0),
    (f"grep -sH . {' '.join('{cgroup}/' + name for name in CGROUP_FILES)}", 0),
    ("cat /proc/{pid}/status", 0),
    ("cat /proc/{pid}/limits", 0),
    ("redis-cli {redis} info all", 1),
    ("redis-cli {redis} slowlog get 32", 1),
    ("redis-cli {redis} latency latest", 1),
    ("curl -s http://{metrics}/metrics", 1),
    ("py-spy dump --nonblocking --pid {python}", 1),
    (f"tail -n {LOG_LINES} {{log}}", 1),
)


class Value(NamedTuple):
    """What a word is filled with; `pid`: in whose namespaces it holds; `where` a log is opened."""

    text: str
    pid: int | None = None
    where: str = ""


class Wanted(NamedTuple):
    """One command, filled in: its arguments, seconds it takes by itself, and what it is about."""

    words: tuple[str, ...]
    seconds: float
    about: Value = Value("")

    @property
    def command(self) -> str:
        """As it is typed."""
        return shlex.join(self.words)

    @property
    def tool(self) -> str:
        """The program."""
        return self.words[0]


def wanted(here: Mapping[str, list[Value]]) -> Iterator[Wanted]:
    """The commands in their order, one for each value of their word; none where it has no value."""
    for command, seconds in _ROWS:
        word = _WORD.search(command)
        if word is None:
            yield Wanted(tuple(command.split()), seconds)
            continue
        for value in here.get(word[1], [])[:MAX_VALUES]:
            filled = (part for one in command.split() for part in _filled(one, word[0], value))
            yield Wanted(tuple(filled), seconds, value)


def _filled(part: str, word: str, value: Value) -> list[str]:
    if word == "{redis}" and part == word:
        if value.text.startswith("unix:"):
            return ["-s", value.text.removeprefix("unix:")]
        host, _, port = value.text.rpartition(":")
        return ["-h", host.strip("[]"), "-p", port]
    return [part.replace(word, value.text)]
