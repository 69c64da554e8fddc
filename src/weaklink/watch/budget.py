"""What watching itself may cost: over budget, or while the host is short, it looks less often."""

from __future__ import annotations

import os
import time
from collections import deque

CPU_PER_MINUTE = 0.5
"""CPU seconds (PROMISES P1), helpers that look deep left out: they run at most once a minute."""
SHORT = 0.5
"""Share of time in which some task waited for a CPU or memory: then others need it more."""
MOST = 16
SPAN = 60.0


class Budget:
    """Keeps its own books; `thinner` is how much longer turns become."""

    def __init__(self, allowed: float = CPU_PER_MINUTE) -> None:
        self.allowed = allowed
        self.thinner = 1
        self._marks: deque[tuple[float, float]] = deque()
        self._changed = time.monotonic()

    def step(self, stalled: float) -> None:
        """To be called each tick; `stalled` is the share of time that tasks waited (PSI)."""
        now = time.monotonic()
        self._marks.append((now, time.process_time()))
        while len(self._marks) > 2 and now - self._marks[0][0] > SPAN:
            self._marks.popleft()
        if now - self._changed < SPAN / 6:
            return
        self._changed = now
        if self.per_minute > self.allowed and len(self._marks) > 10:
            self.thinner = min(MOST, self.thinner * 2)
        elif stalled >= SHORT:
            self.thinner = min(MOST, max(2, self.thinner))
        elif self.per_minute < self.allowed / 2 and self.thinner > 1:
            self.thinner //= 2

    @property
    def per_minute(self) -> float:
        """CPU seconds a minute, over the last minute."""
        if len(self._marks) < 2:
            return 0.0
        (first, before), (last, now) = self._marks[0], self._marks[-1]
        return 60 * (now - before) / (last - first) if last > first else 0.0

    @property
    def resident(self) -> int:
        """Bytes of memory that we hold."""
        try:
            with open("/proc/self/statm", "rb") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            return 0
