"""Reads the machine's own counters: /proc/stat, loadavg, meminfo, vmstat and pressure."""

from __future__ import annotations

from typing import NamedTuple

from weaklink.model.quantities import host as q

CPU_COLUMNS = (
    (q.HOST_CPU_USER_SECONDS_TOTAL, (0,)),
    (q.HOST_CPU_NICE_SECONDS_TOTAL, (1,)),
    (q.HOST_CPU_SYSTEM_SECONDS_TOTAL, (2,)),
    (q.HOST_CPU_IDLE_SECONDS_TOTAL, (3,)),
    (q.HOST_CPU_IOWAIT_SECONDS_TOTAL, (4,)),
    (q.HOST_CPU_IRQ_SECONDS_TOTAL, (5, 6)),
    (q.HOST_CPU_STEAL_SECONDS_TOTAL, (7,)),
)
"""Columns of the `cpu` line after its name (proc(5)); guest time is inside user and nice."""

STAT_LINES = {
    b"ctxt": q.HOST_CONTEXT_SWITCHES_TOTAL,
    b"processes": q.HOST_FORKS_TOTAL,
    b"procs_running": q.HOST_RUNNABLE,
    b"procs_blocked": q.HOST_BLOCKED,
}
VMSTAT_LINES = {
    b"pswpin": q.HOST_SWAP_IN_PAGES_TOTAL,
    b"pswpout": q.HOST_SWAP_OUT_PAGES_TOTAL,
    b"pgmajfault": q.HOST_MAJOR_FAULTS_TOTAL,
    b"oom_kill": q.HOST_OOM_KILLS_TOTAL,
}
PRESSURE = {
    ("cpu", "some"): q.HOST_PRESSURE_CPU_SOME_SECONDS_TOTAL,
    ("memory", "some"): q.HOST_PRESSURE_MEMORY_SOME_SECONDS_TOTAL,
    ("memory", "full"): q.HOST_PRESSURE_MEMORY_FULL_SECONDS_TOTAL,
    ("io", "some"): q.HOST_PRESSURE_IO_SOME_SECONDS_TOTAL,
    ("io", "full"): q.HOST_PRESSURE_IO_FULL_SECONDS_TOTAL,
}


class Boot(NamedTuple):
    """When the machine started, epoch seconds (whole ones), and how many CPUs are online."""

    at: float
    cpus: int


def parse_boot(stat: bytes) -> Boot:
    """From /proc/stat; `at` is 0 where it does not say."""
    at = 0.0
    cpus = 0
    for line in stat.split(b"\n"):
        if line.startswith(b"btime "):
            at = float(_number(line.split()[1:2]))
        elif line.startswith(b"cpu") and line[3:4].isdigit():
            cpus += 1
    return Boot(at, max(1, cpus))


def parse_stat(stat: bytes, clock_ticks: int) -> dict[str, float]:
    """Quantities of /proc/stat, CPU times in seconds summed over all CPUs."""
    values: dict[str, float] = {}
    for line in stat.split(b"\n"):
        words = line.split()
        if not words:
            continue
        if words[0] == b"cpu":
            ticks = [_number(words[n : n + 1]) for n in range(1, len(words))]
            for name, columns in CPU_COLUMNS:
                if columns[-1] < len(ticks):
                    values[name] = sum(ticks[column] for column in columns) / clock_ticks
        elif words[0] in STAT_LINES and len(words) > 1:
            values[STAT_LINES[words[0]]] = float(_number(words[1:2]))
    return values


def parse_loadavg(raw: bytes) -> dict[str, float]:
    """The load average of one minute."""
    try:
        return {q.HOST_LOAD1: float(raw.split()[0])}
    except (IndexError, ValueError):
        return {}


def parse_meminfo(raw: bytes) -> dict[str, float]:
    """Memory and swap in bytes; what the file lacks is left out."""
    kilobytes: dict[bytes, int] = {}
    for line in raw.split(b"\n"):
        name, colon, rest = line.partition(b":")
        if colon and rest.split():
            kilobytes[name] = _number(rest.split()[:1])
    values: dict[str, float] = {}
    if b"MemTotal" in kilobytes:
        values[q.HOST_MEMORY_TOTAL_BYTES] = kilobytes[b"MemTotal"] * 1024.0
    if b"MemAvailable" in kilobytes:
        values[q.HOST_MEMORY_AVAILABLE_BYTES] = kilobytes[b"MemAvailable"] * 1024.0
    if b"Dirty" in kilobytes:
        dirty = kilobytes[b"Dirty"] + kilobytes.get(b"Writeback", 0)
        values[q.HOST_MEMORY_DIRTY_BYTES] = dirty * 1024.0
    if b"SwapTotal" in kilobytes:
        total = kilobytes[b"SwapTotal"]
        values[q.HOST_SWAP_TOTAL_BYTES] = total * 1024.0
        used = total - kilobytes.get(b"SwapFree", total)
        values[q.HOST_SWAP_USED_BYTES] = max(0, used) * 1024.0
    return values


def parse_vmstat(raw: bytes) -> dict[str, float]:
    """Swap traffic, major faults and OOM kills since boot."""
    values: dict[str, float] = {}
    for line in raw.split(b"\n"):
        name, _, rest = line.partition(b" ")
        if name in VMSTAT_LINES:
            values[VMSTAT_LINES[name]] = float(_number(rest.split()[:1]))
    return values


def parse_pressure(raw: bytes) -> dict[str, float]:
    """A PSI file (`some avg10=0.00 … total=microseconds`): stalled seconds by `some`, `full`."""
    values: dict[str, float] = {}
    for line in raw.split(b"\n"):
        words = line.split()
        if words and words[0] in (b"some", b"full") and words[-1].startswith(b"total="):
            digits = words[-1][6:]
            if digits.isdigit() and len(digits) < 20:
                values[words[0].decode("ascii")] = int(digits) / 1e6
    return values


def _number(words: list[bytes]) -> int:
    return int(words[0]) if words and words[0].isdigit() and len(words[0]) < 20 else 0
