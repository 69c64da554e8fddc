"""What /proc/PID tells beside stat: arguments, control groups, disk bytes, libraries."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.proc_process import (
    MAX_ARGUMENT_CHARACTERS,
    MAX_ARGUMENTS,
    library_tags,
    parse_cgroup_of,
    parse_cmdline,
    parse_io,
    parse_uid,
)


def maps(*paths: str) -> bytes:
    return "".join(
        f"7f00-7f01 r-xp 00000000 08:01 99                    {path}\n" for path in paths
    ).encode()


def test_arguments_are_split_at_nul_and_empty_ones_kept() -> None:
    assert parse_cmdline(b"python3\0-m\0\0app\0") == ["python3", "-m", "", "app"]


def test_a_title_written_over_the_arguments_is_one() -> None:
    assert parse_cmdline(b"nginx: worker process" + b"\0" * 40) == ["nginx: worker process"]


def test_a_kernel_thread_has_none() -> None:
    assert parse_cmdline(b"") == []


def test_arguments_are_capped() -> None:
    found = parse_cmdline(b"\0".join([b"x" * 5000] * 500))
    assert len(found) == MAX_ARGUMENTS
    assert len(found[0]) == MAX_ARGUMENT_CHARACTERS


def test_control_groups_of_a_hybrid_machine() -> None:
    raw = b"6:memory:/a/b:c\n3:cpu,cpuacct:/a\n1:name=systemd:/s\n0::/u\nnonsense\n"
    assert parse_cgroup_of(raw) == {
        "memory": "/a/b:c",
        "cpu": "/a",
        "cpuacct": "/a",
        "systemd": "/s",
        "unified": "/u",
    }


def test_writes_that_were_cancelled_did_not_reach_the_disk() -> None:
    assert parse_io(b"read_bytes: 100\nwrite_bytes: 90\ncancelled_write_bytes: 50\n") == (100, 40)
    assert parse_io(b"rchar: 5\n") is None


def test_libraries_tell_what_a_process_does_by_their_file_names_only() -> None:
    raw = maps(
        "/opt/venv/lib/libtorch_cpu.so",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "/srv/av.libs/libavcodec-5c2.so.60",
        "/home/libjvm.so/notes.txt",
        "/usr/lib/libpython3.11.so.1.0 (deleted)",
    )
    assert library_tags(raw) == ["av", "cuda", "python", "torch"]


def test_a_static_python_is_known_by_its_program() -> None:
    assert library_tags(b"", "/usr/bin/python3.11") == ["python"]
    assert library_tags(b"", "/srv/pythonic/nginx") == []


def test_the_first_of_four_uids_counts() -> None:
    assert parse_uid(b"Name:\tx\nUid:\t1000\t0\t0\t0\nGid:\t5\n") == 1000
    assert parse_uid(b"Name:\tUid:\nUid:\tx\n") == -1
    assert parse_uid(b"") == -1


@given(st.binary(max_size=2000))
def test_no_bytes_raise(raw: bytes) -> None:
    parse_cmdline(raw)
    parse_uid(raw)
    parse_cgroup_of(raw)
    parse_io(raw)
    library_tags(raw)
