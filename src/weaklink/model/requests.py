"""What users asked, as columns: one row a request that ended, whatever log it came from.

Log time is the END of a request, so `start = time - duration`; where a log has no duration,
the column holds None and nothing is claimed about latency.
"""

from __future__ import annotations

from weaklink.model.base import Record


class Requests(Record, frozen=True):
    """Columns of equal length. Times are epoch seconds, durations seconds, sizes bytes.

    `upstream` is the LAST address that was tried, `tries` how many were; `upstream_duration` is
    the time that it took (sum over tries), `connect` the time to connect to it.
    """

    source: str
    """Target key of the log, `log:host/netns/path`."""
    link: str = ""
    """Key of the link whose log it is, once the chain is known."""
    start: list[float | None] = []
    end: list[float] = []
    duration: list[float | None] = []
    status: list[int] = []
    method: list[str] = []
    path: list[str] = []
    route: list[str] = []
    client: list[str] = []
    upstream: list[str] = []
    upstream_status: list[int] = []
    upstream_duration: list[float | None] = []
    tries: list[int] = []
    connect: list[float | None] = []
    """Empty where the log does not tell."""
    sent: list[int] = []
    covered_from: float = 0.0
    """From when on the log was read; what is older was not looked at."""
    resolution: float = 0.001
    """The step of `end`, seconds: 1.0 for a log that writes whole seconds."""
    skipped: int = 0
    """Lines that did not fit the format."""

    def __len__(self) -> int:
        return len(self.end)
