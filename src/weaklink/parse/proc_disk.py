"""Reads /proc/diskstats: what each block device did since it appeared."""

from __future__ import annotations

from typing import NamedTuple

from weaklink.model.quantities import disk as q
from weaklink.parse.clean import clean_text

SECTOR_BYTES = 512
"""The file counts sectors of this size whatever the device's own are (Documentation/iostats)."""
MAX_DEVICES = 1_000


class DiskLine(NamedTuple):
    """One device. `idle` means that it never did anything."""

    name: str
    major_minor: str
    values: dict[str, float]
    idle: bool


def parse_diskstats(raw: bytes) -> list[DiskLine]:
    """One line a device or partition; lines cut short or broken are left out."""
    found: list[DiskLine] = []
    for line in raw.split(b"\n"):
        words = line.split()
        if len(words) < 14 or len(found) >= MAX_DEVICES:
            continue
        numbers = words[3:14]
        if not all(word.isdigit() and len(word) < 20 for word in numbers):
            continue
        did = [float(word) for word in numbers]
        values = {
            q.DISK_READS_TOTAL: did[0],
            q.DISK_READ_BYTES_TOTAL: did[2] * SECTOR_BYTES,
            q.DISK_READ_SECONDS_TOTAL: did[3] / 1e3,
            q.DISK_WRITES_TOTAL: did[4],
            q.DISK_WRITTEN_BYTES_TOTAL: did[6] * SECTOR_BYTES,
            q.DISK_WRITE_SECONDS_TOTAL: did[7] / 1e3,
            q.DISK_BUSY_SECONDS_TOTAL: did[9] / 1e3,
            q.DISK_QUEUE_SECONDS_TOTAL: did[10] / 1e3,
        }
        numbers_of_device = f"{clean_text(words[0])}:{clean_text(words[1])}"
        found.append(DiskLine(clean_text(words[2]), numbers_of_device, values, not any(did)))
    return found
