"""What a RAID level means for a lost disk."""

from __future__ import annotations

LOST_DISKS = {
    "raid0": 0,
    "linear": 0,
    "jbod": 0,
    "raid1": 1,
    "raid5": 1,
    "raid50": 1,
    "raid6": 2,
    "raid60": 2,
    "raid10": 1,
    "raid1e": 1,
}
"""Disks that a level survives losing in every case (a RAID1 or 10 may survive more)."""


def survives(level: str) -> int | None:
    """How many disks an array of this level may lose and keep its data; None where unknown."""
    key = "".join(level.lower().split()).replace("-", "")
    return LOST_DISKS.get(key)
