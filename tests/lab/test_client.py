"""Samples are written and read back, a torn last line is left out."""

from pathlib import Path

from weaklink.capacity.results import Sample
from weaklink_lab import client


def test_samples_survive_the_file(tmp_path: Path) -> None:
    path = tmp_path / "load.csv"
    sample = Sample(1000.5, 0.001, 0.25, 200, "answered", "/v1/preview", 1234)
    path.write_text(f"{client.HEADER}\n{client.line(sample)}\n{client.line(sample)[:20]}")
    read = client.read(path)
    assert len(read) == 1
    assert read.row(0) == sample
    assert len(client.read(tmp_path / "missing.csv")) == 0
