"""What changed on the chain within the last hour."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from msgspec import structs

from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain, Link
from weaklink.model.fact import Frame, Stack, StackThread
from weaklink.reach.host import NotHere
from weaklink.sources.changes import changes
from weaklink.testing.servers import bare_case, fact_of, hands


def case_of(script: Path, *, age: float, stack_file: Path | None = None) -> Case:
    me = fact_of(
        os.getpid(),
        "python3",
        start=time.time() - age,
        command=["python3", "-u", str(script), "--token", "***"],
    )
    stacks = []
    if stack_file is not None:
        frames = [
            Frame(function="f", file=str(stack_file), line=1, origin="app"),
            Frame(function="g", file="/usr/lib/python3.11/x.py", line=1, origin="stdlib"),
        ]
        thread = StackThread(tid=1, name="MainThread", running=True, frames=frames)
        stacks = [Stack(process=me.key, at=time.time(), threads=[thread])]
    link = Link(key="l", name="app", role="app", pids=[me.pid], processes=[me.key])
    return grow(bare_case(me), chain=Chain(links=[link]), stacks=stacks)


def test_code_that_was_replaced_under_a_running_service(tmp_path: Path) -> None:
    script, module = tmp_path / "main.py", tmp_path / "render.py"
    script.write_text("x")
    module.write_text("x")
    old = time.time() - 7200
    os.utime(script, (old, old))
    events = changes(hands(0.0), case_of(script, age=5000, stack_file=module)).events
    assert [(one.kind, one.text, one.details["loaded"]) for one in events] == [
        ("code-change", str(module), 0)
    ]


def test_a_deploy_is_a_start_with_new_code(tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text("x")
    written = time.time() - 100
    os.utime(script, (written, written))
    events = changes(hands(0.0), case_of(script, age=60)).events
    assert [one.kind for one in events] == ["code-change", "service-start"]
    assert events[0].details["loaded"] == 1
    assert events[1].text == f"python3 -u {script} --token ***"


def test_a_service_that_nobody_touched(tmp_path: Path) -> None:
    assert changes(hands(0.0), case_of(tmp_path / "none.py", age=5000)).events == []


def test_without_a_chain_nothing_is_looked_for() -> None:
    with pytest.raises(NotHere):
        changes(hands(0.0), bare_case())


def test_a_model_or_package_that_a_service_started_with(tmp_path: Path) -> None:
    now = time.time()
    model, data = tmp_path / "model", tmp_path / "data"
    for folder in (model, data):
        folder.mkdir()
    (model / "weights.safetensors").write_text("x")
    os.utime(model / "weights.safetensors", (now - 100, now - 100))
    (data / "uploads.bin").write_text("x")
    packages = tmp_path / "venv/lib/python3.11/site-packages"
    for name, age in (("torch-2.9.0", 80), ("numpy-2.0.0", 90_000)):
        (packages / f"{name}.dist-info").mkdir(parents=True)
        (packages / f"{name}.dist-info/METADATA").write_text("x")
        os.utime(packages / f"{name}.dist-info/METADATA", (now - age, now - age))
    case = case_of(tmp_path / "none.py", age=60)
    (me,) = case.processes
    command = [str(tmp_path / "venv/bin/python"), "-m", "serve", f"--model={model}", str(data)]
    me = structs.replace(me, command=command, python=True)
    events = changes(hands(0.0), grow(case, processes=[me])).events
    changed = {one.text for one in events if one.kind == "code-change"}
    assert changed == {str(model / "weights.safetensors"), "package torch-2.9.0"}
