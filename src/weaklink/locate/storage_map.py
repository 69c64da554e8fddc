"""From a device's name to what is behind it: logical drive, slot to pull, files that live on it.

As far as the texts go: `lsblk` (SCSI address, mounts), the kernel's `sd H:C:T:L: [sdX]`, a
controller's tables. A MegaRAID logical drive shows itself on channel 2 and up, its SCSI target is
the number of the virtual drive (megaraid_sas, MEGASAS_MAX_PD_CHANNELS).
"""

from __future__ import annotations

import re

from weaklink.locate.kernel_lines import kernel_lines
from weaklink.locate.looks.raid_hardware import where
from weaklink.locate.raid_levels import survives
from weaklink.locate.view import View
from weaklink.model.fact_disk import BlockDevice, PhysicalDrive, RaidArray

_SD = re.compile(r"\bsd (\d{1,4}:\d{1,3}:\d{1,5}:\d{1,5}): \[(sd[a-z]{1,4})\]")
_DISK = re.compile(r"(?:/dev/)?(sd[a-z]{1,4}|nvme\d{1,3}n\d{1,3})(?:p?\d{1,3})?$")
LOGICAL_CHANNEL = 2


def disk_of(name: str) -> str:
    """The whole disk of a partition: `/dev/sdb1` is on `sdb`; '' for what is no such name."""
    found = _DISK.match(name)
    return found.group(1) if found else ""


def slot_of_did(view: View, did: str) -> str:
    """Where the drive sits that a controller knows by this device id, '' where unknown."""
    for fact in view.case.hardware:
        if isinstance(fact, PhysicalDrive) and fact.did == did:
            return where(fact)
    return ""


def mounts_on(view: View, disk: str) -> list[str]:
    """Where the file systems are mounted that lie on a disk, through partitions and mappings."""
    rows = [fact for fact in view.case.hardware if isinstance(fact, BlockDevice)]
    below = {disk}
    for _ in range(8):
        below |= {row.name for row in rows if row.parent in below}
    return list(dict.fromkeys(path for row in rows if row.name in below for path in row.mounts))


def address_of(view: View, disk: str) -> str:
    """The SCSI address of a disk, `0:2:1:0`, '' where no text says it."""
    for fact in view.case.hardware:
        if isinstance(fact, BlockDevice) and fact.name == disk and fact.address:
            return fact.address
    for line in kernel_lines(view):
        found = _SD.search(line.text)
        if found and found.group(2) == disk:
            return found.group(1)
    return ""


def behind(view: View, device: str) -> str:
    """What is behind a device and on it, in brackets after its name; '' where nothing is known."""
    disk = disk_of(device)
    if not disk:
        return ""
    parts = [_array_words(view, disk)]
    mounts = mounts_on(view, disk)
    if mounts:
        parts.append(f"mounted from it: {', '.join(mounts[:5])}")
    said = "; ".join(part for part in parts if part)
    return f" ({said})" if said else ""


def _array_words(view: View, disk: str) -> str:
    parts = address_of(view, disk).split(":")
    if len(parts) != 4 or int(parts[1]) < LOGICAL_CHANNEL:
        return ""
    name = f"VD {int(parts[2])}"
    facts = view.case.hardware
    array = next((f for f in facts if isinstance(f, RaidArray) and f.name == name), None)
    if array is None:
        return f"it is {name} of a RAID controller"
    drives = [
        f"{f.enclosure}:{f.slot}"
        for f in facts
        if isinstance(f, PhysicalDrive) and f.group and f.group == array.group
    ]
    words = f"it is {name} ({array.level.upper()})"
    if drives:
        words += f", on the drives {', '.join(drives[:8])}"
    if survives(array.level) == 0:
        words += ", without redundancy: back up now, then migrate to RAID10 or a single SSD"
    return words
