"""Block devices: how much they read and wrote, how long it took, and whether they spin."""

from __future__ import annotations

from dataclasses import dataclass, field

from weaklink.model.case import Case
from weaklink.model.fact import Device
from weaklink.model.message import say
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.model.target import target_key
from weaklink.parse.clean import clean_text
from weaklink.parse.proc_disk import DiskLine, parse_diskstats
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.memory import memory
from weaklink.reach.registry import probe
from weaklink.reach.root import Root
from weaklink.words import texts

texts({"disk.none": "no block device that ever did anything"})

MAX_HOLDERS = 32


@dataclass
class Past:
    """Devices that were described already, by name and number."""

    told: set[str] = field(default_factory=set)


@probe(
    "disk",
    subject="disk",
    phase="tick",
    about="block devices: requests, bytes, time per request, time busy",
)
def look_at_disks(reach: Reach, case: Case) -> Take:
    """Readings `disk_*` of whole devices that ever did anything; a Device fact of each, once.

    Raises NotHere where there is none.
    """
    root = reach.root
    at = reach.now()
    past = memory(root, "disk", Past)
    lines = [
        line
        for line in parse_diskstats(root.read("/proc/diskstats", 1 << 20))
        if not line.idle and is_whole(root, line)
    ]
    if not lines:
        raise NotHere(say("disk.none"))
    readings: list[Reading] = []
    devices = []
    for line in lines:
        key = target_key("device", line.name, host=case.host.name)
        readings += [
            Reading(quantity=name, target=key, at=at, value=value)
            for name, value in line.values.items()
        ]
        if f"{line.name} {line.major_minor}" not in past.told:
            devices.append(describe(root, key, line))
    past.told = {f"{line.name} {line.major_minor}" for line in lines}
    return Take(readings=readings, devices=devices)


def is_whole(root: Root, line: DiskLine) -> bool:
    """Whether it is a device and not a partition of one, whose work is counted there.

    A slash in a device's name stands as `!` in /sys. Where /sys is not here, it may be.
    """
    if not root.exists("/sys/block"):
        return True
    return root.exists(f"/sys/block/{_sys_name(line.name)}")


def describe(root: Root, key: str, line: DiskLine) -> Device:
    """The fact: spinning or flash, and what is built on it (RAID, device mapper, loop)."""
    folder = f"/sys/block/{_sys_name(line.name)}"
    rotational = try_read(root, f"{folder}/queue/rotational", 16).strip()
    try:
        holders = [clean_text(name) for name in sorted(root.names(f"{folder}/holders", 256))]
    except OSError:
        holders = []
    return Device(
        key=key,
        name=line.name,
        major_minor=line.major_minor,
        rotational=rotational == b"1" if rotational in (b"0", b"1") else None,
        holders=holders[:MAX_HOLDERS],
    )


def _sys_name(name: str) -> str:
    return name.replace("/", "!")
