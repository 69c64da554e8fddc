"""What inference servers say in logs and metrics; None where the text does not say."""

from __future__ import annotations

from weaklink.model.base import Record


class EngineSample(Record, frozen=True, tag=True):
    """One report of an engine about its queue, cache and speed."""

    engine: str
    running: float | None = None
    waiting: float | None = None
    swapped: float | None = None
    kv_used: float | None = None
    """Share of the KV cache in use, 0 to 1."""
    prompt_rate: float | None = None
    """Prompt tokens a second."""
    output_rate: float | None = None
    """Generated tokens a second."""
    prefix_hits: float | None = None
    at: str = ""
    member: str = ""
    """Which rank, engine or model."""
    measured: bool = False
    """From metrics: a gauge now, where rates are unknown."""
    line: str = ""
    lines: dict[str, str] = {}


class EngineTotals(Record, frozen=True, tag=True):
    """Counters of an engine since its start, from its metrics; times in seconds."""

    engine: str
    member: str = ""
    requests: float | None = None
    failed: float | None = None
    executions: float | None = None
    preemptions: float | None = None
    first_token_seconds: float | None = None
    first_token_count: float | None = None
    first_token_buckets: list[tuple[float, float]] = []
    """(upper bound in seconds, cumulative count), ascending."""
    total_seconds: float | None = None
    total_count: float | None = None
    queue_seconds: float | None = None
    compute_seconds: float | None = None
    output_tokens: float | None = None
    reasons: dict[str, float] = {}
    """Finished requests by reason: stop, length, abort, error …"""
    open_files: float | None = None
    max_files: float | None = None
    lines: dict[str, str] = {}


class CollectiveTimeout(Record, frozen=True, tag=True):
    """One rank that waited in a collective until its watchdog gave up; seconds."""

    rank: int | None
    operation: str
    sequence: int | None = None
    limit: float | None = None
    waited: float | None = None
    completed: int | None = None
    enqueued: int | None = None
    line: str = ""


class MemoryShortage(Record, frozen=True, tag=True):
    """A CUDA allocation that failed, or a start refused for lack of memory; bytes."""

    device: str = ""
    wanted: float | None = None
    total: float | None = None
    free: float | None = None
    ours: float | None = None
    """Held by the process itself, reserved included."""
    allocated: float | None = None
    reserved_unused: float | None = None
    other: list[tuple[str, float]] = []
    """Other processes that the message names (pid, bytes)."""
    at_start: bool = False
    line: str = ""
