"""What ships as a recording is judged as it was, and holds nothing of the machine it is from."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from weaklink.cli.main import run
from weaklink.cli.verbs.replay import recordings
from weaklink.recorder.case_files import unpack

REPOSITORY = Path(__file__).resolve().parents[2]


def test_there_is_one() -> None:
    assert recordings()


@pytest.mark.parametrize("name", sorted(recordings()))
def test_it_names_the_cause_that_it_is_called_after(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", name, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [cause["id"] for cause in data["causes"]] == [name]
    assert data["note"].startswith("RECORDING")
    assert data["causes"][0]["members"][0]["pids"]
    assert data["plan"]


def test_without_a_name_the_first_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay"]) == 0
    assert capsys.readouterr().out.startswith("NOTE       RECORDING")
    assert run(["replay", "--list"]) == 0
    assert capsys.readouterr().out.split() == sorted(recordings())


@pytest.mark.parametrize("name", sorted(recordings()))
def test_no_path_of_the_machine_that_recorded_it(name: str) -> None:
    text = unpack(recordings()[name].read_bytes(), name).decode()
    for path in {str(REPOSITORY), sys.prefix, sys.base_prefix} - {"/usr"}:
        assert f"{path}/" not in text
