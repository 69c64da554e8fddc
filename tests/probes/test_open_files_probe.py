"""Descriptors against the limit, and the files that a process writes, on this very process."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain, Link
from weaklink.model.fact import Process
from weaklink.model.fact_files import OpenFile
from weaklink.probes.open_files import look_at_open_files
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.root import Root
from weaklink.testing.recorded_case import healthy


def reach(seconds: float = 0.3) -> Reach:
    now = time.monotonic()
    return Reach(root=Root(), window=seconds, until=now + seconds, deadline=now + seconds + 2)


def case_of(pid: int) -> Case:
    me = Process(
        key=f"process:h/-/{pid}@1", pid=pid, start_ticks=1, start=0.0, ppid=1, name="x", state="R"
    )
    link = Link(key="link:h/-/x", name="x", role="app", pids=[pid], processes=[me.key])
    return grow(healthy(), processes=[me], chain=Chain(links=[link]))


def test_a_log_that_grows_is_seen_with_its_mount(tmp_path: Path) -> None:
    path = tmp_path / "own.log"
    with path.open("ab", buffering=0) as log, (tmp_path / "read-only").open("wb"):
        log.write(b"x" * 1000)
        take = look_at_open_files(reach(), case_of(os.getpid()))
    files = [fact for fact in take.software if isinstance(fact, OpenFile)]
    mine = next(fact for fact in files if fact.path == str(path))
    assert mine.how == "append"
    stat = path.stat()
    assert mine.major_minor == f"{os.major(stat.st_dev)}:{os.minor(stat.st_dev)}"
    assert mine.seconds > 0
    assert any(fact.how == "folder" and fact.path == str(Path.cwd()) for fact in files)


def test_descriptors_are_counted_against_the_soft_limit() -> None:
    import resource

    take = look_at_open_files(reach(), case_of(os.getpid()))
    values = {reading.quantity: reading.value for reading in take.readings}
    assert values["process_open_files_limit"] == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert 3 <= values["process_open_files"] < values["process_open_files_limit"]


def test_without_a_chain_there_is_nothing_to_look_at() -> None:
    with pytest.raises(NotHere):
        look_at_open_files(reach(), grow(healthy(), chain=Chain()))
