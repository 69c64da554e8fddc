"""Rows of drills survive a file, and the table says how many were right."""

from pathlib import Path

from weaklink.capacity.results import Summary
from weaklink_lab import scoring
from weaklink_lab.hurt import Hurt
from weaklink_lab.score import Hits, Said
from weaklink_lab.truth import Truth

WAS = Summary(400, 35.0, 0.0, 0.01, 0.02, 0.3, 0.5, 0.001, 0.002, honest=True)
NOW = Summary(400, 35.0, 0.3, 0.01, 9.0, 10.0, 11.0, 0.001, 0.002, honest=True)


def row(*, control: bool = False, right: bool = True) -> scoring.Row:
    return scoring.Row(
        fault="healthy" if control else "worker-frozen",
        seed=1,
        control=control,
        truth=Truth("" if control else "worker-frozen", ("none",)),
        said=Said(0 if control else 1, "none", "", 0.0, "", "", None),
        hits=Hits(right, right, False, right, right, right),
        seconds=9.5,
        hurt=Hurt(not control, WAS, NOW, None if control else 5.0),
        broke=4.0,
        onset_error=None,
    )


def test_rows_are_read_back_as_they_were(tmp_path: Path) -> None:
    rows = [row(), row(control=True)]
    scoring.save(tmp_path / "drills.json", rows)
    assert scoring.load(tmp_path / "drills.json") == rows


def test_the_table_counts() -> None:
    text = scoring.table([row(), row(right=False), row(control=True)])
    assert "faults: 2; right: cause 1/2, link 1/2" in text
    assert "controls: 1; exit 0 in 1, nobody blamed in 1" in text
    assert "users hurt in 2" in text
