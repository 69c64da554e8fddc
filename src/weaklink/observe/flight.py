"""Requests that have not ended: they are in no log yet, the sockets of the entry show them.

The end that serves a connection got its last bytes (a request) more recently than it sent any:
then somebody waits, since `received_age` seconds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.target import parse_target

LONG = 3.0
"""Seconds: where nothing is known of a service, a younger request is not said to wait for long."""
LEAST_STUCK = 4
"""Three can be one client."""
LEAST_TICKS = 3
LEAST_WATCHED = 4.0
"""Seconds in which nobody was answered: shorter is a pause between two answers."""


class InFlight(NamedTuple):
    """Requests outstanding at the last reading of the sockets: that moment, and their ages."""

    at: float
    ages: list[float]

    @property
    def requests(self) -> int:
        """How many are outstanding."""
        return len(self.ages)

    @property
    def oldest(self) -> float:
        """Seconds since the oldest came in; 0 for none."""
        return max(self.ages, default=0.0)

    def hanging(self, longer_than: float) -> list[float]:
        """When those started that have waited longer than this, epoch seconds."""
        return [self.at - age for age in self.ages if age > longer_than]


def in_flight(case: Case, entry: str) -> InFlight | None:
    """At an entry, at the last tick; None where its sockets tell no ages."""
    return next(iter(_ticks(case, entry)[-1:]), None)


def stuck(case: Case, entry: str) -> InFlight | None:
    """Requests that wait where nobody knows how long is normal, if they surely wait for too long.

    Either they pile up: at the window's end far more have waited LONG than at its beginning, by
    three standard deviations of a Poisson count, so that a service of long answers in its usual
    state is none. Or nobody was answered: all that were there at its beginning still are, and more
    came; clients that hold a request open by design (long polling) do not become more. Or nobody
    even accepts: connections stood before its door at every reading.
    """
    outside = _unaccepted(case, entry)
    if outside is not None:
        return outside
    ticks = _ticks(case, entry)
    if len(ticks) < LEAST_TICKS:
        return None
    first, last = ticks[0], ticks[-1]
    before, now = len(first.hanging(LONG)), len(last.hanging(LONG))
    if now < LEAST_STUCK:
        return None
    piles_up = now - before > 1 + 3 * math.sqrt(before + 1)
    waited = [age for age in last.ages if age >= last.at - first.at]
    nobody = (
        last.at - first.at >= LEAST_WATCHED
        and len(waited) >= first.requests
        and last.requests - first.requests >= LEAST_STUCK
    )
    return last if piles_up or nobody else None


def _unaccepted(case: Case, entry: str) -> InFlight | None:
    """Connections that nobody accepted in all the time of looking; None where that is few."""
    link = case.chain.link(entry)
    for row in case.series if link is not None else ():
        if row.quantity != "listener_queue" or len(row.values) < LEAST_TICKS:
            continue
        target = parse_target(row.target)
        waited = row.times[-1] - row.times[0]
        ours = link is not None and target.name in link.listen and target.netns == link.netns
        if ours and waited >= LEAST_WATCHED and min(row.values) >= LEAST_STUCK:
            return InFlight(row.times[-1], [waited] * int(row.values[-1]))
    return None


def _ticks(case: Case, entry: str) -> list[InFlight]:
    """The requests outstanding at each reading of the sockets, oldest reading first."""
    link = case.chain.link(entry)
    if link is None:
        return []
    pids = set(link.pids)
    served = [
        connection
        for connection in case.connections
        if connection.pid in pids and link.serves(connection.local)
    ]
    ages: dict[float, list[float]] = {}
    for connection in served:
        if connection.received_age is not None:
            age = connection.owed_age
            ages.setdefault(connection.at, []).extend([] if age is None else [age])
    return [InFlight(at, sorted(found)) for at, found in sorted(ages.items())]
