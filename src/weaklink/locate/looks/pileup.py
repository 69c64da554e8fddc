"""Where requests pile up: told by sockets alone, whatever language the service is written in.

For every link and moment: requests that came in and were not answered, less requests that it sent
on and that were not answered to it. What is left is inside the link itself (Little's law: the mean
number inside is the rate times the time that each spends there).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact import Connection
from weaklink.stats.robust import ramp
from weaklink.words import sign

PILES_UP = sign(
    "link.requests-pile-up",
    "kernel-counters",
    "Requests came in and are neither answered nor passed on: they are inside this link.",
    "{inside} requests are inside it[, the oldest since {oldest:seconds}]; {below} wait below it",
    hurts=True,
)
WAITS_BELOW = sign(
    "link.waits-below",
    "kernel-counters",
    "Most requests inside this link wait for an answer from a link that it calls.",
    "{below} of {inside} requests in it wait for what it calls",
)
OLD_ENOUGH = 0.5
"""Seconds: a request younger than this is just being worked on."""
PILE = (1.0, 4.0)
"""Mean number of old requests inside: one may be a slow question, four are a pile."""
SLACK = 5.0
"""Seconds before the onset from which on an open request still belongs to the incident; older
ones are blocking reads and streams that were open all along."""


class Inside(NamedTuple):
    """Means over the readings: owed to callers, awaited from callees, unaccepted; oldest age."""

    owed: float
    awaited: float
    unaccepted: float
    oldest: float

    @property
    def own(self) -> float:
        """Requests that are neither answered nor passed on."""
        return max(0.0, self.owed - self.awaited) + self.unaccepted


@look("hops")
def pileup(view: View) -> Iterable[Judged]:
    """Which link holds the requests that users wait for."""
    for link in view.on_chain():
        held = inside(view, link)
        if held is None:
            continue
        strength = ramp(held.own, *PILE)
        yield evidence(
            PILES_UP,
            link.processes[0] if link.processes else link.key,
            strength,
            link=link.key,
            value=round(held.own, 2),
            command="ss -tinpH state established",
            inside=round(held.own, 1),
            below=round(held.awaited, 1),
            **({"oldest": round(held.oldest, 1)} if held.oldest else {}),  # type: ignore[arg-type]
        )
        if held.owed >= PILE[0] and view.chain.callees(link.key):
            share = min(1.0, held.awaited / held.owed)
            yield evidence(
                WAITS_BELOW,
                link.key,
                ramp(share, 0.5, 0.9),
                link=link.key,
                value=round(share, 3),
                inside=round(held.owed, 1),
                below=round(held.awaited, 1),
            )


def inside(view: View, link: Link) -> Inside | None:
    """What a link holds, as means over the readings of its sockets; None without any."""
    if not view.ticks:
        return None
    owed: dict[float, float] = defaultdict(float)
    awaited: dict[float, float] = defaultdict(float)
    oldest = 0.0
    seen = False
    for connection in view.connections(link):
        if connection.received_age is None or connection.sent_age is None:
            continue
        seen = True
        if not _of_incident(view, connection):
            continue
        served = link.serves(connection.local)
        age = connection.owed_age if served else connection.awaited_age
        if age is None or age < OLD_ENOUGH:
            continue
        if served:
            owed[connection.at] += 1
            oldest = max(oldest, age)
        else:
            awaited[connection.at] += 1
    if not seen and not _queue(view, link):
        return None
    count = len(view.ticks)
    return Inside(
        sum(owed.values()) / count, sum(awaited.values()) / count, _queue(view, link), oldest
    )


def _queue(view: View, link: Link) -> float:
    """Mean number of connections that wait to be accepted at a link's listeners."""
    total = 0.0
    for key in view.targets_of("listener_queue"):
        address = key.split("/", 2)[-1]
        if address in link.listen and key.split("/")[1] == link.netns:
            row = view.series("listener_queue", key)
            if row and row.values:
                total += sum(row.values) / len(row.values)
    return total


def _of_incident(view: View, connection: Connection) -> bool:
    """Not an old blocking read or stream: the open request is younger than the users' pain."""
    if view.onset is None:
        return True
    age = min(connection.received_age or 0.0, connection.sent_age or 0.0)
    return connection.at - age >= view.onset - SLACK
