"""Who runs here, whatever they call themselves and however fast they come and go."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from weaklink.model.chain import Chain, Link
from weaklink.model.take import Take
from weaklink.probes.process import look_at_processes
from weaklink.probes.process_counters import look_at_counters
from weaklink.reach.host import NotHere
from weaklink.reach.root import Root
from weaklink.testing.frozen_host import FROZEN_AT, FrozenHost
from weaklink.testing.live import live_case, live_reach

ON_CPU = "process_cpu_seconds_total"
WAITED = "process_run_delay_seconds_total"


def values(take: Take, quantity: str) -> dict[str, float]:
    return {one.target: one.value for one in take.readings if one.quantity == quantity}


def test_the_fact(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).process(
        100,
        name="python3",
        command=["/usr/bin/python3", "worker.py", "--token", "s3cretvalue"],
        exe="/usr/bin/python3.11",
        start_ticks=5000,
        ppid=7,
        uid=33,
        nice=5,
        state="D",
        wchan="io_schedule",
        cgroup={"cpu": "/pods/a", "memory": "/pods/a"},
        netns=4026532001,
        threads={"python3": 1.0, "av:h264:df0": 2.0},
        sockets=[9],
        libraries=["/usr/lib/libavcodec.so.60", "/srv/libtorch.so"],
    )
    (fact,) = look_at_processes(frozen.reach(), frozen.case()).processes
    assert fact.key == "process:h1/4026532001/100@5000"
    assert fact.start == frozen.boot + 50
    assert (fact.ppid, fact.uid, fact.nice, fact.state, fact.threads) == (7, 33, 5, "D", 2)
    assert (fact.exe, fact.waits_in) == ("/usr/bin/python3.11", "io_schedule")
    assert fact.cgroup == {"cpu": "/pods/a", "memory": "/pods/a"}
    assert fact.libraries == ["av", "python", "torch"]
    assert fact.python
    assert "s3cretvalue" not in " ".join(fact.command)
    assert fact.command[:2] == ["/usr/bin/python3", "worker.py"]


def test_maps_are_read_only_of_those_that_serve_their_children_and_the_busy(
    tmp_path: Path,
) -> None:
    lib = ["/usr/lib/libtorch.so"]
    frozen = FrozenHost(tmp_path)
    frozen.process(10, sockets=[5], libraries=lib, name="serves")
    frozen.process(11, ppid=10, libraries=lib, name="child")
    frozen.process(12, cpu_seconds=50_000.0, libraries=lib, name="busy")
    frozen.process(13, libraries=lib, name="idle")
    take = look_at_processes(frozen.reach(), frozen.case())
    tags = {fact.name: fact.libraries for fact in take.processes}
    assert tags == {"serves": ["torch"], "child": ["torch"], "busy": ["torch"], "idle": []}


@pytest.mark.parametrize("name", ["a) R 1 1 (x", "$(touch x)", "\x1b[2J", "a\nb", "%s{0}"])
def test_a_hostile_name(tmp_path: Path, name: str) -> None:
    frozen = FrozenHost(tmp_path).process(100, name=name, exe="/bin/x", command=[name, ";id"])
    (fact,) = look_at_processes(frozen.reach(), frozen.case()).processes
    assert (fact.name, fact.state, fact.ppid) == (name, "S", 1)
    msgspec.json.encode(fact)


def test_kernel_threads_are_known_as_such(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).process(2, name="kthreadd", kernel_thread=True, ppid=0)
    (fact,) = look_at_processes(frozen.reach(), frozen.case()).processes
    assert fact.kernel_thread
    assert fact.command == []


def test_no_process_at_all_is_not_here(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    with pytest.raises(NotHere):
        look_at_processes(frozen.reach(), frozen.case())


def test_counters_over_two_moments(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    frozen.process(100, cpu_seconds=10.0, run_delay=1.0, resident=40_960_000, io_delay=0.5)
    frozen.process(100, cpu_seconds=11.0, run_delay=1.75, resident=40_960_000, at=1.0)
    root, case = frozen.root(), frozen.case()
    first = look_at_counters(frozen.reach(root=root), case)
    root.advance(1.0)
    second = look_at_counters(frozen.reach(root=root), case)
    key = "process:h1/-/100@1000"
    assert values(second, ON_CPU)[key] - values(first, ON_CPU)[key] == pytest.approx(1.0)
    assert values(second, WAITED)[key] - values(first, WAITED)[key] == pytest.approx(0.75)
    assert values(first, "process_resident_bytes")[key] == 40_960_000
    assert values(first, "process_io_delay_seconds_total")[key] == 0.5
    assert first.events == second.events == []


def test_waiting_for_a_cpu_is_summed_over_all_threads_on_the_chain(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    pool = {"main": 0.0, "w1": 1.0, "w2": 1.0, "w3": 1.0}
    frozen.process(100, threads=pool, run_delay=8.0, state="R")
    link = Link(key="link:h1/-/x", name="x", role="app", pids=[100])
    alone = look_at_counters(frozen.reach(), frozen.case())
    case = msgspec.structs.replace(frozen.case(), chain=Chain(links=[link]))
    on_chain = look_at_counters(frozen.reach(), case)
    # The main thread's own share would be a wrong answer for a pool, so there is none.
    assert values(alone, WAITED) == {}
    assert values(on_chain, WAITED) == {"process:h1/-/100@1000": 8.0}


def test_starts_exits_and_a_reused_pid(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    frozen.process(100, name="stays").process(101, name="goes").process(102, name="old")
    frozen.process(100, name="stays", at=1.0).exit(101, at=1.0)
    frozen.process(102, name="new", start_ticks=10_000_050, at=1.0)
    frozen.process(103, name="comes", start_ticks=10_000_060, at=1.0)
    root, case = frozen.root(), frozen.case()
    look_at_counters(frozen.reach(root=root), case)
    root.advance(1.0)
    take = look_at_counters(frozen.reach(root=root), case)
    told = sorted((event.kind, event.target.rpartition("/")[2]) for event in take.events)
    assert told == [
        ("process-exit", "101@1000"),
        ("process-exit", "102@1000"),
        ("process-start", "102@10000050"),
        ("process-start", "103@10000060"),
    ]
    assert sorted(fact.name for fact in take.processes) == ["comes", "new"]
    starts = {event.target: event.at for event in take.events if event.kind == "process-start"}
    assert starts["process:h1/-/103@10000060"] == pytest.approx(FROZEN_AT + 0.6)
    exits = [event for event in take.events if event.kind == "process-exit"]
    assert all(abs(event.at - (FROZEN_AT + 0.5)) <= event.plus_minus for event in exits)


def test_a_process_that_stops_is_told_again_and_so_is_its_return(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    for at, state in ((0.0, "S"), (1.0, "R"), (2.0, "T"), (3.0, "T"), (4.0, "S")):
        frozen.process(100, state=state, at=at)
    root, case = frozen.root(), frozen.case()
    told = []
    for at in range(5):
        root.advance(float(at))
        take = look_at_counters(frozen.reach(root=root), case)
        told.append([fact.state for fact in take.processes])
    assert told == [[], [], ["T"], [], ["S"]]


def test_an_exec_is_seen_by_its_new_name(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    frozen.process(100, name="sh", command=["sh", "run.sh"])
    frozen.process(100, name="nginx", command=["nginx"], exe="/usr/sbin/nginx", at=1.0)
    root, case = frozen.root(), frozen.case()
    look_at_counters(frozen.reach(root=root), case)
    root.advance(1.0)
    take = look_at_counters(frozen.reach(root=root), case)
    assert [(fact.name, fact.exe) for fact in take.processes] == [("nginx", "/usr/sbin/nginx")]
    assert take.events == []


def test_live_finds_this_test_and_its_child() -> None:
    root, case = Root(), live_case()
    before = look_at_processes(live_reach(root), case)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "canary-arg"])
    try:
        take = look_at_counters(live_reach(root), case)
    finally:
        child.kill()
        child.wait()
    assert any(fact.python for fact in before.processes)
    assert child.pid in {fact.pid for fact in take.processes}
    after = look_at_counters(live_reach(root), case)
    ended = {event.target for event in after.events if event.kind == "process-exit"}
    assert any(f"/{child.pid}@" in target for target in ended)


def test_a_fork_storm_raises_nothing_and_leaves_nothing_behind() -> None:
    """P9: processes that end while they are read, pids that come round again."""
    code = (
        "import os, time\n"
        "end = time.time() + 4\n"
        "while time.time() < end:\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        os._exit(0)\n"
        "    os.waitpid(pid, 0)\n"
    )
    storms = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    root, case = Root(), live_case()
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    try:
        look_at_processes(live_reach(root), case)
        until = time.monotonic() + 3
        while time.monotonic() < until:
            take = look_at_counters(live_reach(root), case)
            for fact in take.processes:
                assert fact.pid > 0
                assert fact.key.endswith(f"{fact.pid}@{fact.start_ticks}")
    finally:
        for storm in storms:
            storm.kill()
            storm.wait()
    ended = {event.target for event in look_at_counters(live_reach(root), case).events}
    for storm in storms:
        assert any(f"/{storm.pid}@" in target for target in ended)
    assert len(list(Path("/proc/self/fd").iterdir())) <= descriptors + 2
