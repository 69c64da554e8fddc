"""The kernel's samples of this machine's CPUs, with and without the right to all of them."""

from __future__ import annotations

import errno
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from weaklink.reach import perf_events
from weaklink.reach.host import NotAllowed, NotHere
from weaklink.reach.perf_events import parse_cpus, sample_cpus
from weaklink.testing.servers import running

BURN = """
import sys, threading
def burn():
    while True:
        pass
open(sys.argv[1], "w").close()
threading.Timer(0.6, burn).start()
"""


@pytest.fixture(name="late")
def _late(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process whose CPU goes into a thread that starts after we began to look."""
    ready = tmp_path / "ready"
    with running([sys.executable, "-c", BURN, str(ready)], tmp_path) as child:
        while not ready.exists():
            time.sleep(0.005)
        yield child


def skipped_unless_allowed(pid: int) -> None:
    try:
        sample_cpus(0.0, None, [pid])
    except (NotAllowed, NotHere) as outcome:
        pytest.skip(outcome.reason.key)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.needs("root")
def test_the_machine_is_sampled_and_a_busy_process_found(late: subprocess.Popen[bytes]) -> None:
    skipped_unless_allowed(late.pid)
    before = descriptors()
    sampled = sample_cpus(2.0)
    assert sampled.everybody
    assert sampled.lost == 0
    assert sampled.seconds >= 2.0
    mine = [sample for sample in sampled.samples if sample.pid == late.pid]
    assert any(not sample.kernel and sample.tid != late.pid for sample in mine)
    assert all(sample.pid != 0 for sample in sampled.samples)
    assert descriptors() == before


def test_own_processes_are_sampled_where_the_machine_is_not_ours(
    late: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    skipped_unless_allowed(late.pid)
    whole_machine_denied(monkeypatch)
    before = descriptors()
    sampled = sample_cpus(2.5, None, [late.pid])
    assert not sampled.everybody
    assert {sample.pid for sample in sampled.samples} == {late.pid}
    assert any(sample.tid != late.pid for sample in sampled.samples)  # inherited by a later thread
    assert descriptors() == before


def whole_machine_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    really: Callable[[bytes, int, int], int | None] = perf_events._open

    def opened(attribute: bytes, pid: int, cpu: int) -> int | None:
        if pid == -1:
            raise perf_events._refusal(errno.EACCES)
        return really(attribute, pid, cpu)

    monkeypatch.setattr(perf_events, "_open", opened)


@pytest.mark.parametrize("own", [[], [2**22 + 1]])
def test_without_any_right_it_says_what_would_help(
    own: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_machine_denied(monkeypatch)
    with pytest.raises(NotAllowed) as outcome:
        sample_cpus(0.1, None, own)
    assert outcome.value.remedy


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (errno.EPERM, NotAllowed),
        (errno.EACCES, NotAllowed),
        (errno.ENOSYS, NotHere),
        (errno.ENOENT, NotHere),
        (errno.EMFILE, OSError),
    ],
)
def test_what_the_kernel_refuses(code: int, kind: type[Exception]) -> None:
    assert isinstance(perf_events._refusal(code), kind)


def test_another_architecture_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "z80")
    with pytest.raises(NotHere):
        sample_cpus(0.1)


def test_a_cpu_that_went_away_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perf_events, "_open", lambda *_: None)
    with pytest.raises(NotHere):
        sample_cpus(0.1)


def test_when_told_to_stop_it_ends_with_what_it_has() -> None:
    skipped_unless_allowed(os.getpid())
    stop = threading.Event()
    stop.set()
    assert sample_cpus(60.0, stop, [os.getpid()]).seconds < 60.0


def test_more_than_is_kept_counts_as_lost(
    late: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    skipped_unless_allowed(late.pid)
    monkeypatch.setattr(perf_events, "MOST_SAMPLES", 5)
    sampled = sample_cpus(1.5, None, [late.pid])
    assert len(sampled.samples) == 5
    assert sampled.lost > 0


@pytest.mark.parametrize(("cpus", "hertz"), [(2, 49), (16, 49), (64, 23), (5000, 1)])
def test_large_machines_are_sampled_less_often(
    cpus: int, hertz: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def refuse(*args: object) -> None:
        asked.append(int(str(args[2])))
        raise perf_events._refusal(errno.ENOSYS)

    monkeypatch.setattr(perf_events, "online_cpus", lambda: list(range(cpus)))
    monkeypatch.setattr(perf_events, "_of_machine", refuse)
    with pytest.raises(NotHere):
        sample_cpus(0.1)
    assert asked == [hertz]


@pytest.mark.parametrize(
    ("text", "cpus"),
    [("0-1\n", [0, 1]), ("0,2-3", [0, 2, 3]), ("", []), ("x,1-y,-,4", [4])],
)
def test_lists_of_cpus(text: str, cpus: list[int]) -> None:
    assert parse_cpus(text) == cpus


def test_a_list_of_cpus_without_end_is_cut() -> None:
    assert len(parse_cpus("0-99999999999")) == 8192
