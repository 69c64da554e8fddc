"""The machine as a whole, once a second: CPUs, memory, pressure, disks, TCP."""

from __future__ import annotations

from collections.abc import Callable

from weaklink.model.quantities import socket as q
from weaklink.model.target import target_key
from weaklink.parse.proc_disk import parse_diskstats
from weaklink.parse.proc_host import (
    PRESSURE,
    parse_loadavg,
    parse_meminfo,
    parse_pressure,
    parse_stat,
    parse_vmstat,
)
from weaklink.parse.proc_net import parse_net_counters, parse_time_wait
from weaklink.reach.kept_file import KeptFile, Room
from weaklink.watch.sheets import Sheets

GROUP = "host"
LARGE = 256 << 10


class Host:
    """Reads `/proc` of the host and puts `host_*`, `disk_*` and `tcp_*`."""

    def __init__(self, sheets: Sheets, host: str, clock_ticks: int, room: Room) -> None:
        self._sheets = sheets
        self._host = host
        self._ticks = clock_ticks
        self._room = room
        self._files: dict[str, KeptFile] = {}
        self._key = target_key("host", "-", host=host)
        self._net = target_key("netns", "tcp", host=host)
        self._whole: set[str] = set()
        self._told: set[str] = set()
        self.last: dict[str, float] = {}
        """What the host's own quantities are now."""

    def look(self, is_whole: Callable[[str], bool]) -> None:
        """One reading; `is_whole` tells a device from a partition, asked once a name."""
        values = parse_stat(self._read("/proc/stat"), self._ticks)
        values |= parse_loadavg(self._read("/proc/loadavg"))
        values |= parse_meminfo(self._read("/proc/meminfo"))
        values |= parse_vmstat(self._read("/proc/vmstat"))
        for resource in ("cpu", "memory", "io"):
            stalled = parse_pressure(self._read(f"/proc/pressure/{resource}"))
            for kind, seconds in stalled.items():
                if (resource, kind) in PRESSURE:
                    values[PRESSURE[resource, kind]] = seconds
        self.last = values
        self._sheets.put(self._key, values, GROUP)
        self._disks(is_whole)
        values = parse_net_counters(self._read("/proc/net/snmp"), self._read("/proc/net/netstat"))
        waiting = parse_time_wait(self._read("/proc/net/sockstat"))
        if waiting is not None:
            values[q.TCP_TIME_WAIT] = waiting
        self._sheets.put(self._net, values, GROUP)
        self._sheets.box.read(GROUP)

    def _disks(self, is_whole: Callable[[str], bool]) -> None:
        for line in parse_diskstats(self._read("/proc/diskstats")):
            if line.idle:
                continue
            if line.name not in self._told:
                self._told.add(line.name)
                if is_whole(line.name):
                    self._whole.add(line.name)
            if line.name in self._whole:
                key = target_key("device", line.name, host=self._host)
                self._sheets.put(key, line.values, GROUP)

    def _read(self, path: str) -> bytes:
        kept = self._files.get(path)
        if kept is None:
            kept = self._files[path] = KeptFile(path, self._room, LARGE)
        return kept.try_read()
