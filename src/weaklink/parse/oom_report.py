"""Reads what the kernel prints when memory runs out: who was killed, whose limit it was.

Format: mm/oom_kill.c and mm/memcontrol.c of Linux 3.10 to 6.12. A report is spread over tens of
lines; any part of it may be missing from a paste, and what is missing stays None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

MAX_TASKS = 5000
PAGE = 4096
"""The task table counts pages; 4 KiB on x86-64 and on most arm64 kernels."""

_FIELD = re.compile(r"(constraint|oom_memcg|task_memcg|task|pid)=([^,]{0,512})")
_USAGE = re.compile(
    r"(memory|memory\+swap|kmem|swap): usage (\d{1,18})kB, limit (\d{1,18})kB, failcnt (\d{1,18})"
)
_STATS = re.compile(r"Memory cgroup stats for (/[^\s:]{0,512}):?")
_KILL = re.compile(r"Kill(?:ed)? process (\d{1,9}),? \((.{1,64}?)\)(?=[ ,]|$)(.{0,400})")
_SIZE = re.compile(r"(total-vm|anon-rss|file-rss|shmem-rss):(\d{1,15})kB")
_INVOKED = re.compile(r"(.{1,64}) invoked oom-killer:")
_LIMIT_OF = re.compile(r"Task in (\S{1,512}) killed as a result of limit of (\S{1,512})")
_ROW = re.compile(r"\[ {0,9}(\d{1,9})\]((?: {1,20}-?\d{1,18}){6,10}) (\S.{0,63})$")
_ANON = re.compile(r"(anon|file|shmem|kernel|slab|sock) (\d{1,18})$")
_SWAP = re.compile(r"(Free|Total) swap {1,3}= (\d{1,15})kB")


class OomTask(NamedTuple):
    """One row of the task table: bytes resident and in swap."""

    pid: int
    name: str
    resident: float
    swapped: float


class OomReport(NamedTuple):
    """One kill, or what is left of its report. Sizes in bytes; '' or None where unsaid."""

    constraint: str
    """`memcg`, `global`, `cpuset`, `policy`, or '' where no line says."""
    pid: int | None
    name: str
    anon: float | None
    file: float | None
    swapped: float | None
    cgroup: str
    """The group whose limit was hit; for a global kill the group that the victim was in."""
    usage: float | None
    limit: float | None
    failures: int | None
    kernel_memory: float | None
    biggest: OomTask | None
    free_swap: float | None
    total_swap: float | None
    invoker: str
    at: float | None
    number: int
    lines: dict[str, str]
    """Deciding lines by what they say: `kill`, `oom-kill`, `usage`, `cgroup`."""


class _Open:
    """A report while its lines come in."""

    def __init__(self) -> None:
        self.constraint = ""
        self.pid: int | None = None
        self.name = ""
        self.sizes: dict[str, float] = {}
        self.cgroup = ""
        self.usage: dict[str, tuple[float, float, int]] = {}
        self.stats: dict[str, float] = {}
        self.tasks: dict[int, OomTask] = {}
        self.swap: dict[str, float] = {}
        self.invoker = ""
        self.at: float | None = None
        self.number = 0
        self.lines: dict[str, str] = {}
        self.killed = False

    def told(self) -> bool:
        return bool(self.killed or self.lines)

    def close(self) -> OomReport:
        used = self.usage.get("memory")
        kernel = self.usage.get("kmem")
        own = self.tasks.get(self.pid) if self.pid is not None else None
        anon = self.sizes.get("anon-rss")
        biggest = max(
            self.tasks.values(), key=lambda t: (t.resident + t.swapped, -t.pid), default=None
        )
        return OomReport(
            constraint=self.constraint,
            pid=self.pid,
            name=self.name,
            anon=anon if anon is not None else (own.resident if own else None),
            file=self.sizes.get("file-rss"),
            swapped=own.swapped if own else None,
            cgroup=self.cgroup,
            usage=used[0] if used else None,
            limit=used[1] if used else None,
            failures=used[2] if used else None,
            kernel_memory=kernel[0] if kernel else self.stats.get("kernel"),
            biggest=biggest,
            free_swap=self.swap.get("Free"),
            total_swap=self.swap.get("Total"),
            invoker=self.invoker,
            at=self.at,
            number=self.number,
            lines=self.lines,
        )


def oom_reports(lines: Iterable[tuple[str, str, float | None, int]]) -> list[OomReport]:
    """Reports among kernel lines (text without its stamp, raw line, seconds, number), in order."""
    reports: list[OomReport] = []
    one = _Open()
    for text, raw, at, number in lines:
        starts = " invoked oom-killer:" in text
        again = one.killed and ("oom-kill:" in text or "memory: usage" in text)
        kill = _KILL.search(text) if "ill" in text and "process" in text else None
        if kill and one.killed and one.pid != int(kill[1]):
            again = True
        if (starts or again) and one.told():
            reports.append(one.close())
            one = _Open()
        if _take(one, text, raw, kill) and not one.number:
            one.at, one.number = at, number
    if one.told():
        reports.append(one.close())
    return reports


def _take(one: _Open, text: str, raw: str, kill: re.Match[str] | None) -> bool:
    """Whether the line told something of a report."""
    if kill and ("ut of memory" in text or one.told() or "total-vm" in text):
        _killed(one, text, raw, kill)
    elif "oom-kill:constraint=" in text:
        _constraint(one, text, raw)
    elif " invoked oom-killer:" in text:
        found = _INVOKED.search(text)
        one.invoker = found[1].strip() if found else ""
        one.lines.setdefault("invoked", raw)
    elif "Memory cgroup out of memory" in text:
        one.constraint = "memcg"
        one.lines.setdefault("kill", raw)
    elif found := _USAGE.search(text):
        one.usage[found[1]] = (float(found[2]) * 1024, float(found[3]) * 1024, int(found[4]))
        if found[1] == "memory":
            one.constraint = one.constraint or "memcg"
            one.lines["usage"] = raw
    elif found := _STATS.search(text):
        one.cgroup = one.cgroup or found[1]
        one.lines.setdefault("cgroup", raw)
    elif found := _LIMIT_OF.search(text):
        one.constraint, one.cgroup = "memcg", found[2]
        one.lines.setdefault("oom-kill", raw)
    elif found := _ROW.search(text[:200]):
        _task(one, found)
    elif found := _ANON.match(text):
        one.stats[found[1]] = float(found[2])
    elif found := _SWAP.match(text):
        one.swap[found[1]] = float(found[2]) * 1024
    else:
        return False
    return True


def _killed(one: _Open, text: str, raw: str, kill: re.Match[str]) -> None:
    one.pid, one.name, one.killed = int(kill[1]), kill[2], True
    if "Memory cgroup out of memory" in text:
        one.constraint = "memcg"
    elif "Out of memory" in text and not one.constraint:
        one.constraint = "global"
    one.sizes.update({name: float(size) * 1024 for name, size in _SIZE.findall(kill[3])})
    one.lines["kill"] = raw


def _constraint(one: _Open, text: str, raw: str) -> None:
    fields = dict(_FIELD.findall(text))
    said = fields.get("constraint", "")
    kinds = {
        "CONSTRAINT_MEMCG": "memcg",
        "CONSTRAINT_NONE": "global",
        "CONSTRAINT_CPUSET": "cpuset",
        "CONSTRAINT_MEMORY_POLICY": "policy",
    }
    one.constraint = "global" if ",global_oom" in text else kinds.get(said, one.constraint)
    one.cgroup = fields.get("oom_memcg") or fields.get("task_memcg") or one.cgroup
    one.name = one.name or fields.get("task", "")
    if one.pid is None and fields.get("pid", "").isdigit():
        one.pid = int(fields["pid"])
    one.lines["oom-kill"] = raw


def _task(one: _Open, found: re.Match[str]) -> None:
    """`[pid] uid tgid total_vm rss [rss_anon rss_file rss_shmem] pgtables swapents adj name`."""
    if len(one.tasks) >= MAX_TASKS:
        return
    numbers = [int(word) for word in found[2].split()]
    swapped = numbers[-2] if len(numbers) >= 7 else 0
    pid = int(found[1])
    one.tasks[pid] = OomTask(pid, found[3].strip(), numbers[3] * PAGE, max(0, swapped) * PAGE)
