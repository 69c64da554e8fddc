"""What a JVM prints: garbage collection logs and thread dumps; times in seconds, sizes bytes."""

from __future__ import annotations

from weaklink.model.base import Record


class FullCollection(Record, frozen=True):
    """One stop-the-world collection of the whole heap."""

    cause: str
    seconds: float
    before: float | None = None
    after: float | None = None
    capacity: float | None = None
    at: float | None = None
    line: str = ""


class GcDigest(Record, frozen=True, tag=True):
    """One GC log, summed up."""

    collector: str = ""
    pauses: int = 0
    paused_seconds: float = 0.0
    longest: float = 0.0
    longest_line: str = ""
    first_at: float | None = None
    last_at: float | None = None
    """Uptime of the first and the last pause."""
    full: int = 0
    full_seconds: float = 0.0
    full_longest: FullCollection | None = None
    full_last: FullCollection | None = None
    full_by_cause: dict[str, int] = {}
    trouble: dict[str, int] = {}
    """Named troubles: `concurrent mode failure`, `to-space exhausted`, `promotion failed` …"""
    trouble_lines: dict[str, str] = {}
    out_of_memory: str = ""
    """The line of an OutOfMemoryError that stands among it."""


class JavaThread(Record, frozen=True, tag=True):
    """One thread of a dump."""

    name: str
    state: str
    waits_for: str = ""
    """Address of the monitor or synchroniser."""
    waits_for_class: str = ""
    blocked: bool = False
    """Waits to enter a monitor or take a lock, rather than for a signal or for work."""
    holds: list[str] = []
    frames: list[str] = []
    """The innermost few."""
    daemon: bool = False
    line: str = ""
    wait_line: str = ""


class JavaDeadlock(Record, frozen=True, tag=True):
    """One deadlock that the JVM itself found: (thread, waits for thread) in the order printed."""

    waits: list[tuple[str, str]]
    lines: list[str] = []
    """The line of each thread that is held."""
    locks: list[str] = []


class HeapWatch(Record, frozen=True, tag=True):
    """A running JVM's own counters of its garbage collection, read twice, `seconds` apart."""

    process: str
    at: float
    seconds: float
    paused_seconds: float
    """Of these seconds it stood still to collect; a pause that still lasts is counted so far."""
    collections: int
    full: int
    full_seconds: float
    old_used: float
    old_max: float
    """Of the old generation, bytes; 0 where the JVM does not say."""
    reason: str = ""
    """Why it collected last, in the JVM's words: `Allocation Failure`, `System.gc()` …"""
