"""The library that a process's CPU is in, of real processes: on the chain, outside, gone."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain, Link
from weaklink.model.fact import Process
from weaklink.probes import cpu_profile as room
from weaklink.probes.cpu_profile import cpu_profile
from weaklink.probes.process_table import Table
from weaklink.reach.host import NotAllowed, NotHere
from weaklink.reach.perf_events import Sampling, sample_cpus
from weaklink.reach.perf_ring import CpuSample
from weaklink.testing.servers import bare_case, fact_of, hands, running

HASHING = """
import hashlib, pathlib
pathlib.Path("ready").touch()
data = bytes(1 << 20)
while True:
    hashlib.sha256(data).digest()
"""
SPINNING = """
import pathlib
pathlib.Path("ready").touch()
while True:
    pass
"""


def start_ticks(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def live_fact(pid: int) -> Process:
    return fact_of(pid, "python3", start_ticks=start_ticks(pid), uid=os.geteuid())


def nobody(number: int, ppid: int = 1) -> Process:
    """A process that cannot be: its pid is above the kernel's largest."""
    pid = 2**22 + number
    return Process(
        key=f"process:h1/-/{pid}@1",
        pid=pid,
        ppid=ppid,
        start_ticks=1,
        start=0.0,
        name="x",
        state="S",
    )


def case_of(*chain: Process, others: tuple[Process, ...] = ()) -> Case:
    links = [Link(key="l", name="x", role="app", pids=[one.pid for one in chain])]
    return grow(bare_case(*chain, *others), chain=Chain(links=links))


@pytest.fixture(name="hashing")
def _hashing(tmp_path: Path) -> Iterator[Process]:
    try:
        sample_cpus(0.0, None, [os.getpid()])
    except (NotAllowed, NotHere) as outcome:
        pytest.skip(outcome.reason.key)
    with running([sys.executable, "-c", HASHING], tmp_path) as child:
        yield started(child, tmp_path)


def started(child: subprocess.Popen[bytes], folder: Path) -> Process:
    while not (folder / "ready").exists():
        assert child.poll() is None
    return live_fact(child.pid)


def test_the_library_that_burns_the_cpu_is_found(hashing: Process) -> None:
    take = cpu_profile(hands(2.5), case_of(hashing))
    (row,) = [row for row in take.cpu_samples if row.process == hashing.key]
    assert row.samples == row.kernel + sum(row.libraries.values())
    assert row.samples >= 20
    assert row.hertz * row.seconds * (os.cpu_count() or 1) >= row.samples * 0.8
    hashes = row.libraries.get("libcrypto", 0) + row.libraries.get("_sha2", 0)
    hashes += row.libraries.get("_hashlib", 0)
    assert hashes > 0.8 * sum(row.libraries.values())


@pytest.mark.needs("root")
def test_the_interpreter_itself_and_who_burns_outside(hashing: Process, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    with running([sys.executable, "-c", SPINNING], folder) as child:
        other = started(child, folder)
        take = cpu_profile(hands(2.5), case_of(hashing, others=(other,)))
    rows = {row.process: row for row in take.cpu_samples}
    assert hashing.key in rows
    largest = max(rows[other.key].libraries.items(), key=lambda pair: pair[1])[0]
    assert largest.startswith(("python", "libpython"))
    assert take.looks == []


def test_ours_and_those_that_nobody_knows_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    me = live_fact(os.getpid())
    samples = [CpuSample(pid, pid, 1, False) for pid in (me.pid, 2**22 + 5)] * 30
    given(monkeypatch, samples)
    assert cpu_profile(hands(0.3), case_of(me)).cpu_samples == []


def given(
    monkeypatch: pytest.MonkeyPatch, samples: list[CpuSample], lost: int = 0, everybody: bool = True
) -> None:
    made = Sampling(samples, 49.0, 2.0, lost, everybody)
    monkeypatch.setattr(room, "sample_cpus", lambda *_: made)


def test_maps_of_another_process_under_the_same_pid_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(["/usr/bin/sleep", "30"], tmp_path) as child:
        fact = live_fact(child.pid)
        before = structs.replace(fact, start_ticks=fact.start_ticks - 1)
        text = Path(f"/proc/{child.pid}/maps").read_text()
        address = int(next(r for r in text.splitlines() if "r-xp" in r).split("-")[0], 16)
        given(monkeypatch, [CpuSample(child.pid, child.pid, address, False)] * 5)
        monkeypatch.setattr(room, "table", lambda _: Table())
        (row,) = cpu_profile(hands(0.3), case_of(before)).cpu_samples
        assert row.libraries == {"?": 5}
        (row,) = cpu_profile(hands(0.3), case_of(fact)).cpu_samples
    assert "?" not in row.libraries
    assert sum(row.libraries.values()) == 5


def test_one_that_ended_still_counts_without_its_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(["/usr/bin/sleep", "30"], tmp_path) as child:
        fact = live_fact(child.pid)
    given(
        monkeypatch,
        [CpuSample(fact.pid, 1, 0x10, False)] * 4 + [CpuSample(fact.pid, 1, 0x20, True)] * 2,
    )
    (row,) = cpu_profile(hands(0.3), case_of(fact)).cpu_samples
    assert (row.samples, row.kernel, row.libraries) == (6, 2, {"?": 4})


@pytest.mark.parametrize("count", [1, 2])
def test_maps_are_not_read_for_a_handful_of_samples(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = nobody(7)
    given(monkeypatch, [CpuSample(one.pid, 1, 0x10, False)] * count)
    assert cpu_profile(hands(0.3), case_of(one)).cpu_samples == []


def test_children_of_the_chain_belong_to_it_and_idle_others_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain = nobody(7)
    child = nobody(8, ppid=chain.pid)
    other = nobody(9)
    given(
        monkeypatch,
        [CpuSample(pid, 1, 0x10, False) for pid in (chain.pid, child.pid, other.pid)] * 4,
    )
    take = cpu_profile(hands(0.3), case_of(chain, others=(child, other)))
    assert [row.process for row in take.cpu_samples] == [chain.key, child.key]


def test_what_could_not_be_seen_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    me = live_fact(os.getpid())
    given(monkeypatch, [CpuSample(me.pid, 1, 1, False)] * 10, lost=30, everybody=False)
    looks = cpu_profile(hands(0.3), case_of(me)).looks
    assert [(look.outcome, look.reason.key if look.reason else "") for look in looks] == [
        ("denied", "cpu-profile.own-only"),
        ("failed", "cpu-profile.lost"),
    ]
    assert looks[0].remedy


def test_no_chain_no_samples() -> None:
    with pytest.raises(NotHere):
        cpu_profile(hands(0.3), bare_case())


def test_refused_by_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    from weaklink.reach import perf_events

    def refuse(*_: object) -> None:
        raise perf_events._refusal(errno.EPERM)

    monkeypatch.setattr(perf_events, "_open", refuse)
    with pytest.raises(NotAllowed):
        cpu_profile(hands(0.5), case_of(live_fact(os.getpid())))
