"""Disks and file systems."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from weaklink.parse.mountinfo import parse_mountinfo
from weaklink.probes import filesystem
from weaklink.probes.disk import look_at_disks
from weaklink.probes.filesystem import Space, ask_all, look_at_filesystems, worth_asking
from weaklink.reach.aside import is_stuck
from weaklink.reach.host import NotHere
from weaklink.testing.frozen_host import FrozenHost
from weaklink.testing.live import live_case, live_reach

STATS = """   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0
   8       0 sda 100 0 2000 1500 40 0 800 400 0 1200 1900
   8       1 sda1 100 0 2000 1500 40 0 800 400 0 1200 1900
 104       0 cciss/c0d0 5 0 8 1 0 0 0 0 0 1 1
"""
MOUNTS = """1 0 8:1 / / rw - ext4 /dev/sda1 rw
2 1 0:5 / /proc rw - proc proc rw
3 1 8:1 /srv /data rw - ext4 /dev/sda1 rw
4 1 0:40 / /mnt/weights ro,relatime - nfs4 nas:/weights ro
"""


def test_whole_devices_that_did_something(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).write("/proc/diskstats", STATS)
    frozen.write("/sys/block/sda/queue/rotational", "1\n")
    frozen.write("/sys/block/sda/holders/md0", "")
    frozen.write("/sys/block/cciss!c0d0/queue/rotational", "0\n")
    frozen.write("/sys/block/loop0/queue/rotational", "0\n")
    root = frozen.root()
    take = look_at_disks(frozen.reach(root=root), frozen.case())
    assert [(one.name, one.rotational, one.holders) for one in take.devices] == [
        ("sda", True, ["md0"]),
        ("cciss/c0d0", False, []),
    ]
    busy = {one.target: one.value for one in take.readings if "busy" in one.quantity}
    assert busy == {"device:h1/-/sda": 1.2, "device:h1/-/cciss/c0d0": 0.001}
    assert look_at_disks(frozen.reach(root=root), frozen.case()).devices == []


def test_no_disk_that_did_anything_is_not_here(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).write("/proc/diskstats", STATS.split("\n", maxsplit=1)[0] + "\n")
    with pytest.raises(NotHere):
        look_at_disks(frozen.reach(), frozen.case())


def test_file_systems_of_a_frozen_root(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).write("/proc/self/mountinfo", MOUNTS)
    frozen.write("/frozen-statvfs", "1000 200 50 7 /\n")
    take = look_at_filesystems(frozen.reach(), frozen.case())
    assert [
        (one.path, one.size, one.free, one.inodes_free, one.read_only) for one in take.mounts
    ] == [
        ("/", 1000, 200, 7, False),
        ("/mnt/weights", -1, -1, -1, True),
    ]
    assert {(one.quantity, one.value) for one in take.readings} == {
        ("filesystem_size_bytes", 1000),
        ("filesystem_free_bytes", 200),
        ("filesystem_free_inodes", 7),
    }


def test_each_file_system_is_asked_once_and_pseudo_ones_never() -> None:
    asked = [line.path for line in worth_asking(parse_mountinfo(MOUNTS.encode()))]
    assert asked == ["/", "/mnt/weights"]


def test_one_that_never_answers_costs_its_own_time_and_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """P5: a dead NFS server."""
    release, asked = threading.Event(), []

    def space(path: str) -> Space:
        asked.append(path)
        if path == "/dead":
            release.wait(30)
        return Space(1, 1, 1, 1)

    monkeypatch.setattr(filesystem, "_space", space)
    try:
        assert ask_all(["/dead", "/alive"], seconds=0.3) == {"/alive": Space(1, 1, 1, 1)}
        assert is_stuck("statvfs /dead")
        assert ask_all(["/dead", "/alive"], seconds=0.3) == {"/alive": Space(1, 1, 1, 1)}
        assert asked.count("/dead") == 1
    finally:
        release.set()


def test_silence_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem, "ask_all", lambda paths: {})
    take = look_at_filesystems(live_reach(), live_case())
    assert take.readings == []
    assert {one.size for one in take.mounts} == {-1}
    assert {look.outcome for look in take.looks} == {"timeout"}


def test_live() -> None:
    take = look_at_filesystems(live_reach(), live_case())
    (root,) = [one for one in take.mounts if one.path == "/"]
    assert 0 <= root.free <= root.size
