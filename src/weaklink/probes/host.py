"""The machine itself: how big it is, when it started, and how its CPUs and memory fare."""

from __future__ import annotations

import os
import time

from weaklink.model.case import Case
from weaklink.model.fact import Host
from weaklink.model.message import say
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.model.target import target_key
from weaklink.parse.clean import clean_text
from weaklink.parse.proc_host import (
    PRESSURE,
    parse_boot,
    parse_loadavg,
    parse_meminfo,
    parse_pressure,
    parse_stat,
    parse_vmstat,
)
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.registry import probe
from weaklink.reach.rights import is_privileged
from weaklink.reach.root import Root
from weaklink.words import texts

texts({"host.no-stat": "no /proc/stat: is /proc mounted?"})

MAX_STAT = 1 << 20
"""/proc/stat lists every interrupt: some 100 KB on a machine of 256 CPUs."""


@probe(
    "host",
    subject="cpu",
    phase="first",
    about="the machine: name, CPUs, memory, kernel, start, time zone",
)
def look_at_host(reach: Reach, case: Case) -> Take:
    """One Host fact. Raises NotHere where there is no /proc."""
    root = reach.root
    boot = parse_boot(_stat(root))
    memory = parse_meminfo(try_read(root, "/proc/meminfo"))
    live = not root.frozen
    return Take(
        host=Host(
            name=host_name(root),
            boot=boot.at,
            cpus=boot.cpus,
            memory_bytes=memory.get("host_memory_total_bytes", 0.0),
            kernel=_line(root, "/proc/sys/kernel/osrelease"),
            utc_offset=utc_offset(root),
            privileged=live and is_privileged(),
            frozen=root.frozen,
            clock_ticks=os.sysconf("SC_CLK_TCK") if live else 100,
            page_bytes=os.sysconf("SC_PAGE_SIZE") if live else 4096,
        )
    )


@probe(
    "host-counters",
    subject="cpu",
    phase="tick",
    about="CPU time, load, memory, swap and pressure of the whole machine",
)
def look_at_counters(reach: Reach, case: Case) -> Take:
    """Readings `host_*`. Raises NotHere where there is no /proc."""
    root = reach.root
    at = reach.now()
    values = parse_stat(_stat(root), case.host.clock_ticks)
    values |= parse_loadavg(try_read(root, "/proc/loadavg"))
    values |= parse_meminfo(try_read(root, "/proc/meminfo"))
    values |= parse_vmstat(try_read(root, "/proc/vmstat"))
    for resource in ("cpu", "memory", "io"):
        stalled = parse_pressure(try_read(root, f"/proc/pressure/{resource}", 4096))
        for kind, seconds in stalled.items():
            if (resource, kind) in PRESSURE:
                values[PRESSURE[resource, kind]] = seconds
    key = target_key("host", "-", host=case.host.name)
    return Take(
        readings=[
            Reading(quantity=name, target=key, at=at, value=value) for name, value in values.items()
        ]
    )


def host_name(root: Root) -> str:
    """The machine's name, without what would break a target's key; `localhost` where unknown."""
    name = _line(root, "/proc/sys/kernel/hostname") or _line(root, "/etc/hostname")
    name = name.replace("/", "_").strip()[:64]
    return name if name and name != "(none)" else "localhost"


def utc_offset(root: Root) -> int:
    """Seconds that local time is ahead of UTC, now."""
    if not root.frozen:
        return time.localtime(root.now()).tm_gmtoff
    try:
        zone = root.read("/etc/localtime", 64 << 10)
    except OSError:
        return 0
    import datetime
    import io
    import zoneinfo

    try:
        local = zoneinfo.ZoneInfo.from_file(io.BytesIO(zone))
    except (ValueError, IndexError, OSError, EOFError):
        return 0
    offset = datetime.datetime.fromtimestamp(root.now(), local).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0


def _stat(root: Root) -> bytes:
    try:
        return root.read("/proc/stat", MAX_STAT)
    except FileNotFoundError:
        raise NotHere(say("host.no-stat")) from None


def _line(root: Root, path: str) -> str:
    return clean_text(try_read(root, path, 256)).strip().partition("\n")[0]
