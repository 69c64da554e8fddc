"""What programs say in their logs, summed up by what was said; only the lines kept are quoted."""

from __future__ import annotations

from weaklink.model.base import Record


class Saying(Record, frozen=True, tag=True):
    """One kind of statement of one program's log: how often, the first, the last, its figures.

    Statements with the same `code` and the same `about` (a pid, an upstream, a model) are one.
    """

    tool: str
    code: str
    about: str = ""
    count: int = 1
    line: str = ""
    """The first such line, redacted."""
    last_line: str = ""
    """The last one, '' where there is only one."""
    at: str = ""
    """Its time as printed."""
    last_at: str = ""
    seconds: float | None = None
    """Time of day or epoch seconds of the first, for differences within one log."""
    last_seconds: float | None = None
    values: dict[str, float] = {}
    """Figures: of the line in which the first of them was largest."""
    words: dict[str, str] = {}


class AccessDigest(Record, frozen=True, tag=True):
    """An access log, summed up. Durations in seconds, None where the log has none."""

    format: str
    requests: int
    statuses: dict[str, int] = {}
    routes_failing: dict[str, int] = {}
    median: float | None = None
    p99: float | None = None
    slowest: float | None = None
    span: float | None = None
    """Seconds from the first to the last line."""
    failing_upstreams: dict[str, int] = {}
    """Requests by the upstream that answered last, where the answer was 502, 503 or 504."""
    upstreams: dict[str, int] = {}
    retried: int = 0
    """Requests for which more than one upstream was tried."""
    at_limit: float | None = None
    """A whole number of seconds at which several failed requests ended: a proxy's timeout."""
    at_limit_count: int = 0
    lines: dict[str, str] = {}
    """One example line by status, and `slowest`, `at_limit`."""
    skipped: int = 0
    sampled: bool = False
    """Only the last part of it was looked at."""
