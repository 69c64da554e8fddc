"""The agent as a process of its own: killed at any moment, with a clock that jumps, in a storm.

A few rounds by default; `make soak` sets WEAKLINK_ROUNDS and WEAKLINK_STORM_SECONDS.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from weaklink.recorder.recording import Recording

ROUNDS = int(os.environ.get("WEAKLINK_ROUNDS", "2"))
STORM_SECONDS = float(os.environ.get("WEAKLINK_STORM_SECONDS", "3"))
FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
LOSES = 2.5
"""Seconds that may be missing at its end, the tick in which it was killed included."""
ENTRY = "from weaklink.cli.main import main; main()"


@pytest.fixture
def agents() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for one in started:
        one.kill()
        one.wait()


def watch(agents: list[subprocess.Popen[bytes]], box: Path, **more: str) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", ENTRY, "watch", "--box", str(box), "--no-deep", "--quiet"]
    agents.append(subprocess.Popen(argv, env={**os.environ, **more}))
    return agents[-1]


def until_kept(box: Path, seconds: int, patience: float = 60.0) -> Recording:
    """Wait until the recording holds so many ticks."""
    ends = time.monotonic() + patience
    while time.monotonic() < ends:
        recording = Recording.load([box])
        if recording.seconds >= seconds:
            return recording
        time.sleep(0.2)
    raise AssertionError(f"not {seconds} ticks within {patience:g} s")


def assert_sound(recording: Recording) -> None:
    """It is whole: no second twice, and no counter that runs backwards."""
    assert recording.damaged == 0
    for row in recording.series():
        assert all(a < b for a, b in pairwise(row.times)), row.quantity
        if row.quantity.endswith("_total") and row.target.startswith("host:"):
            assert all(a <= b for a, b in pairwise(row.values)), row.quantity


def test_killed_at_any_moment_it_opens_and_goes_on(
    agents: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    dice = random.Random(int(os.environ.get("WEAKLINK_SEED", "1")))
    box, kept = tmp_path / "box", 0
    for _ in range(ROUNDS):
        one = watch(agents, box)
        until_kept(box, kept + 2)
        time.sleep(dice.uniform(0.0, 2.0))
        one.kill()
        one.wait()
        killed = time.time()
        recording = Recording.load([box])
        assert_sound(recording)
        assert killed - recording.span[1] <= LOSES
        kept = recording.seconds
    one = watch(agents, box)
    until_kept(box, kept + 2)
    one.terminate()
    assert one.wait(20) == 0
    assert_sound(Recording.load([box]))


@pytest.mark.skipif(not FAKETIME, reason="needs libfaketime")
def test_a_clock_put_forward_and_back_makes_no_second_twice(
    agents: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    clock, box = tmp_path / "clock", tmp_path / "box"
    clock.write_text("+0")
    one = watch(
        agents, box, LD_PRELOAD=str(FAKETIME[0]), FAKETIME_TIMESTAMP_FILE=str(clock),
        FAKETIME_NO_CACHE="1", FAKETIME_DONT_FAKE_MONOTONIC="1", DONT_FAKE_MONOTONIC="1",
    )  # fmt: skip
    began = time.monotonic()
    for kept, shift in ((2, "+1h"), (4, "-1h"), (6, "+0")):
        until_kept(box, kept)
        clock.write_text(shift)
    until_kept(box, 8)
    one.terminate()
    one.wait(20)
    recording = Recording.load([box])
    assert_sound(recording)
    since, until = recording.span
    assert until - since <= time.monotonic() - began + 1


def test_a_storm_of_short_lives_is_survived(
    agents: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    box = tmp_path / "box"
    one = watch(agents, box)
    kept = until_kept(box, 2).seconds
    true = shutil.which("true") or "/bin/true"
    ends = time.monotonic() + STORM_SECONDS
    while time.monotonic() < ends:
        for child in [subprocess.Popen([true]) for _ in range(40)]:
            child.wait()
    recording = until_kept(box, kept + 3)
    assert one.poll() is None
    assert_sound(recording)


@pytest.mark.needs("root")
def test_a_pid_that_is_used_again_is_another_target(
    agents: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    box = tmp_path / "box"
    burn = [sys.executable, "-c", "while True: pass"]
    first = subprocess.Popen(burn)
    agents.append(first)
    watch(agents, box)
    until_kept(box, 4)
    first.kill()
    first.wait()
    second = _with_pid(first.pid, burn)
    if second is None:
        pytest.skip("the pid was taken by somebody else")
    agents.append(second)
    kept = Recording.load([box]).seconds
    recording = until_kept(box, kept + 4)
    rows = recording.series(
        lambda name, target: name == "process_cpu_seconds_total" and f"/{first.pid}@" in target
    )
    assert len(rows) == 2
    assert all(a <= b for row in rows for a, b in pairwise(row.values))


def _with_pid(pid: int, argv: list[str]) -> subprocess.Popen[bytes] | None:
    """A process with the pid of one that is gone, by the kernel's last pid; None if that fails."""
    for _ in range(20):
        try:
            Path("/proc/sys/kernel/ns_last_pid").write_text(str(pid - 1))
        except OSError:
            return None
        made = subprocess.Popen(argv)
        if made.pid == pid:
            return made
        made.kill()
        made.wait()
    return None
