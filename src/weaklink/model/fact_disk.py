"""Disks and what controls them, as their own tools print it; no judgement, None where unknown."""

from __future__ import annotations

from typing import Literal

from weaklink.model.base import Record


class SmartAttribute(Record, frozen=True):
    """One row of an ATA drive's attribute table. `raw` is the number at the start of RAW_VALUE."""

    id: int
    name: str
    value: int | None = None
    worst: int | None = None
    threshold: int | None = None
    raw: int | None = None
    failed: str = ""
    """WHEN_FAILED: `now`, `past`, or ''."""
    line: str = ""


class SmartReport(Record, frozen=True, tag=True):
    """What one drive says about itself (smartctl, smartd). Error counts are since it was made."""

    device: str
    """As the text names it: `/dev/sda`, `/dev/sda [megaraid,1]`, '' where it does not say."""
    protocol: Literal["ata", "nvme", "scsi", ""] = ""
    model: str = ""
    address: str = ""
    """The `-d` that reaches it: `megaraid,1`, `sat+megaraid,1`, `cciss,0`; '' for none."""
    passed: bool | None = None
    supported: bool | None = None
    """False: the drive (or a controller's virtual disk) gives no SMART."""
    virtual: bool = False
    """The text names a RAID controller's logical disk, whose drives are behind it."""
    attributes: list[SmartAttribute] = []
    has_attributes: bool = False
    critical_warning: int | None = None
    percentage_used: float | None = None
    available_spare: float | None = None
    spare_threshold: float | None = None
    media_errors: int | None = None
    grown_defects: int | None = None
    uncorrected: int | None = None
    """SAS: uncorrected reads, writes and verifies, summed."""
    non_medium_errors: int | None = None
    logged_errors: int | None = None
    temperature: float | None = None
    temperature_limit: float | None = None
    """Celsius at which the drive says that it is too hot."""
    power_on_hours: float | None = None
    self_test_failed: str = ""
    """What the newest self-test failed with, '' where none failed."""
    complaint: str = ""
    """What smartd or smartctl says in its own words, where there is nothing else."""
    lines: dict[str, str] = {}
    """The raw line behind a field, by the field's name."""


class RaidMember(Record, frozen=True):
    """One disk of an array: `state` in the tool's words."""

    name: str
    state: str = ""
    role: int | None = None


class RaidArray(Record, frozen=True, tag=True):
    """One array or logical drive. `wanted` and `working` count its members, None where unsaid."""

    name: str
    controller: str = ""
    group: str = ""
    """The controller's drive group or array letter, which its drives name as well."""
    level: str = ""
    """`raid1`, `raid5`, `raid0`, `linear` …; lower case."""
    state: str = ""
    """In the tool's words: `active`, `inactive`, `Optl`, `Dgrd`, `Failed`, `OK` …"""
    wanted: int | None = None
    working: int | None = None
    missing_slots: list[int] = []
    """Positions printed as `_` in `[U_]`."""
    members: list[RaidMember] = []
    activity: str = ""
    """`recovery`, `resync`, `check`, `reshape` …, '' where none goes on."""
    progress: str = ""
    """As printed: `3.9%`, `DELAYED`, `PENDING`."""
    speed_bytes: float | None = None
    finish_seconds: float | None = None
    device: str = ""
    """The block device that the host sees, where the text says so."""
    mount: str = ""
    cache: str = ""
    line: str = ""
    line2: str = ""


class PhysicalDrive(Record, frozen=True, tag=True):
    """One drive behind a RAID controller, by the slot that a person can pull."""

    controller: str = ""
    enclosure: str = ""
    """'' where the controller has none."""
    slot: str = ""
    did: str = ""
    """The controller's device id: the N of `smartctl -d megaraid,N`."""
    state: str = ""
    group: str = ""
    interface: str = ""
    medium: str = ""
    size: str = ""
    model: str = ""
    media_errors: int | None = None
    other_errors: int | None = None
    predictive: int | None = None
    smart_alert: bool | None = None
    temperature: float | None = None
    tool: str = ""
    """Which tool said so: `storcli`, `megacli`, `ssacli`."""
    line: str = ""
    state_line: str = ""
    lines: dict[str, str] = {}


class RaidController(Record, frozen=True, tag=True):
    """A RAID controller; `battery` and `cache` in the tool's words, '' where unsaid."""

    name: str
    model: str = ""
    status: str = ""
    battery: str = ""
    cache: str = ""
    cache_detail: str = ""
    groups_not_optimal: int | None = None
    groups: int | None = None
    drives_not_optimal: int | None = None
    drives: int | None = None
    tool: str = ""
    lines: dict[str, str] = {}


class DiskSample(Record, frozen=True, tag=True):
    """One row of `iostat -x`: means over one interval. Seconds, requests, requests per second."""

    device: str
    number: int
    """Which report of the text it stands in, 0 for the first."""
    since_boot: bool = False
    reads: float | None = None
    writes: float | None = None
    read_await: float | None = None
    write_await: float | None = None
    wait: float | None = None
    """Old tools: mean of reads and writes together."""
    queue: float | None = None
    utilisation: float | None = None
    """0 to 1, as printed (it may be above 1 a little)."""
    read_bytes: float | None = None
    write_bytes: float | None = None
    line: str = ""


class FileSystemUse(Record, frozen=True, tag=True):
    """One row of `df` or `df -i`; bytes, shares 0 to 1 of what an ordinary user may use."""

    path: str
    device: str = ""
    used: float | None = None
    available: float | None = None
    share: float | None = None
    inodes_share: float | None = None
    inodes_left: int | None = None
    line: str = ""


class BlockDevice(Record, frozen=True, tag=True):
    """One row of `lsblk`: what a device is made of and where it is mounted."""

    name: str
    parent: str = ""
    """The device that it lies on, '' for a whole disk."""
    kind: str = ""
    """disk, part, raid1, lvm, crypt, loop, rom …"""
    size: str = ""
    mounts: list[str] = []
    read_only: bool = False
    rotational: bool | None = None
    model: str = ""
    address: str = ""
    """SCSI address `host:channel:target:lun` (HCTL), where the text says so."""
    wwn: str = ""
    line: str = ""
