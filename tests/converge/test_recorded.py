"""Incidents recorded from real injections on a real chain, judged again from their files.

Each file is a Case as `weaklink` filed it in a drill (packaging/ship_recording.py trims it to what
is on the chain). Its name says what was injected.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from weaklink import incident
from weaklink.converge import catalogue
from weaklink.model.case import Case
from weaklink.recorder.case_files import read_case

FOLDER = Path(__file__).resolve().parents[1] / "recorded"
FILES = sorted(FOLDER.glob("*.json.gz"))

COUNTED = ("engine_", "app_")
"""Quantities by which a service tells itself how its users fare (observe/counted.py)."""


REALLY_THERE = {"slow-command-51": {"cpu-noisy-neighbour"}}
"""Other work really took 1.84 of the machine's 2 CPUs while that one was recorded."""


def cause_of(path: Path) -> str:
    return path.name.partition(".")[0].rstrip("0123456789").rstrip("-")


def judged(path: Path) -> Case:
    return incident.judge(structs.replace(read_case(path), diagnoses=[]))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.partition(".")[0])
def test_what_was_injected_is_named_and_nothing_else(path: Path) -> None:
    diagnosis = judged(path).diagnoses[-1]
    said = [found.id for found in diagnosis.causes if found.named]
    assert said[0] == cause_of(path)
    assert set(said[1:]) <= REALLY_THERE.get(path.name.partition(".")[0], set())
    assert diagnosis.pain.shape.id != "none"
    assert diagnosis.pain.onset is not None


def test_a_recording_is_of_a_cause_of_the_catalogue() -> None:
    assert {cause_of(path) for path in FILES} <= set(catalogue())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.partition(".")[0])
def test_without_the_users_pain_no_cause_is_named(path: Path) -> None:
    """The same evidence on a chain whose users are fine blames nobody."""
    case = read_case(path)
    series = [one for one in case.series if not one.quantity.startswith(COUNTED)]
    calm = structs.replace(
        case, diagnoses=[], requests=[], answers=[], connections=[], series=series
    )
    assert not [found for found in incident.judge(calm).diagnoses[-1].causes if found.named]
