"""When to send a helper: a look around when somebody new stays, a deep look when it hurts.

A helper is a program of its own: what it imports and what it meets never weighs on the loop.
"""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from weaklink.recorder import place
from weaklink.watch.aside import Answer, Aside

SCENE_EVERY = 900.0
SCENE_FIRST = 1.0
SCENE_SOONEST = 20.0
"""Seconds after a look around in which another is worth its 0.3 s of CPU, if something that stays
has come: doubled each time it turned out that nothing new listens."""
STAYS = 5.0
"""Seconds that a process lives before it is taken for one that stays."""
DEEP_EVERY = 60.0
"""Seconds between two deep looks: at most one a minute."""
HELPER_SECONDS = 30.0


class Settings(msgspec.Struct, frozen=True):
    """What a person chose; folders are None where nothing may be written."""

    folder: Path | None
    spare: Path | None
    cap: int = place.CAP_BYTES
    hours: float = place.HOURS
    deep: bool = True
    window: float = 6.0
    cases: Path | None = None


class Helpers:
    """At most one at a time; see the module."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.aside = Aside()
        self.deep_looks = 0
        self._scene_due = time.monotonic() + SCENE_FIRST
        self._scene_at = 0.0
        self._scene_gap = SCENE_SOONEST
        self._listeners: set[tuple[str, str]] = set()
        self._newcomers: dict[str, float] = {}
        self._deep_due = 0.0
        self._because = ""

    def came(self, process: str) -> None:
        """A process started."""
        self._newcomers[process] = time.monotonic()

    def went(self, process: str) -> None:
        """It ended."""
        self._newcomers.pop(process, None)

    def want_deep(self, because: str) -> None:
        """It hurts: look deep as soon as that is allowed. The first reason stays."""
        self._because = self._because or because

    def learned(self, listeners: set[tuple[str, str]]) -> None:
        """Who listens, as the last look around saw it: nothing new makes the next one wait."""
        same = listeners <= self._listeners
        self._listeners = listeners
        self._scene_gap = min(SCENE_EVERY, 2 * self._scene_gap) if same else SCENE_SOONEST
        self._newcomers = {k: at for k, at in self._newcomers.items() if at > self._scene_at}

    def step(self) -> Answer | None:
        """The answer of one that has ended, if one has; and another is sent if it is time."""
        answer = self.aside.take()
        if self.aside.busy:
            return answer
        now = time.monotonic()
        if self._because and self.settings.deep and now >= self._deep_due:
            self._look_deep(now)
        elif now >= self._scene_due or (
            now >= self._scene_at + self._scene_gap and self._somebody_stays(now)
        ):
            self._scene_at, self._scene_due = now, now + SCENE_EVERY
            self.aside.start("scene", ["watch", "--helper", "scene"], HELPER_SECONDS)
        return answer

    def _look_deep(self, now: float) -> None:
        arguments = ["watch", "--helper", "deep", "--for", f"{self.settings.window:g}s"]
        if self.settings.folder is not None:
            arguments += ["--box", str(self.settings.folder)]
        arguments += ["--because", self._because]
        if self.aside.start("deep", arguments, HELPER_SECONDS + self.settings.window):
            self._deep_due = now + DEEP_EVERY
            self.deep_looks += 1
            self._because = ""

    def _somebody_stays(self, now: float) -> bool:
        """Whether a process came after the last look around, and has not gone again."""
        return any(self._scene_at < at <= now - STAYS for at in self._newcomers.values())
