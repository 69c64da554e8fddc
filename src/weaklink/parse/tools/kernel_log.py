"""The kernel's log: dmesg in all its stamps, journalctl -k, kern.log, lines quoted bare.

A message that the kernel printed over several lines is joined again where the log shows it by
indenting (dmesg does); a log that stamps each line keeps them apart.
"""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_hardware import KernelLine, KernelLogSpan
from weaklink.model.take import Take
from weaklink.parse.redact import redact
from weaklink.parse.text_tool import Passage, tool

MAX_KEPT = 4000
"""Lines kept of one log; of a longer one those that speak of hardware, memory or the network."""
_UPTIME = re.compile(r"(?:<\d{1,3}>)?\[\s{0,12}(\d{1,10}\.\d{3,6})\](?:\[\s{0,4}[TC]\d{1,8}\])? ?")
_CLOCK = re.compile(r"\[(\w{3} \w{3} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4})\] ?")
_LEVEL = re.compile(
    r"(?:kern|user|daemon|auth|syslog) {0,4}:"
    r"(?:emerg|alert|crit|err|warn|notice|info|debug) {0,3}: "
)
_ISO = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?) ")
_SYSLOG = re.compile(
    r"(?:<\d{1,3}>)?(\w{3} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,6})?|"
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?) "
    r"(?:(\S{1,128}) )?(?:kern\.\w{1,8} )?kernel:? ?"
)
_BARE = (
    "NVRM: ",
    "INFO: task ",
    "blk_update_request:",
    "print_req_error:",
    "nfs: server ",
    "Buffer I/O error",
    "EXT4-fs error",
    "EXT4-fs (",
    "I/O error, dev ",
    "Out of memory:",
    "oom-kill:",
    "Memory cgroup out of memory",
    "nvidia-nvswitch",
    "watchdog: BUG:",
    "kernel: ",
    "kernel:[",
    "mce: ",
    "ata",
    "nvme nvme",
    "sd ",
    "md/raid",
    "neighbour: ",
    "nf_conntrack:",
    "memory: usage",
    "Memory cgroup stats for",
    "Task in /",
)
_BARE_START = re.compile(
    r"(?:NVRM: |INFO: task |blk_update_request:|print_req_error:|nfs: server |"
    r"Buffer I/O error|EXT4-fs |I/O error, dev |"
    r"Out of memory:|oom-kill:|Memory cgroup out of memory|nvidia-nvswitch|watchdog: BUG:|"
    r"kernel: |kernel:\[|mce: |ata\d{1,3}(?:\.\d\d)?: |nvme nvme\d|sd \d{1,3}:\d|md/raid|"
    r"(?:ipv4: |arp_cache: )?[Nn]eighbour|nf_conntrack: |"
    r"memory: usage \d|Memory cgroup stats for |Task in /\S{1,400} killed as)"
)
_WORTH = (
    "ata",
    "I/O",
    "nvme",
    "sd",
    "scsi",
    "Sense",
    "medium",
    "EXT4-fs",
    "XFS",
    "BTRFS",
    "JBD2",
    "Remounting",
    "blocked",
    "md/",
    "md:",
    "megaraid",
    "mpt",
    "NVRM",
    "nvidia",
    "Xid",
    "segfault",
    "eighbour",
    "conntrack",
    "flooding",
    "Link",
    "link",
    "NETDEV",
    "Hang",
    "lockup",
    "Hardware",
    "mce",
    "EDAC",
    "rcu",
    "throttled",
    "protection",
    "traps",
    "oom",
    "Out",
    "Killed",
    "killed",
    "usage",
    "cgroup",
    "ratelimit",
    "TCP",
    "bond",
)


def _starts(line: str) -> bool:
    bare = line.lstrip()
    return (
        _UPTIME.match(bare) is not None
        or _CLOCK.match(bare) is not None
        or _LEVEL.match(bare) is not None
        or (" kernel:" in bare and _SYSLOG.match(bare) is not None)
        or _BARE_START.match(bare) is not None
        or " invoked oom-killer: gfp_mask" in bare
    )


def _goes_on(line: str) -> bool:
    """Continuations are indented to where the message began."""
    return line.startswith(("          ", "\t\t", "               NVRM:"))


