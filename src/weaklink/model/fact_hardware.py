"""All facts about hardware and the kernel's words on it, as one union that a Take can hold."""

from __future__ import annotations

from weaklink.model.base import Record
from weaklink.model.fact_disk import (
    BlockDevice,
    DiskSample,
    FileSystemUse,
    PhysicalDrive,
    RaidArray,
    RaidController,
    SmartReport,
)
from weaklink.model.fact_gpu import DriverTrouble, Gpu, GpuProcess, GpuSample, MigSlice
from weaklink.model.fact_net import (
    Address,
    Neighbour,
    NetCounters,
    NetError,
    NetRoom,
    Nic,
    Ping,
    PolicyRule,
    RouteAnswer,
    RouteEntry,
    SocketCount,
    SocketRow,
    Way,
)


class KernelLine(Record, frozen=True, tag=True):
    """One line of the kernel's log without its stamp; lines that belong together are joined.

    `uptime` is seconds since boot, `at` epoch seconds; None where the text does not say.
    """

    text: str
    number: int = 0
    """Its place in the text, for order."""
    uptime: float | None = None
    at: float | None = None
    stamp: str = ""
    """The time as printed."""
    raw: str = ""


class KernelLogSpan(Record, frozen=True, tag=True):
    """How much of a kernel's log was read, so that silence in it can be told from no log."""

    lines: int
    first: str = ""
    last: str = ""


class Clocked(Record, frozen=True, tag=True):
    """A line of a vendor's own daemon (fabric manager, smartd), already taken apart."""

    daemon: str
    level: str
    text: str
    raw: str = ""


Hardware = (
    SmartReport
    | RaidArray
    | PhysicalDrive
    | RaidController
    | DiskSample
    | FileSystemUse
    | BlockDevice
    | Gpu
    | MigSlice
    | GpuProcess
    | GpuSample
    | DriverTrouble
    | Nic
    | Address
    | RouteEntry
    | RouteAnswer
    | PolicyRule
    | Neighbour
    | NetCounters
    | SocketRow
    | SocketCount
    | Ping
    | Way
    | NetRoom
    | NetError
    | KernelLine
    | KernelLogSpan
    | Clocked
)
