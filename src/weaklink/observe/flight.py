"""Requests that have not ended: they are in no log yet, the sockets of the entry show them.

The end that serves a connection got its last bytes (a request) more recently than it sent any:
then somebody waits, since `received_age` seconds.
"""

from __future__ import annotations

from typing import NamedTuple

from weaklink.model.case import Case


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
    link = case.chain.link(entry)
    if link is None:
        return None
    pids = set(link.pids)
    served = [
        connection
        for connection in case.connections
        if connection.pid in pids and link.serves(connection.local)
    ]
    known = [connection for connection in served if connection.received_age is not None]
    if not known:
        return None
    last = max(connection.at for connection in known)
    ages = [
        age
        for connection in known
        if connection.at == last and (age := connection.owed_age) is not None
    ]
    return InFlight(last, sorted(ages))