@tool(
    "kernel-log",
    heads=("[", "<", "kern ", "user ", "daemon ", *_BARE),
    needles=(" kernel: ", " kernel:[", " invoked oom-killer:"),
    starts=_starts,
    goes_on=_goes_on,
    scattered=True,
    commands=("dmesg", "journalctl"),
)
def kernel_log(passage: Passage) -> Take | None:
    """Lines of a kernel's log, stamps taken off; None where no line has a kernel's shape."""
    rows = [
        (line, number)
        for line, number in zip(passage.lines, passage.numbers, strict=True)
        if line.strip()
    ]
    total = len(rows)
    kept: list[KernelLine] = []
    stamped = 0
    for line, number in _worth_keeping(rows):
        if _starts(line):
            stamped += 1
            kept.append(_line(line, number))
        elif kept and _goes_on(line) and len(kept[-1].text) < 2000:
            kept[-1] = _joined(kept[-1], line)
    if total and not kept:
        stamped = sum(1 for line, _ in rows[:100] if _starts(line))
    if not stamped:
        return None
    first, last = passage.lines[0].strip()[:200], passage.lines[-1].strip()[:200]
    return Take(
        hardware=[*kept, KernelLogSpan(lines=total, first=redact(first), last=redact(last))]
    )


def _worth_keeping(rows: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """All lines, or of a long log those that speak of its subjects, the middle left out."""
    if len(rows) <= MAX_KEPT:
        return rows
    whole = "\n".join(line for line, _ in rows)
    words = [word for word in _WORTH if word in whole]
    worth = [row for row in rows if any(word in row[0] for word in words)]
    if len(worth) <= MAX_KEPT:
        return worth
    return worth[: MAX_KEPT // 2] + worth[-MAX_KEPT // 2 :]


def _line(line: str, number: int) -> KernelLine:
    rest = line.strip()[:2000]
    raw = redact(rest)
    stamp, uptime = "", None
    level = _LEVEL.match(rest)
    if level:
        rest = rest[level.end() :]
        iso = _ISO.match(rest)
        if iso:
            stamp, rest = iso.group(1), rest[iso.end() :]
    syslog = _SYSLOG.match(rest) if "kernel:" in rest[:220] else None
    if syslog:
        stamp, rest = syslog.group(1), rest[syslog.end() :]
    elif rest.startswith("kernel:"):
        rest = rest[7:].lstrip()
    clock = _CLOCK.match(rest)
    since = _UPTIME.match(rest)
    if clock:
        stamp, rest = clock.group(1), rest[clock.end() :]
    elif since:
        uptime = float(since.group(1))
        stamp, rest = stamp or f"{uptime:.6f}", rest[since.end() :]
    return KernelLine(text=redact(rest.strip()), number=number, uptime=uptime, stamp=stamp, raw=raw)


def _joined(before: KernelLine, line: str) -> KernelLine:
    more = redact(line.strip()[:1000].removeprefix("NVRM: "))
    return KernelLine(
        text=f"{before.text} {more}",
        number=before.number,
        uptime=before.uptime,
        at=before.at,
        stamp=before.stamp,
        raw=f"{before.raw} {more}",
    )


def _is_document(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("dmesg"), list)


@tool("kernel-log-json", document=_is_document, commands=("dmesg",))
def kernel_log_json(passage: Passage) -> Take | None:
    """The same from `dmesg --json`."""
    rows = passage.document["dmesg"] if _is_document(passage.document) else []
    kept: list[KernelLine] = []
    for number, row in enumerate(rows):
        text = row.get("msg") if isinstance(row, dict) else None
        if not isinstance(text, str):
            continue
        text = redact(" ".join(text.split())[:2000])
        time = row.get("time")
        uptime = float(time) if isinstance(time, (int, float)) else None
        kept.append(KernelLine(text=text, number=number, uptime=uptime, raw=text))
    if not kept:
        return None
    span = KernelLogSpan(lines=len(kept), first=kept[0].raw[:200], last=kept[-1].raw[:200])
    return Take(hardware=[*kept[-MAX_KEPT:], span])
