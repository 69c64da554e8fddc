"""The real service comes up, serves, breaks, is mended and leaves nothing behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from weaklink.capacity.results import summary
from weaklink_lab import breaking, chain, client, faults, status
from weaklink_lab import drill as drills
from weaklink_lab import state as states
from weaklink_lab.draw import Wants, draw
from weaklink_lab.spec import Passive
from weaklink_lab.state import State

MISSING = [
    reason
    for reason, lacks in (
        ("needs root", os.geteuid() != 0),
        ("needs nginx", shutil.which("nginx", path="/usr/sbin") is None),
        ("needs redis-server", shutil.which("redis-server", path="/usr/bin") is None),
    )
    if lacks
]
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=", ".join(MISSING)),
]


SEED = 100_000 + os.getpid()
"""Names are drawn from the seed: this one keeps clear of every lab that is up beside the test."""


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = Path(f"/run/weaklink-lab-test-{os.getpid()}")
    monkeypatch.setattr(states, "FOLDER", folder)
    return folder


def nothing_left(state: State) -> None:
    assert chain.left(state) == []
    assert not states.FOLDER.exists()
    text = Path("/proc/mounts").read_text()
    assert not [name for name in state.namespaces() if f"/{name} " in text]


@pytest.fixture
def service(home: Path) -> Iterator[State]:
    state = chain.up(draw(SEED, Wants(members=2, balancing="nginx", passive=Passive(0, 10))))
    try:
        yield state
    finally:
        assert chain.down(SEED) == []
        nothing_left(state)


def felt(seconds: float) -> str:
    begin = time.time()
    time.sleep(seconds)
    columns = client.read(client.file()).between(begin, time.time())
    return f"{summary(columns).error_share:.2f}"


def test_served_broken_mended(service: State) -> None:
    chain.load_start(service)
    time.sleep(2)
    assert felt(3) == "0.00"
    assert "worker" in status.text(service)
    truth = breaking.enter(service, faults.known()["upstream-down"], 1)
    assert truth.links[0].listen[0] in {worker.address for worker in service.spec.of("worker")}
    assert float(felt(4)) > 0.1
    assert breaking.mend(service) == "upstream-down"
    time.sleep(1)
    assert felt(3) == "0.00"
    log = (service.folder(service.spec.one("front")) / "access.log").read_text()
    assert service.spec.routes.preview in log


def test_a_drill_leaves_a_service_alone_that_it_did_not_bring_up(service: State) -> None:
    way = drills.Way(Path("/bin/false"))
    with pytest.raises(FileExistsError, match="a service is up"):
        drills.drill(faults.known()["healthy"], SEED, way, lambda _text: None)
    assert all(chain.main_pids(service, worker) for worker in service.spec.of("worker"))


def test_a_frozen_worker_does_not_keep_the_lab_from_going_down(service: State) -> None:
    breaking.enter(service, faults.known()["worker-frozen"], 1)
    chain.load_start(service)
    time.sleep(0.5)


def test_a_lab_beside_it_is_not_touched(service: State, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileExistsError, match="left alone"):
        chain.down(SEED + 1)
    with monkeypatch.context() as beside:
        beside.setattr(states, "FOLDER", Path(f"{states.FOLDER}-beside"))
        with pytest.raises(FileExistsError, match="in use by another lab"):
            chain.up(service.spec)
        assert chain.down() == []
        assert not states.FOLDER.exists()
    assert all(chain.main_pids(service, worker) for worker in service.spec.of("worker"))


def test_down_cleans_up_after_a_lab_that_was_killed(home: Path) -> None:
    up = subprocess.Popen(
        [sys.executable, "-m", "weaklink_lab.cli", "up", "--seed", str(SEED)],
        env={**os.environ, states.HOME: str(home)},
        stdout=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20
    while not (states.FOLDER / "state.json").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.6)
    up.send_signal(signal.SIGKILL)
    up.wait()
    state = states.load()
    assert state is not None
    # The killed command has left its lock's file too: the next one takes that away.
    with states.alone():
        assert chain.down(SEED) == []
        nothing_left(state)
        assert chain.down() == []
    assert not list(home.parent.glob(f".{home.name}*"))
