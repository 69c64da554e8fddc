"""Reads the kernel's log, as records of /dev/kmsg, dmesg's text or syslog's files."""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple

from weaklink.parse.clean import clean_text

MAX_LINE = 1_000
MAX_LINES = 20_000

_STAMP = re.compile(r"^(?:<(\d{1,3})>)?\[ {0,6}(\d{1,10})\.(\d{1,6})\] ?(.{0,1000})$", re.DOTALL)
"""dmesg's own: seconds since boot."""
_SYSLOG = re.compile(
    r"^([A-Z][a-z]{2}) ([ 0-9]\d) (\d\d):(\d\d):(\d\d) (\S{1,255}) kernel: ?(.{0,1000})$", re.DOTALL
)
_ISO = re.compile(
    r"^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?) "
    r"(\S{1,255}) kernel: ?(.{0,1000})$",
    re.DOTALL,
)
_KILLED = re.compile(
    r"(Memory cgroup out of memory|Out of memory[^:]{0,40}): Kill(?:ed)? process (\d{1,9}) \("
)
_SIZE = re.compile(r"(anon-rss|file-rss|shmem-rss|total-vm):(\d{1,15})kB")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DUMP = re.compile(
    r"(?:R[A-Z0-9]{2}|E?FLAGS|RIP|Code|FS|GS|CS|CR\d|DR\d|CPU|Call Trace|Modules linked in"
    r"|Hardware name|Workqueue|PKRU|ORIG_RAX|x\d{1,2}|pstate|pc|lr|sp) ?:"
)
MAX_REPORT_LINES = 2_000
"""Of one OOM report: a line a process, and some hundred before."""


class KernelLine(NamedTuple):
    """One line. `at` in epoch seconds, `priority` 0 (emergency) to 7, -1 where not written."""

    at: float
    priority: int
    text: str


class OomKill(NamedTuple):
    """A process that the kernel killed for lack of memory; `cgroup` '' for the whole machine."""

    at: float
    pid: int
    name: str
    cgroup: str
    anon_bytes: float


def parse_kmsg(record: bytes, boot: float) -> KernelLine | None:
    """One record of /dev/kmsg: `prio,seq,usec,flags;text`, then lines of properties.

    None for what a process wrote there itself (its facility is never the kernel's, 0), so that
    nobody but the kernel can claim an OOM kill.
    """
    head, semicolon, rest = record.partition(b";")
    words = head.split(b",")
    if not semicolon or len(words) < 3 or not words[0].isdigit() or not words[2].isdigit():
        return None
    number = int(words[0][:6])
    if number >> 3:
        return None
    text = clean_text(rest.split(b"\n", 1)[0][:MAX_LINE])
    return KernelLine(boot + int(words[2][:18]) / 1e6, number & 7, text)


def parse_log_lines(text: str, *, boot: float, now: float, utc_offset: int) -> list[KernelLine]:
    """Kernel lines of a dmesg text or a syslog file; other lines are left out.

    Syslog writes local time without a year: the last year that is not in the future is meant.
    """
    found: list[KernelLine] = []
    for line in text.split("\n")[-MAX_LINES:]:
        one = _line(line[: MAX_LINE + 300], boot, now, utc_offset)
        if one is not None:
            found.append(one)
    return found


def _line(line: str, boot: float, now: float, utc_offset: int) -> KernelLine | None:
    if match := _STAMP.match(line):
        level, seconds, fraction, text = match.groups()
        at = boot + float(f"{seconds}.{fraction}")
        return KernelLine(at, int(level) & 7 if level else -1, text)
    if match := _SYSLOG.match(line):
        month, day, hour, minute, second, _host, text = match.groups()
        if month not in _MONTHS:
            return None
        moment = (_MONTHS.index(month) + 1, int(day), int(hour), int(minute), int(second))
        at_local = _last_year_with(moment, now, utc_offset)
        return None if at_local is None else KernelLine(at_local, -1, _without_stamp(text))
    if match := _ISO.match(line):
        stamp, _host, text = match.groups()
        try:
            when = datetime.datetime.fromisoformat(stamp.replace(",", "."))
        except ValueError:
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=datetime.timezone(datetime.timedelta(seconds=utc_offset)))
        return KernelLine(when.timestamp(), -1, _without_stamp(text))
    return None


def _last_year_with(
    moment: tuple[int, int, int, int, int], now: float, utc_offset: int
) -> float | None:
    zone = datetime.timezone(datetime.timedelta(seconds=utc_offset))
    year = datetime.datetime.fromtimestamp(now, zone).year
    for candidate in (year, year - 1):
        try:
            at = datetime.datetime(candidate, *moment, tzinfo=zone).timestamp()
        except ValueError:
            continue
        if at <= now + 86_400:
            return at
    return None


def _without_stamp(text: str) -> str:
    match = _STAMP.match(text)
    return match[4] if match else text


def oom_kills(lines: list[KernelLine]) -> list[OomKill]:
    """The kills among these lines, each told once.

    The line that names the victim follows the one that names its control group
    (`oom-kill:constraint=CONSTRAINT_MEMCG,…,task_memcg=/path,task=name,pid=1,uid=0`, Linux 5.0
    on) or, on older kernels, `Task in /path killed as a result of limit of /limit`.
    """
    kills: list[OomKill] = []
    cgroup = ""
    for line in lines:
        if "oom-kill:constraint=" in line.text:
            cgroup = _memcg_of(line.text)
        elif line.text.startswith("Task in ") and " killed as a result of limit of " in line.text:
            cgroup = line.text.rpartition(" killed as a result of limit of ")[2].strip()
        elif match := _KILLED.search(line.text):
            rest = line.text[match.end() :]
            sizes = dict(_SIZE.findall(rest))
            kill = OomKill(
                at=line.at,
                pid=int(match[2]),
                name=_name(rest),
                cgroup=cgroup if match[1].startswith("Memory cgroup") else "",
                anon_bytes=float(sizes.get("anon-rss", 0)) * 1024,
            )
            if not _already(kills, kill):
                kills.append(kill)
            cgroup = ""
    return kills


def _name(rest: str) -> str:
    """The victim's name up to what the kernel writes after it: a name may hold parentheses."""
    for ending in (") total-vm:", "), UID ", ") score "):
        end = rest.rfind(ending)
        if end >= 0:
            return rest[:end]
    return rest.rpartition(")")[0]


def _already(kills: list[OomKill], kill: OomKill) -> bool:
    """Old kernels say `Kill process` and then `Killed process` of the same one."""
    return bool(kills) and kills[-1].pid == kill.pid and abs(kills[-1].at - kill.at) < 1.0


def _memcg_of(text: str) -> str:
    """The group whose limit was hit; '' where it was the machine's memory."""
    if "constraint=CONSTRAINT_MEMCG" not in text:
        return ""
    for field in ("oom_memcg=", "task_memcg="):
        _, found, rest = text.partition(field)
        if found:
            return rest.partition(",task")[0] if field == "oom_memcg=" else rest.partition(",")[0]
    return ""


def without_dumps(lines: list[KernelLine]) -> list[KernelLine]:
    """The lines that say something: registers, stacks and the tables of an OOM report left out."""
    found: list[KernelLine] = []
    in_report = 0
    for line in lines:
        if in_report and not _KILLED.search(line.text):
            in_report -= 1
            continue
        in_report = MAX_REPORT_LINES if " invoked oom-killer: " in line.text else 0
        if not line.text.startswith((" ", "\t")) and not _DUMP.match(line.text):
            found.append(line)
    return found
