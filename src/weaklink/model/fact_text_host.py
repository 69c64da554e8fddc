"""A host and its processes as top, free, vmstat and their kin print them; None where unsaid."""

from __future__ import annotations

from weaklink.model.base import Record


class HostSample(Record, frozen=True, tag=True):
    """One report of one tool about a whole machine. Shares 0 to 1, sizes in bytes, per second."""

    tool: str
    cpu: str = ""
    """Number of one CPU, `all` or ''."""
    user: float | None = None
    nice: float | None = None
    system: float | None = None
    idle: float | None = None
    iowait: float | None = None
    irq: float | None = None
    softirq: float | None = None
    steal: float | None = None
    load: list[float] = []
    """Load averages of 1, 5 and 15 minutes."""
    cpus: int | None = None
    memory_total: float | None = None
    memory_free: float | None = None
    memory_available: float | None = None
    swap_total: float | None = None
    swap_used: float | None = None
    swap_in: float | None = None
    swap_out: float | None = None
    runnable: float | None = None
    blocked: float | None = None
    """Tasks in uninterruptible sleep."""
    zombies: int | None = None
    since_boot: bool = False
    """The first report of a sampling tool: a mean since boot, not what is now."""
    line: str = ""
    memory_line: str = ""
    """The line of the memory figures, where it is another."""


class ProcessRow(Record, frozen=True, tag=True):
    """One process or thread in a table. `cpu` in CPUs (3.0: three of them fully used)."""

    tool: str
    pid: int
    name: str
    tid: int | None = None
    """Set in a table of threads."""
    parent: int | None = None
    user: str = ""
    state: str = ""
    cpu: float | None = None
    lifetime: bool = False
    """`cpu` is the mean since it started (ps), not what it uses now."""
    waiting: float | None = None
    """Share of the time in which it was ready but had no CPU (pidstat's %wait)."""
    resident: float | None = None
    read: float | None = None
    written: float | None = None
    """Bytes a second."""
    io_delay: float | None = None
    major_faults: float | None = None
    switches: float | None = None
    """Involuntary context switches a second."""
    wchan: str = ""
    line: str = ""


class Pressure(Record, frozen=True, tag=True):
    """One line of a PSI file: share of the time that some or all tasks stalled, 0 to 1."""

    resource: str
    """`cpu`, `memory`, `io`, `irq`, or '' where the text does not say."""
    kind: str
    """`some` or `full`."""
    avg10: float
    avg60: float
    avg300: float
    line: str = ""


class ProcessMemory(Record, frozen=True, tag=True):
    """What one process holds (/proc/PID/status), bytes; None where the text does not say."""

    pid: int
    name: str = ""
    resident: float | None = None
    anonymous: float | None = None
    swapped: float | None = None
    line: str = ""


class SyscallRow(Record, frozen=True, tag=True):
    """One row of strace -c."""

    name: str
    seconds: float
    share: float
    calls: int
    errors: int = 0
    line: str = ""


class MapsDigest(Record, frozen=True, tag=True):
    """What a process has mapped: how many maps, which telling libraries, what was replaced."""

    maps: int
    libraries: list[str] = []
    deleted: list[str] = []
    """Program files and libraries that were deleted or replaced while it runs."""
    largest: str = ""
    largest_bytes: float = 0.0
    line: str = ""
    """The line of the first deleted file, else of the first telling library."""
