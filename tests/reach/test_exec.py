"""Programs are the real ones, get nothing of ours, and end when they must."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from weaklink.reach.exec import find_tool, run, trusted
from weaklink.reach.host import NotAllowed, NotHere, TooLate

SH = "/bin/sh"


def soon(seconds: float = 10.0) -> float:
    return time.monotonic() + seconds


def test_output_and_code_come_back() -> None:
    ran = run([SH, "-c", "echo out; echo err >&2; exit 3"], soon())
    assert ran == (b"out\n", b"err\n", 3)


def test_nothing_of_our_environment_is_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/tmp/evil.so")
    monkeypatch.setenv("SECRET_TOKEN", "abc")
    ran = run(["/usr/bin/env"], soon())
    assert sorted(ran.stdout.split()) == [
        b"LANG=C.UTF-8",
        b"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
    ]


def test_arguments_are_never_a_shells(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    ran = run(["/bin/echo", f"$(touch {canary}); `touch {canary}` | touch {canary}"], soon())
    assert b"$(touch" in ran.stdout
    assert not canary.exists()


def test_input_is_given_and_may_be_ignored() -> None:
    assert run(["/bin/cat"], soon(), stdin=b"x" * 300_000).stdout == b"x" * 300_000
    assert run(["/bin/true"], soon(), stdin=b"x" * 300_000).returncode == 0


def test_output_is_capped_and_the_rest_dropped() -> None:
    ran = run([SH, "-c", "head -c 3000000 /dev/zero; echo done >&2"], soon(), limit_bytes=1000)
    assert ran == (b"\0" * 1000, b"done\n", 0)


def test_at_the_deadline_it_and_its_children_are_killed(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    with pytest.raises(TooLate):
        run([SH, "-c", f"sleep 300 & echo $! >{told}; wait"], soon(0.5))
    child = int(told.read_text())
    for _ in range(100):
        state = _state(child)
        if state in ("", "Z"):
            break
        time.sleep(0.05)
    assert _state(child) in ("", "Z")


def test_a_child_left_behind_that_holds_the_pipe_does_not_hold_us() -> None:
    with pytest.raises(TooLate):
        run([SH, "-c", "sleep 300 &"], soon(0.5))


def test_a_program_that_others_can_write_is_refused(tmp_path: Path) -> None:
    tool = tmp_path / "smartctl"
    tool.write_text("#!/bin/sh\ntouch /tmp/ran\n")
    tool.chmod(0o777)
    with pytest.raises(NotAllowed):
        run([str(tool)], soon())


def test_a_folder_that_others_can_write_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    folder.chmod(0o777)
    tool = folder / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    with pytest.raises(NotAllowed):
        trusted(str(tool))


@pytest.mark.needs("root")
def test_in_a_folder_with_the_sticky_bit_the_entry_and_its_owner_decide(tmp_path: Path) -> None:
    """As /tmp: others may put things there, but not move or replace those of root."""
    folder = tmp_path / "bin"
    folder.mkdir()
    folder.chmod(0o1777)
    tool = folder / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    assert trusted(str(tool)) == str(tool)
    os.chown(tool, 65534, 65534)
    with pytest.raises(NotAllowed):
        trusted(str(tool))
    os.chown(tool, 0, 0)
    link = folder / "link"
    link.symlink_to(tool)
    os.chown(link, 65534, 65534, follow_symlinks=False)
    with pytest.raises(NotAllowed):
        trusted(str(link))
    tool.chmod(0o757)
    with pytest.raises(NotAllowed):
        trusted(str(tool))


def test_a_link_out_of_a_safe_folder_is_followed_and_judged(tmp_path: Path) -> None:
    loose = tmp_path / "loose"
    loose.mkdir()
    loose.chmod(0o777)
    (loose / "tool").write_text("#!/bin/sh\n")
    (loose / "tool").chmod(0o755)
    link = tmp_path / "tool"
    link.symlink_to(loose / "tool")
    with pytest.raises(NotAllowed):
        trusted(str(link))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a file to another user")
def test_another_users_program_is_refused(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    os.chown(tool, 12345, 12345)
    with pytest.raises(NotAllowed):
        trusted(str(tool))


def test_names_are_never_looked_for_in_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "sh"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_tool("sh") in ("/usr/bin/sh", "/bin/sh")
    with pytest.raises(NotHere):
        find_tool("no-such-tool-here")
    with pytest.raises(NotHere):
        find_tool("../sh")
    with pytest.raises(NotHere):
        run(["sh", "-c", "true"], soon())


def test_our_own_helper_is_found_beside_our_python() -> None:
    assert find_tool("py-spy") == str(Path(sys.executable).parent / "py-spy")


def test_no_deadline_left_starts_nothing() -> None:
    with pytest.raises(TooLate):
        run(["/bin/true"], time.monotonic() - 1)


def test_no_descriptor_of_ours_reaches_it() -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    try:
        ran = run([SH, "-c", "ls /proc/self/fd | sort -n | tr '\\n' ' '"], soon())
    finally:
        os.close(reader)
        os.close(writer)
    assert str(writer) not in ran.stdout.decode().split() or writer < 4


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
