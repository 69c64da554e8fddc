"""Readings over time: one quantity of one target, in the order in which it was read."""

from __future__ import annotations

from weaklink.model.base import Record


class Reading(Record, frozen=True):
    """One value of one quantity of one target at one moment (epoch seconds, UTC)."""

    quantity: str
    target: str
    at: float
    value: float


class Series(Record, frozen=True):
    """Many readings of one quantity of one target; `times` ascending, epoch seconds."""

    quantity: str
    target: str
    times: list[float]
    values: list[float]


def to_series(readings: list[Reading]) -> list[Series]:
    """Gather readings into one series per quantity and target, ordered by time."""
    rows: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for reading in readings:
        rows.setdefault((reading.quantity, reading.target), []).append((reading.at, reading.value))
    gathered = []
    for (name, key), pairs in sorted(rows.items()):
        pairs.sort()
        times = [at for at, _ in pairs]
        gathered.append(
            Series(quantity=name, target=key, times=times, values=[value for _, value in pairs])
        )
    return gathered
