"""A machine that was frozen is looked at like a live one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from weaklink.probes.host import look_at_host
from weaklink.probes.process import look_at_processes
from weaklink.probes.process_counters import look_at_counters
from weaklink.probes.sockets import look_at_first
from weaklink.reach.root import Root
from weaklink.testing.freeze import freeze
from weaklink.testing.frozen_host import FrozenHost
from weaklink.testing.live import live_case, live_reach

SERVES = (
    "import socket, time\n"
    "s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True)\n"
    "end = time.time() + 60\n"
    "while time.time() < end: pass\n"
)


def test_freeze_and_look(tmp_path: Path) -> None:
    secret = "hunter2hunter2"
    child = subprocess.Popen(
        [sys.executable, "-c", SERVES, "--password", secret], stdout=subprocess.PIPE
    )
    try:
        assert child.stdout is not None
        port = int(child.stdout.readline())
        folder = freeze(tmp_path / "frozen", seconds=0.5, interval=0.5)
    finally:
        child.kill()
        child.communicate()
    root, case = Root(str(folder)), live_case()
    assert look_at_host(live_reach(root), case).host is not None
    facts = {fact.pid: fact for fact in look_at_processes(live_reach(root), case).processes}
    assert facts[child.pid].python
    assert facts[child.pid].netns == "-"
    take = look_at_first(live_reach(root), case)
    owners = {one.address: one.pids for one in take.listeners}
    assert child.pid in owners[f"127.0.0.1:{port}"]
    spent = []
    for at in (0.0, *root.frames):
        root.advance(at)
        readings = look_at_counters(live_reach(root), case).readings
        spent += [
            one.value
            for one in readings
            if one.target == facts[child.pid].key and one.quantity == "process_cpu_seconds_total"
        ]
    assert len(spent) == 2
    assert spent[1] > spent[0]
    for file in folder.rglob("cmdline"):
        assert secret.encode() not in file.read_bytes()
    assert not list(folder.rglob("environ"))


def test_the_builder_keeps_track_of_who_lives(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).process(1, name="init").process(2, name="goes")
    frozen.cpu(user=5.0, at=1.0).exit(2, at=2.0).process(3, name="comes", at=3.0)
    root, seen = frozen.root(), []
    for at in (0.0, 1.0, 2.0, 3.0):
        root.advance(at)
        seen.append(sorted(name for name in root.names("/proc") if name.isdigit()))
    assert seen == [["1", "2"], ["1", "2"], ["1"], ["1", "3"]]
