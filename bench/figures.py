"""One figure of the bench: measured here, beside a peer measured in the same run."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

RESULTS = Path(__file__).with_name("results.json")


class Figure(NamedTuple):
    """A value and, where there is one, a peer's value from the same run (same unit)."""

    name: str
    value: float
    unit: str
    promise: str = ""
    peer: str = ""
    peer_value: float | None = None

    @property
    def ratio(self) -> float | None:
        """Our value over the peer's; a ratio travels between machines, a value does not."""
        return round(self.value / self.peer_value, 3) if self.peer_value else None


def cpu_of(argv: Sequence[str]) -> tuple[float, float]:
    """CPU and wall seconds of one run of a command, its children included."""
    before = os.times()
    started = time.monotonic()
    subprocess.run(argv, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.monotonic() - started
    after = os.times()
    used = (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )
    return used, wall


def median_of(times: int, measure: Callable[[], float]) -> float:
    """The median of some runs, after one that warms caches."""
    measure()
    return statistics.median(measure() for _ in range(times))


def write(figures: Sequence[Figure], where: Path = RESULTS) -> None:
    """Print the table and write it to `bench/results.json`, or elsewhere."""
    rows = [{**figure._asdict(), "ratio": figure.ratio} for figure in figures]
    where.write_text(json.dumps({"figures": rows}, indent=2) + "\n", "utf-8")
    print(f"{'figure':44} {'value':>9} {'unit':8} {'promise':10} {'peer':30} {'value':>9} ratio")
    for figure in figures:
        peer = "" if figure.peer_value is None else f"{figure.peer_value:9.3f} {figure.ratio:.2f}"
        print(
            f"{figure.name:44} {figure.value:9.3f} {figure.unit:8} {figure.promise:10} "
            f"{figure.peer:30} {peer}"
        )
