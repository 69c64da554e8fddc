"""When each request is meant to start: decided before the test, whatever the service does."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Arrivals = Literal["constant", "poisson"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a test: `rate` requests a second for `seconds` (None: until stopped)."""

    rate: float
    seconds: float | None = None

    def __post_init__(self) -> None:
        if not self.rate > 0:
            raise ValueError(f"a rate must be positive, not {self.rate!r}")
        if self.seconds is not None and self.seconds < 0:
            raise ValueError(f"a stage cannot last {self.seconds!r} s")


def intended_starts(
    stages: tuple[Stage, ...], arrivals: Arrivals = "poisson", seed: int = 0
) -> Iterator[float]:
    """Give the moments at which requests are meant to start, in seconds from the test's begin.

    The same seed gives the same moments. Poisson arrivals are what many independent users
    make; constant ones suit a test whose truth is to be computed by hand.
    """
    draw = random.Random(seed)  # noqa: S311 - a schedule, not a secret
    begin = 0.0
    for stage in stages:
        end = math.inf if stage.seconds is None else begin + stage.seconds
        at = begin
        while (at := at + _gap(stage.rate, arrivals, draw)) <= end:
            yield at
        begin = end


def _gap(rate: float, arrivals: Arrivals, draw: random.Random) -> float:
    return draw.expovariate(rate) if arrivals == "poisson" else 1.0 / rate
