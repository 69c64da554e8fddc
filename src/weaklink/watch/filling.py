"""How soon a file system is full, from its free bytes over the last half hour."""

from __future__ import annotations

from collections import deque

SPAN = 1800.0
LEAST_SECONDS = 120.0
NEAR_FULL = 0.3
"""Share that is free, above which nothing is said: a night's backup fills a tenth in minutes."""


class Filling:
    """Free bytes by mount, each reading with its moment (monotonic seconds)."""

    def __init__(self) -> None:
        self._past: dict[str, deque[tuple[float, float]]] = {}
        self._size: dict[str, float] = {}

    def add(self, path: str, at: float, size: float, free: float) -> None:
        """One reading."""
        past = self._past.setdefault(path, deque())
        past.append((at, free))
        self._size[path] = size
        while past[0][0] < at - SPAN:
            past.popleft()

    def full_in(self) -> dict[str, float]:
        """Seconds until it is full by mount, of those that fill; the slower of two paces counts."""
        found = {}
        for path, past in self._past.items():
            (first, before), (last, free) = past[0], past[-1]
            if last - first < LEAST_SECONDS or free > NEAR_FULL * self._size[path]:
                continue
            middle = past[len(past) // 2]
            paces = [
                (before - free) / (last - first),
                (middle[1] - free) / (last - middle[0]) if last > middle[0] else 0.0,
            ]
            if min(paces) > 0:
                found[path] = free / min(paces)
        return found
