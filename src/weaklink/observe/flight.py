"""Requests that have not ended: they are in no log yet, the sockets of the entry show them.

The end that serves a connection got its last bytes (a request) more recently than it sent any:
then somebody waits, since `received_age` seconds.
"""

from __future__ import annotations

from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.fact import Connection


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


def outstanding_age(connection: Connection) -> float | None:
    """Seconds since a request came in that was not answered yet; None if nothing is owed."""
    received, sent = connection.received_age, connection.sent_age
    if connection.state != "established" or received is None or sent is None:
        return None
    return received if received < sent else None


def in_flight(case: Case, entry: str) -> InFlight | None:
    """At an entry, at the last tick; None where its sockets tell no ages."""
    link = case.chain.link(entry)
    if link is None:
        return None
    pids, addresses = set(link.pids), set(link.listen)
    served = [
        connection
        for connection in case.connections
        if connection.pid in pids and _served(connection.local, addresses)
    ]
    known = [connection for connection in served if connection.received_age is not None]
    if not known:
        return None
    last = max(connection.at for connection in known)
    ages = [
        age
        for connection in known
        if connection.at == last and (age := outstanding_age(connection)) is not None
    ]
    return InFlight(last, sorted(ages))


def _served(local: str, addresses: set[str]) -> bool:
    port = local.rpartition(":")[2]
    return local in addresses or any(
        address.rpartition(":")[2] == port and address.startswith(("0.0.0.0:", "[::]:", "*:"))
        for address in addresses
    )
