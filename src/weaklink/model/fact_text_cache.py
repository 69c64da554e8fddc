"""What redis-cli prints and Redis logs, beyond what the live look reads; None where unsaid."""

from __future__ import annotations

from weaklink.model.base import Record


class CacheInfo(Record, frozen=True, tag=True):
    """Fields of INFO as printed (numbers in their own units), and the lines they stood in."""

    values: dict[str, float] = {}
    words: dict[str, str] = {}
    lines: dict[str, str] = {}
    slow_commands: dict[str, list[float]] = {}
    """From commandstats, for commands whose cost grows with the data: calls, seconds."""
    command_seconds: float | None = None


class CacheKeyRow(Record, frozen=True, tag=True):
    """One key that --bigkeys, --memkeys or --hotkeys names; the name has its identifiers masked."""

    about: str
    """`big` or `hot`."""
    key: str
    sort: str = ""
    size: float = 0.0
    """Elements, or bytes of a string; for hot keys the LFU counter, which is logarithmic."""
    unit: str = ""
    line: str = ""


class CacheLatency(Record, frozen=True, tag=True):
    """One kind of latency spike as LATENCY DOCTOR or LATENCY LATEST tells; seconds."""

    event: str
    spikes: int | None = None
    average: float | None = None
    deviation: float | None = None
    period: float | None = None
    latest: float | None = None
    worst: float | None = None
    line: str = ""


class CacheClients(Record, frozen=True, tag=True):
    """A digest of CLIENT LIST. Ages in seconds, sizes in bytes."""

    clients: int
    blocked: int = 0
    subscribers: int = 0
    never_used: int = 0
    """Clients (no subscribers, no replicas) whose idle time equals their age."""
    idle_hour: int = 0
    oldest_idle: float = 0.0
    busiest: str = ""
    """Host with most connections, and how many."""
    busiest_count: int = 0
    largest_output: float = 0.0
    line: str = ""
    """The line of one client that was never used, else of the one with the largest output."""


class CacheStat(Record, frozen=True, tag=True):
    """A digest of redis-cli --stat: the last line, and requests a second over the whole of it."""

    keys: float
    memory: float
    clients: int
    blocked: int
    requests: float | None = None
    """A second, from the growth between lines; None with one line only."""
    connections: float | None = None
    """New ones a second."""
    line: str = ""


class CacheProbe(Record, frozen=True, tag=True):
    """What redis-cli --latency and --intrinsic-latency measured; seconds."""

    kind: str
    """`round-trip` or `intrinsic`."""
    average: float | None = None
    maximum: float | None = None
    samples: int | None = None
    line: str = ""


class CacheCount(Record, frozen=True, tag=True):
    """An integer answer to a command: `SLOWLOG LEN`, `DBSIZE`."""

    command: str
    value: float
    line: str = ""
