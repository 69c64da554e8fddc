"""A running JVM's collections, read from the file that it keeps itself."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain, Link
from weaklink.model.fact import Process
from weaklink.model.fact_text_jvm import HeapWatch
from weaklink.probes.jvm import look_at_jvms
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.root import Root
from weaklink.testing.perf_data import HEAP, SECOND, perf_data
from weaklink.testing.recorded_case import healthy


def reach(seconds: float = 0.6) -> Reach:
    now = time.monotonic()
    return Reach(root=Root(), window=seconds, until=now + seconds, deadline=now + seconds + 2)


def case_of(libraries: list[str]) -> Case:
    pid = os.getpid()
    me = Process(
        key=f"process:h/-/{pid}@1", pid=pid, start_ticks=1, start=0.0, ppid=1, name="java",
        state="S", uid=os.getuid(), libraries=libraries,
    )  # fmt: skip
    link = Link(key="link:h/-/x", name="x", role="app", pids=[pid], processes=[me.key])
    return grow(healthy(), processes=[me], chain=Chain(links=[link]))


@pytest.fixture
def counters() -> Iterator[Path]:
    """The file that a JVM with this process's id would keep."""
    with tempfile.TemporaryDirectory(prefix="hsperfdata_", dir="/tmp") as folder:
        yield Path(folder, str(os.getpid()))


def test_collections_between_two_readings_are_told(counters: Path) -> None:
    counters.write_bytes(perf_data(HEAP))
    later = HEAP | {
        "sun.gc.collector.1.time": 9 * SECOND + SECOND // 5,
        "sun.gc.collector.1.invocations": 14,
    }
    timer = threading.Timer(0.1, counters.write_bytes, [perf_data(later)])
    timer.start()
    [watch] = look_at_jvms(reach(), case_of(["java"])).software
    timer.join()
    assert isinstance(watch, HeapWatch)
    assert (watch.collections, watch.full) == (2, 2)
    assert watch.paused_seconds == pytest.approx(0.2)
    assert watch.old_used / watch.old_max == 0.9


def test_a_file_of_another_users_is_not_believed(counters: Path) -> None:
    counters.write_bytes(perf_data(HEAP))
    case = case_of(["java"])
    foreign = [structs.replace(one, uid=os.getuid() + 1) for one in case.processes]
    with pytest.raises(NotHere):
        look_at_jvms(reach(), structs.replace(case, processes=foreign))


def test_what_is_no_jvm_is_not_looked_at(counters: Path) -> None:
    counters.write_bytes(perf_data(HEAP))
    with pytest.raises(NotHere):
        look_at_jvms(reach(), case_of(["python"]))
