"""Reads `/proc/PID/stat` and `/proc/PID/task/TID/stat`, whatever the process calls itself."""

from __future__ import annotations

from typing import NamedTuple

from weaklink.parse.clean import clean_text

PF_KTHREAD = 0x0020_0000
"""Flag of kernel threads, include/linux/sched.h."""
FIELDS_NEEDED = 22
"""A line with fewer fields after the name is cut short: its process ended while it was read."""


class PidStat(NamedTuple):
    """What we use of the line; times in clock ticks, `resident` in pages (proc(5), fields 1-42)."""

    pid: int
    name: str
    state: str
    ppid: int
    session: int
    flags: int
    major_faults: int
    cpu_ticks: int
    nice: int
    threads: int
    start_ticks: int
    resident: int
    io_delay_ticks: int


def parse_pid_stat(raw: bytes) -> PidStat | None:
    """One process or thread; None where the line is cut short or no such line.

    The name is cut at the LAST parenthesis, since a process may be called `a) R 1 1 (x`.
    """
    opening = raw.find(b"(")
    closing = raw.rfind(b")")
    if opening < 0 or closing < opening:
        return None
    rest = raw[closing + 1 :].split()
    if len(rest) < FIELDS_NEEDED:
        return None
    try:
        return PidStat(
            int(raw[:opening]),
            clean_text(raw[opening + 1 : closing]),
            rest[0].decode("ascii", "replace")[:1],
            int(rest[1]),
            int(rest[3]),
            int(rest[6]),
            int(rest[9]),
            int(rest[11]) + int(rest[12]),
            int(rest[16]),
            int(rest[17]),
            int(rest[19]),
            int(rest[21]),
            int(rest[39]) if len(rest) > 39 else 0,
        )
    except ValueError:
        return None


def parse_schedstat(raw: bytes) -> tuple[float, float] | None:
    """`/proc/PID/schedstat`: seconds on a CPU, seconds runnable but waiting for one."""
    words = raw.split()
    try:
        return int(words[0]) / 1e9, int(words[1]) / 1e9
    except (IndexError, ValueError):
        return None
