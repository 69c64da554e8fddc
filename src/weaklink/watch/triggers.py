"""When to look deep: what users feel first, then what will soon hurt them. Each with hysteresis.

A trigger fires when its condition held for some seconds, and not again before it was calm for a
while. Thresholds stand here, each with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from weaklink.watch.felt import LEAST, Moment

SLOW_SHARE = 0.05
"""Of the requests, beyond their route's normal: one in twenty is what P99 shows tenfold."""
ERROR_SHARE = 0.02
ROSE = 3.0
"""Times the share of before: a service with steady errors is not looked at each minute."""
LOST_RATE = 0.5
"""Of the requests a second: goodput that halves within seconds is no evening."""
STALL_SECONDS = 8
"""Without a single request that ended, where more than one a second was usual."""
MEMORY_STALL = 0.2
"""Share of time in which some task waited for memory (PSI): 10 % is felt, 20 % hurts."""
FULL_WITHIN = 3600.0
"""Seconds until a file system is full at its present pace: time enough to act."""


class Readings(NamedTuple):
    """What triggers are told at each tick."""

    now: float
    felt: Moment | None
    memory_stall: float
    """Share of the last ten seconds (PSI some)."""
    full_in: Mapping[str, float]
    """Mount to seconds until it is full, of those that fill."""
    grown_foreign_gpu: float = 0.0
    """Bytes of GPU memory that a process off the chain took within a minute."""


@dataclass
class Trigger:
    """One trigger and where it stands."""

    name: str
    test: Callable[[Readings], bool]
    says: str
    held: int = 3
    """Ticks that it must hold."""
    calm: int = 60
    """Ticks of calm before it may fire again."""
    for_ticks: int = field(default=0, init=False)
    calm_ticks: int = field(default=1 << 30, init=False)

    def step(self, readings: Readings) -> bool:
        """Whether it fires now."""
        if not self.test(readings):
            self.for_ticks = 0
            self.calm_ticks += 1
            return False
        self.for_ticks += 1
        if self.for_ticks < self.held:
            return False
        fires = self.calm_ticks >= self.calm
        self.calm_ticks = 0
        return fires


def _felt(readings: Readings) -> Moment | None:
    felt = readings.felt
    return felt if felt is not None and felt.requests >= LEAST else None


def _slow(readings: Readings) -> bool:
    felt = _felt(readings)
    return felt is not None and felt.slow >= max(SLOW_SHARE, ROSE * felt.slow_before)


def _errors(readings: Readings) -> bool:
    felt = _felt(readings)
    return felt is not None and felt.errors >= max(ERROR_SHARE, ROSE * felt.errors_before)


def _goodput(readings: Readings) -> bool:
    felt = readings.felt
    if felt is None or felt.rate_before < 1.0:
        return False
    good = felt.rate * (1 - felt.errors)
    return good < LOST_RATE * felt.rate_before * (1 - felt.errors_before)


def _stalled(readings: Readings) -> bool:
    felt = readings.felt
    return felt is not None and felt.rate_before >= 1.0 and felt.silent >= STALL_SECONDS


def triggers() -> list[Trigger]:
    """All of them, fresh."""
    return [
        Trigger("slow", _slow, "requests are slower than their route normally is"),
        Trigger("errors", _errors, "requests fail more often than before"),
        Trigger("goodput", _goodput, "far fewer requests succeed than before", held=5),
        Trigger("progress", _stalled, "no request ends any more", held=2),
        Trigger(
            "memory", lambda r: r.memory_stall >= MEMORY_STALL, "tasks wait for memory", held=5
        ),
        Trigger(
            "filling",
            lambda r: any(left < FULL_WITHIN for left in r.full_in.values()),
            "a file system will be full within the hour",
            held=30,
            calm=1800,
        ),
    ]
