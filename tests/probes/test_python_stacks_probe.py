"""Stacks of real Python processes: running, stopped, gone, and not ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain, Link, Role
from weaklink.model.fact import Listener, Process
from weaklink.model.series import Series
from weaklink.probes.python_stacks import MAX_PROCESSES, choose, python_stacks
from weaklink.reach.host import NotHere
from weaklink.testing.servers import bare_case, fact_of, hands, running

SCRIPT = """
import json, pathlib, threading, time
def spin():
    while True:
        json.dumps(list(range(300)))
threading.Thread(target=spin, name="spinner", daemon=True).start()
pathlib.Path("ready").touch()
def waiting_here():
    time.sleep(60)
waiting_here()
"""


@pytest.fixture(name="busy")
def busy_process(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    (tmp_path / "busy.py").write_text(SCRIPT)
    with running([sys.executable, str(tmp_path / "busy.py")], tmp_path) as child:
        while not (tmp_path / "ready").exists():
            time.sleep(0.02)
        yield child


def case_of(*processes: Process, role: Role = "app") -> Case:
    links = [
        Link(key=f"l{p.pid}", name=p.name, role=role, pids=[p.pid], processes=[p.key])
        for p in processes
    ]
    return grow(bare_case(*processes), chain=Chain(links=links))


def test_what_runs_and_what_waits(busy: subprocess.Popen[bytes]) -> None:
    take = python_stacks(hands(1.0), case_of(fact_of(busy.pid, "python3", python=True)))
    assert take.looks == []
    assert 3 <= len(take.stacks) <= 6
    moments = [stack.at for stack in take.stacks]
    assert max(moments) - min(moments) > 0.3
    threads = {thread.name: thread for thread in take.stacks[0].threads}
    spinner = threads["spinner"]
    assert any(frame.function == "spin" and frame.origin == "app" for frame in spinner.frames)
    assert any(frame.origin == "stdlib" for frame in spinner.frames)
    main = threads["MainThread"]
    assert main.frames[0].function == "waiting_here"
    assert not main.running
    assert main.tid == busy.pid


def test_a_stopped_process_can_be_read_and_stays_stopped(busy: subprocess.Popen[bytes]) -> None:
    """P4: nothing is continued, nothing left stopped by us."""
    os.kill(busy.pid, signal.SIGSTOP)
    os.waitpid(busy.pid, os.WUNTRACED)
    take = python_stacks(hands(0.5), case_of(fact_of(busy.pid, "python3", python=True)))
    assert take.stacks
    assert Path(f"/proc/{busy.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_a_process_that_ends_half_way(busy: subprocess.Popen[bytes]) -> None:
    fact = fact_of(busy.pid, "python3", python=True)
    busy.kill()
    busy.wait()
    take = python_stacks(hands(0.5), case_of(fact))
    assert take.stacks == []
    (look,) = take.looks
    assert look.outcome == "absent"
    assert look.reason is not None
    assert look.reason.key == "stacks.gone"


def test_what_is_no_python_is_said(tmp_path: Path) -> None:
    with running(["/usr/bin/sleep", "30"], tmp_path) as child:
        take = python_stacks(hands(0.3), case_of(fact_of(child.pid, "sleep", python=True)))
    assert take.stacks == []
    assert [look.outcome for look in take.looks] in (["absent"], ["failed"])


def test_a_chain_without_python() -> None:
    with pytest.raises(NotHere):
        python_stacks(hands(0.3), bare_case())
    with pytest.raises(NotHere):
        python_stacks(hands(0.3), case_of(fact_of(os.getpid(), "python3"), role="cache"))


def process(pid: int, ppid: int = 1) -> Process:
    return Process(key=f"p{pid}", pid=pid, ppid=ppid, start_ticks=1, start=0.0, name="python3",
                   state="S", python=True)  # fmt: skip


def cpu(pid: int, used: float) -> Series:
    return Series(
        quantity="process_cpu_seconds_total",
        target=f"p{pid}",
        times=[0.0, 10.0],
        values=[5.0, 5.0 + used],
    )


def test_the_busiest_come_first_and_no_link_is_left_out() -> None:
    many = [process(pid) for pid in range(10, 30)]
    other = process(50)
    case = grow(
        bare_case(*many, other, process(60, ppid=50)),
        series=[cpu(15, 9.0), cpu(16, 5.0)],
        listeners=[Listener(address="127.0.0.1:1", netns="-", pids=[17], waiting=3)],
        chain=Chain(
            links=[
                Link(key="a", name="a", role="app", pids=[p.pid for p in many]),
                Link(key="b", name="b", role="inference", pids=[50]),
            ]
        ),
    )
    chosen = [one.pid for one in choose(case)]
    assert chosen[0] == 17  # three connections wait in front of it
    assert set(chosen[:MAX_PROCESSES]) >= {15, 16, 17, 50, 60}
    assert len(chosen) == 22
