"""How a file is open, and how many may be: the kernel's own small files."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.proc_fd import parse_fdinfo, parse_mount_ids, parse_open_files_limit

FDINFO = b"pos:\t4096\nflags:\t0102001\nmnt_id:\t29\nino:\t1234\n"
LIMITS = (
    b"Limit                     Soft Limit           Hard Limit           Units     \n"
    b"Max cpu time              unlimited            unlimited            seconds   \n"
    b"Max open files            1024                 524288               files     \n"
)


def test_a_log_is_open_for_appending() -> None:
    info = parse_fdinfo(FDINFO)
    assert info is not None
    assert (info.position, info.mount, info.writes, info.appends) == (4096, 29, True, True)


def test_a_file_that_is_only_read() -> None:
    info = parse_fdinfo(b"pos:\t0\nflags:\t0100000\nmnt_id:\t9\n")
    assert info is not None
    assert not info.writes


def test_the_soft_limit_counts() -> None:
    assert parse_open_files_limit(LIMITS) == 1024
    unlimited = LIMITS.replace(b"1024     ", b"unlimited")
    assert (parse_open_files_limit(unlimited) or 0) > 1e9
    assert parse_open_files_limit(b"Max cpu time 1 1 s\n") is None


def test_mounts_by_id() -> None:
    text = b"29 1 254:1 / / rw - ext4 /dev/vda rw\n40 29 0:33 / /tmp rw - tmpfs tmpfs rw\n"
    assert parse_mount_ids(text) == {29: "254:1", 40: "0:33"}


@given(st.binary(max_size=300))
def test_nonsense_is_nothing(data: bytes) -> None:
    parse_mount_ids(data)
    parse_open_files_limit(data)
    info = parse_fdinfo(data)
    assert info is None or info.flags & os.O_ACCMODE in (0, 1, 2, 3)
