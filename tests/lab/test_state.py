"""Two commands do not change one lab at once, and the lock leaves no file."""

import threading
import time
from pathlib import Path

import pytest

from weaklink_lab import state as states


def test_the_second_waits_for_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "FOLDER", tmp_path / "lab")
    order: list[str] = []

    def second() -> None:
        with states.alone():
            order.append("second")

    with states.alone():
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.1)
        order.append("first")
    thread.join(5)
    assert order == ["first", "second"]
    assert list(tmp_path.iterdir()) == []


def test_a_second_drill_says_that_it_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "FOLDER", tmp_path / "lab")
    said: list[str] = []

    def second() -> None:
        with states.one_drill(lambda: said.append("waiting")):
            said.append("running")

    with states.one_drill(lambda: said.append("never")):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.1)
    thread.join(5)
    assert said == ["waiting", "running"]
