"""What users felt, as columns, and how honest the generator was about it."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

ANSWERED = "answered"
TIMED_OUT = "timed-out"
REFUSED = "refused"
BROKEN = "broken"
ABANDONED = "abandoned"
"""The test ended while the request still waited: its latency is a lower bound."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One request as its user felt it.

    `intended` is when it was meant to start (UTC epoch seconds), `lag` how much later it was
    really sent, `latency` runs from the intended start to the last byte. Both in seconds.
    `status` is 0 when there was no answer; `outcome` says why.
    """

    intended: float
    lag: float
    latency: float
    status: int
    outcome: str
    route: str
    bytes: int


@dataclass(slots=True)
class Columns:
    """The samples of a test, one list a quantity, in the order in which they ended."""

    intended: array[float] = field(default_factory=lambda: array("d"))
    lag: array[float] = field(default_factory=lambda: array("d"))
    latency: array[float] = field(default_factory=lambda: array("d"))
    status: array[int] = field(default_factory=lambda: array("h"))
    outcome: list[str] = field(default_factory=list)
    route: list[str] = field(default_factory=list)
    bytes: array[int] = field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        return len(self.intended)

    def add(self, sample: Sample) -> None:
        """Append one sample."""
        self.intended.append(sample.intended)
        self.lag.append(sample.lag)
        self.latency.append(sample.latency)
        self.status.append(sample.status)
        self.outcome.append(sample.outcome)
        self.route.append(sample.route)
        self.bytes.append(sample.bytes)

    def where(self, keep: Callable[[int], bool]) -> Columns:
        """Give the rows whose index `keep` accepts."""
        chosen = Columns()
        for row in range(len(self)):
            if keep(row):
                chosen.add(self.row(row))
        return chosen

    def between(self, begin: float, end: float) -> Columns:
        """Give the rows meant to start in [begin, end), in epoch seconds."""
        return self.where(lambda row: begin <= self.intended[row] < end)

    def row(self, row: int) -> Sample:
        """Give one row as a sample."""
        return Sample(
            self.intended[row],
            self.lag[row],
            self.latency[row],
            self.status[row],
            self.outcome[row],
            self.route[row],
            self.bytes[row],
        )

    def failed(self, row: int) -> bool:
        """Tell whether the user of this row got no useful answer (4xx are the user's own)."""
        return self.outcome[row] != ANSWERED or self.status[row] >= 500


@dataclass(frozen=True, slots=True)
class Summary:
    """A test in figures: seconds, requests a second, shares from 0 to 1."""

    requests: int
    rate: float
    error_share: float
    p50: float
    p90: float
    p99: float
    maximum: float
    lag_p99: float
    lag_maximum: float
    honest: bool
    """False when the generator itself was so late that latencies say more of it than of the
    service: the 99th percentile of its lag is over 10 ms and over a tenth of the service's."""


def quantile(values: Sequence[float], share: float) -> float:
    """Give the smallest value that `share` of the values do not exceed (nearest rank)."""
    if not values:
        return math.nan
    ordered = sorted(values)
    rank = math.ceil(share * len(ordered))
    return ordered[min(len(ordered), max(1, rank)) - 1]


def summary(columns: Columns) -> Summary:
    """Sum up a test, all latencies counted, those of failed requests included."""
    rows = len(columns)
    spread = max(columns.intended) - min(columns.intended) if rows > 1 else 0.0
    failed = sum(columns.failed(row) for row in range(rows))
    p99, lag_p99 = quantile(columns.latency, 0.99), quantile(columns.lag, 0.99)
    return Summary(
        requests=rows,
        rate=(rows - 1) / spread if spread > 0 else math.nan,
        error_share=failed / rows if rows else math.nan,
        p50=quantile(columns.latency, 0.50),
        p90=quantile(columns.latency, 0.90),
        p99=p99,
        maximum=max(columns.latency, default=math.nan),
        lag_p99=lag_p99,
        lag_maximum=max(columns.lag, default=math.nan),
        honest=not (lag_p99 > 0.010 and lag_p99 > 0.1 * p99),
    )
