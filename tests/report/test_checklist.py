"""The checklist is a table that people and programs read, with what can hurt marked."""

from __future__ import annotations

import pytest

from weaklink.report.checklist import (
    Here,
    checklist_blocks,
    checklist_markdown,
    checklist_report,
    values_of,
)
from weaklink.report.checklist_steps import SHAPES, STEPS
from weaklink.report.phrase import Voice
from weaklink.testing.recorded_case import worked_incident
from weaklink.words import catalogue

DANGEROUS = ("strace", "--bigkeys", "jstack", "tcpdump")


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_has_its_own_list(shape: str) -> None:
    steps = checklist_report(shape, None).steps
    assert len(steps) >= 8
    assert all(step.shows and step.installed is None for step in steps)


def test_what_can_hurt_says_how() -> None:
    for step in checklist_report("", None).steps:
        assert bool(step.can_hurt) == any(word in step.command for word in DANGEROUS)


def test_every_step_has_words_and_stands_once() -> None:
    assert len({step.id for step in STEPS}) == len(STEPS)
    assert all(f"check.{step.id}.shows" in catalogue() for step in STEPS)


def test_here_fills_in_and_marks_what_is_missing() -> None:
    here = Here(values={"pid": "4121", "device": "sda;reboot"}, missing=["py-spy"])
    steps = {step.id: step for step in checklist_report("", here).steps}
    assert steps["stack"].command == "py-spy dump --nonblocking --pid 4121"
    assert steps["stack"].installed is False
    assert steps["load"].installed is True
    assert "'sda;reboot'" in steps["smart"].command
    assert steps["route"].command == "ip route get DESTINATION"
    text = "\n".join(item.text for block in checklist_blocks("", here, Voice())
                     for item in block.items)  # fmt: skip
    assert "not installed: py-spy" in text


def test_a_chain_gives_its_words() -> None:
    values = values_of(worked_incident())
    assert values["pid"].isdigit()
    assert set(values) <= {"pid", "address", "port", "destination", "device"}


def test_it_can_be_pasted() -> None:
    page = checklist_markdown(checklist_report("intermittent-spikes", None))
    assert page.startswith("# intermittent-spikes")
    assert "**Can hurt:" in page
