"""A moment of the past is told from what was kept of that moment, and of no other."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from weaklink import incident
from weaklink.incident import Options
from weaklink.incident.recalled import NoRecording
from weaklink.model.case import Case
from weaklink.model.event import Event
from weaklink.model.fact import Frame
from weaklink.recorder import case_files
from weaklink.recorder.asked import condense
from weaklink.recorder.box import Box, Clock
from weaklink.recorder.tick import Head
from weaklink.testing.fake_chain import END, HOST, ONSET, RATE, WORKERS, FakeChain

BEFORE = 500
"""Seconds before the end at which the recording begins."""
FILED = "20270115T080000Z.json.gz"


@pytest.fixture(name="box")
def a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A chain whose workers become slow `ONSET` seconds before the end; a deep look is on file."""
    monkeypatch.setattr(case_files, "folder", lambda: tmp_path / "cases")
    healthy, sick = FakeChain(), FakeChain()
    sick.slow_members(*WORKERS, share=0.8)
    for pid in WORKERS:
        sick.busy_in(pid, cpus=0.1, frames=[Frame("wait", "pool.py", 3)])
    seen = sick.case()
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / FILED).write_bytes(case_files.pack(seen))
    now = [END - BEFORE]
    clock = Clock(lambda: now[0], lambda: now[0] - END + 10_000)
    box = Box(tmp_path / "box", head=Head("1", HOST, "b", "r", 0), clock=clock)
    scene = healthy.case()
    box.scene(case_files.pack(msgspec.structs.replace(scene, requests=[], connections=[])))
    by_second: dict[int, list[object]] = {}
    for row in condense(seen.requests[0]):
        by_second.setdefault(row.second, []).append(row)
    while now[0] < END:
        box.asked(by_second.get(int(now[0]) - 1, []))  # type: ignore[arg-type]
        if now[0] == END - 10:
            box.event(Event(at=now[0], kind="case-filed", target="agent:h1/-/watch", text=FILED,
                            source="watch"))  # fmt: skip
        box.tick()
        now[0] += 1
    box.close()
    for file in (tmp_path / "box").iterdir():
        os.utime(file, (END, END))
    return str(tmp_path / "box")


def recall(box: str, at: float, **more: object) -> Case:
    return incident.recall(Options(at=at, box=box, **more))  # type: ignore[arg-type]


def test_a_quiet_moment_is_quiet_and_its_rate_is_of_what_was_kept(box: str) -> None:
    case = recall(box, END - 200, until=END - 60)
    assert case.pain is not None
    assert case.pain.shape.id == "none"
    assert case.pain.impact.rate_now == pytest.approx(RATE, rel=0.25)


def test_the_minutes_after_the_moment_belong_to_it(box: str) -> None:
    """Who says 03:07 means the pain that began at 03:09."""
    case = recall(box, END - 200)
    assert case.pain is not None
    assert case.pain.onset is not None
    assert case.pain.onset.at == pytest.approx(END - ONSET, abs=4)


def test_pain_has_its_onset_and_its_before_from_the_recording(box: str) -> None:
    case = recall(box, END - 12)
    assert case.pain is not None
    assert case.pain.shape.id == "widespread-timeouts"
    assert case.pain.onset is not None
    assert case.pain.onset.at == pytest.approx(END - ONSET, abs=4)
    assert case.pain.impact.baseline is not None
    assert case.pain.impact.baseline.key == "baseline.recording"
    assert case.pain.impact.p99_before == pytest.approx(0.034, rel=0.2)


def test_a_deep_look_lends_its_stacks_to_its_own_moment_only(box: str) -> None:
    assert recall(box, END - 12).stacks
    quiet = recall(box, END - 200, until=END - 60)
    assert not quiet.stacks
    assert not quiet.connections
    assert not recall(box, END - 12, deep=False).stacks


def test_a_case_that_this_recording_did_not_file_is_not_used(box: str, tmp_path: Path) -> None:
    (tmp_path / "cases" / FILED).rename(tmp_path / "cases" / "other.json.gz")
    assert not recall(box, END - 12).stacks


def test_a_time_that_was_not_kept_is_said(box: str, tmp_path: Path) -> None:
    with pytest.raises(NoRecording) as caught:
        recall(box, END - 9000)
    assert caught.value.reason.key == "recall.not-then"
    with pytest.raises(NoRecording) as caught:
        recall(str(tmp_path / "nowhere"), END)
    assert caught.value.reason.key == "recall.nothing"
