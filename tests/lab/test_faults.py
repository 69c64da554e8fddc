"""Faults are found by walking the package, and one's own folder."""

from pathlib import Path

import pytest

from weaklink_lab import faults
from weaklink_lab.truth import Truth

TEN = {
    "cache-mass-expiry",
    "hot-key-expiry",
    "preprocess-on-cpu",
    "worker-frozen",
    "upstream-down",
    "peers-ejected",
    "cpu-throttled",
    "cpu-noisy-neighbour",
    "oom-killed",
    "slow-command",
}


def test_the_ten_causes_and_the_controls_are_there() -> None:
    known = faults.known()
    assert {name for name, fault in known.items() if not fault.control} >= TEN
    assert len([fault for fault in known.values() if fault.control]) >= 6
    assert all(fault.title for fault in known.values())


def test_two_faults_of_one_name_are_refused() -> None:
    faults.known()
    with pytest.raises(ValueError, match="two faults"):
        faults.way_in("healthy", "again")(lambda _ground: Truth("", ("none",)))


def test_faults_of_ones_own_are_loaded_from_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults.known()  # before the copy: what is imported registers only once
    monkeypatch.setattr(faults, "_IN", dict(faults._IN))
    (tmp_path / "mine.py").write_text(
        "from weaklink_lab.faults import way_in\n"
        "from weaklink_lab.truth import Truth\n"
        "@way_in('mine', 'a fault of my own')\n"
        "def enter(ground):\n"
        "    return Truth('mine', ('none',))\n"
    )
    faults.load_folder(tmp_path)
    assert faults.known()["mine"].title == "a fault of my own"
