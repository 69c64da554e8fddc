"""Places a log's lines in time, whatever its stamps leave out: zone, year, or the stamp itself.

A stamp without a zone may be local or UTC, one without a year any year's. The file tells: its last
line was written when it was last modified. The difference, in whole quarters of an hour (zones are
such), is added to every stamp of the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from weaklink.parse.log_values import epoch_time, iso_time, local_time
from weaklink.parse.sayings import stamp_of

QUARTER = 900.0
_ZONED = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|(?: ?)[+-]\d\d:?\d\d)(?![\d:])"
)
_ACCESS = re.compile(r"\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}")
_TIME = re.compile(r"\d\d:\d\d:\d\d")
"""Every stamp has it: lines without are known at once."""
_HEAD = 160
NAMES = ("time", "ts", "timestamp", "@timestamp", "asctime", "datetime", "date", "t")
"""Keys under which JSON loggers write when it was."""


class LogClock:
    """When a line was written. `shift` is added to stamps that have no zone."""

    def __init__(self, shift: float = 0.0) -> None:
        self.shift = shift

    def at(self, line: str) -> float | None:
        """Epoch seconds of a plain line, None where it shows no time."""
        head = line[:_HEAD]
        if _TIME.search(head) is None:
            return None
        if found := _ZONED.search(head):
            exact = zoned(found[0])
            if exact is not None:
                return exact
        if "/20" in head and (found := _ACCESS.search(head)):
            return local_time(found[0])
        stamp = stamp_of(head)
        return None if stamp is None else stamp.seconds + self.shift


def clock_for(lines: Iterable[str], modified: float) -> LogClock:
    """The clock of a log whose newest lines these are, last modified at that moment."""
    plain = LogClock()
    for line in reversed(list(lines)):
        stamp = stamp_of(line[:_HEAD])
        if stamp is not None and not _ZONED.search(line[:_HEAD]):
            away = modified - stamp.seconds
            return LogClock(round(away / QUARTER) * QUARTER)
    return plain


def zoned(text: str) -> float | None:
    """Epoch seconds of an ISO time with its zone; nanoseconds are cut to what Python reads."""
    text = re.sub(r"([.,]\d{6})\d+", r"\1", text.replace(",", "."))
    text = re.sub(r" (?=[+-]\d\d:?\d\d$)", "", text)
    return iso_time(text)


def of_record(record: dict[str, object], clock: LogClock) -> float | None:
    """Epoch seconds of a JSON line (names in lower case), None where it has no time."""
    for name in NAMES:
        value = record.get(name)
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, int | float):
            return epoch_time(repr(value))
        if isinstance(value, str):
            found = clock.at(value) if not value.isdigit() else epoch_time(value)
            if found is not None:
                return found
    return None
