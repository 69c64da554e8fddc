"""The loop keeps what this machine does, whatever happens to one of its parts."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from weaklink.recorder.recording import Recording
from weaklink.watch.helpers import Settings
from weaklink.watch.loop import Agent
from weaklink.watch.origin import Parent, origin_of
from weaklink.watch.page import page


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    made = Agent(Settings(folder=tmp_path / "box", spare=None, deep=False), lambda _: None)
    made.helpers._scene_due = float("inf")
    made.helpers._scene_gap = float("inf")
    yield made
    made.box.close()
    if made.lives.kernel is not None:
        made.lives.kernel.close()
    for one in made.processes.followed.values():
        one.close()
    for kept in made.host._files.values():
        kept.close()
    for group in made.groups._groups.values():
        group.close()


def test_what_the_machine_does_is_kept(agent: Agent, tmp_path: Path) -> None:
    for _ in range(4):
        agent.step()
    names = {row.quantity for row in Recording.load([tmp_path / "box"]).series()}
    assert {"host_cpu_user_seconds_total", "host_memory_available_bytes"} <= names
    assert "process_cpu_seconds_total" in names
    assert agent.status.troubles == {}


def test_a_process_that_works_shows_its_cpu_and_its_end(agent: Agent, tmp_path: Path) -> None:
    agent.step()
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        for _ in range(8):
            time.sleep(0.1)
            if agent.lives.kernel is not None:
                agent.lives.listen()
            agent.step()
    finally:
        burner.kill()
        burner.wait()
    if agent.lives.kernel is not None:
        agent.lives.listen()
    agent.step()
    recording = Recording.load([tmp_path / "box"])
    rows = recording.series(
        lambda q, t: q == "process_cpu_seconds_total" and f"/{burner.pid}@" in t
    )
    assert len(rows) == 1
    assert rows[0].values[-1] > rows[0].values[0]
    told = {event.kind for event in recording.events() if f"/{burner.pid}@" in event.target}
    assert "process-start" in told
    assert "process-exit" in told


def test_a_part_that_fails_is_said_and_the_others_go_on(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("token=abcdefghijklmnop1234567890 is odd")

    monkeypatch.setattr(agent.host, "look", broken)
    agent.step()
    agent.step()
    assert "ValueError" in agent.status.troubles["host"]
    assert "abcdefghijklmnop" not in agent.status.troubles["host"]
    assert Recording.load([tmp_path / "box"]).seconds == 2


def test_the_page_tells_its_own_cost_and_names_no_process(agent: Agent) -> None:
    agent.step()
    text = page(agent)
    assert "weaklink_agent_cpu_seconds_total " in text
    assert "weaklink_host_cpu_user_seconds_total " in text
    assert text.endswith("# EOF\n")
    assert "python" not in text


CRON = [
    Parent(5, "sh", ["/bin/sh", "-c", "/opt/refresh --all"]),
    Parent(4, "CRON", ["/usr/sbin/CRON", "-f"]),
    Parent(3, "cron", ["/usr/sbin/cron", "-f"]),
    Parent(1, "init", ["/sbin/init"]),
]


def test_a_cron_line_is_found_through_its_shell() -> None:
    assert origin_of(CRON) == ("cron", "/opt/refresh --all")
    shell = ["/bin/sh", "-c", "/opt/refresh --all"]
    assert origin_of([Parent(7, "CRON", ["CRON", "-f"])], own=shell) == origin_of(CRON)
    assert origin_of([Parent(7, "cron", [])], own=["/opt/job"]) == ("cron", "/opt/job")


def test_a_timer_is_its_unit_and_a_login_its_shell() -> None:
    above = [Parent(1, "systemd", ["/sbin/init"])]
    assert origin_of(above, "/system.slice/refresh.service") == ("unit", "refresh.service")
    by_hand = [Parent(9, "bash", ["-bash"]), Parent(8, "sshd", ["sshd: me"])]
    assert origin_of(by_hand, "/user.slice/user-0.slice/session-3.scope").kind == "shell"
    assert origin_of([Parent(1, "init", [])]).kind == ""


@pytest.mark.needs("root")
def test_the_kernel_tells_how_a_short_life_ended(agent: Agent, tmp_path: Path) -> None:
    if agent.lives.kernel is None:
        pytest.skip("the proc connector is not to be had here")
    agent.step()
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read(); sys.exit(7)"],
                             stdin=subprocess.PIPE)  # fmt: skip
    time.sleep(0.2)
    agent.lives.listen()
    child.communicate()
    agent.lives.listen()
    agent.step()
    ended = [
        event
        for event in Recording.load([tmp_path / "box"]).events()
        if event.kind == "process-exit" and f"/{child.pid}@" in event.target
    ]
    assert [event.details.get("exit") for event in ended] == [7]
