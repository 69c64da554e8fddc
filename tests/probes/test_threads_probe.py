"""Threads by name, of the chain's processes only."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from weaklink.model.case import Case
from weaklink.model.chain import Chain, Link
from weaklink.probes.threads import look_at_threads
from weaklink.reach.host import NotHere
from weaklink.testing.frozen_host import FrozenHost


def on_chain(case: Case, *pids: int) -> Case:
    link = Link(key="link:h1/-/x", name="x", role="app", pids=list(pids))
    return msgspec.structs.replace(case, chain=Chain(links=[link]))


def test_native_threads_of_a_decoder(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    frozen.process(100, threads={"python3": 1.0, "av:h264:df0": 9.5, "av:h264:df1": 9.25})
    frozen.process(200, threads={"other": 5.0})
    take = look_at_threads(frozen.reach(), on_chain(frozen.case(), 100))
    found = sorted((one.tid, one.name, one.cpu_seconds) for one in take.threads)
    assert found == [
        (100, "python3", 1.0),
        (101, "av:h264:df0", 9.5),
        (102, "av:h264:df1", 9.25),
    ]
    assert {one.process for one in take.threads} == {"process:h1/-/100@1000"}


def test_every_other_tick(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    for at in (0.0, 1.0, 2.0, 3.0):
        frozen.process(100, cpu_seconds=at, at=at)
    root, case = frozen.root(), on_chain(frozen.case(), 100)
    counts = []
    for at in range(4):
        root.advance(float(at))
        counts.append(len(look_at_threads(frozen.reach(root=root), case).threads))
    assert counts == [1, 0, 1, 0]


def test_no_chain_no_threads(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).process(100)
    with pytest.raises(NotHere):
        look_at_threads(frozen.reach(), frozen.case())


def test_a_chain_of_processes_that_are_gone(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).process(100)
    assert look_at_threads(frozen.reach(), on_chain(frozen.case(), 999)).threads == []
