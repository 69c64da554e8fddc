"""What the chain's own services count: their /metrics, asked twice, at both ends of the window.

Asked is only who surely speaks HTTP to users: the entry, and links that another link of the chain
calls at that very port. Ports of other protocols and ephemeral ones (a rendezvous of workers does
not survive a stranger's bytes) are left alone. One GET each, bounded, with a deadline.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.chain import Link
from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.parse.engine_metrics import STARTED, values_of
from weaklink.parse.prometheus import samples
from weaklink.reach.host import NotAllowed, NotHere, Reach, TooLate
from weaklink.reach.http import get, unchunked
from weaklink.reach.registry import probe
from weaklink.words import texts

texts(
    {
        "metrics.none": "no service of the chain that may be asked offers metrics",
        "metrics.denied": "metrics of {name} at {address}: {status}",
        "metrics.late": "metrics of {name} at {address}: no answer in time",
    }
)

MAX_LINKS = 12
MAX_BODY = 2 << 20
ANSWER_SECONDS = 1.5
AT_ONCE = 4
EPHEMERAL = 32768
"""Linux gives ports from here on to whoever asks for any (ip_local_port_range)."""
ROLES = frozenset({"app", "inference", "unknown"})
OTHER_PROTOCOLS = frozenset(
    # ssh, smtp, dns, postgres, mysql, redis and Ray's GCS, memcached, mongo, kafka, zookeeper,
    # cassandra, nats, amqp, mqtt, gRPC's usual ports, torch's rendezvous, etcd, ZooKeeper
    (22, 25, 53, 2181, 2379, 2380, 3306, 4222, 5432, 5671, 5672, 1883, 6379, 6380, 8001, 9042,
     9092, 10001, 11211, 27017, 29400, 29500, 29501, 50051, 50052)
)  # fmt: skip
OWN_PORT = {"tritonserver": 8002, "torchserve": 8082}
"""Programs that keep their metrics at a port of its own."""


class Door(NamedTuple):
    """Where a link's metrics are asked for."""

    link: Link
    address: str
    pid: int


class Scrape(NamedTuple):
    """One answer: values by quantity, when, and which process gave it (its start, 0: unsaid)."""

    at: float
    values: dict[str, float]
    started: float


@probe(
    "metrics",
    subject="inference",
    phase="deep",
    about="the counters that services of the chain publish themselves, twice",
    touches="GET /metrics, twice, of services that users' requests reach",
    frozen=False,
)
def metrics(reach: Reach, case: Case) -> Take:
    """Readings `engine_*` and `app_*`, target the first process of the link. Raises NotHere."""
    from concurrent.futures import ThreadPoolExecutor

    doors = doors_of(case)
    if not doors:
        raise NotHere(say("metrics.none"))
    looks: list[Look] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        first = list(pool.map(lambda door: _scrape(reach, door, looks), doors))
        open_doors = [
            (door, got) for door, got in zip(doors, first, strict=True) if got is not None
        ]
        if not open_doors:
            return Take(looks=[*looks, _touched(reach, doors, 1)])
        reach.pause_until_window_ends(before=0.3)
        last = list(pool.map(lambda pair: _scrape(reach, pair[0], looks), open_doors))
    readings: list[Reading] = []
    for (door, one), two in zip(open_doors, last, strict=True):
        target = door.link.processes[0]
        readings += _readings(target, one)
        # Of several workers behind one port another may have answered: its counters are others.
        if two is not None and two.started == one.started:
            readings += _readings(target, two)
    return Take(readings=readings, looks=[*looks, _touched(reach, [d for d, _ in open_doors], 2)])


def doors_of(case: Case) -> list[Door]:
    """Addresses that may be asked, one a link."""
    called = {
        (connection.netns, connection.local.rpartition(":")[2])
        for connection in case.connections
        if connection.state == "established"
    }
    configured = {
        address.rpartition(":")[2]
        for upstream in case.upstreams
        for address in [member.address for member in upstream.members]
    } | {address.rpartition(":")[2] for server in case.servers for address in server.passes}
    doors = []
    for link in case.chain.links:
        if not link.on_chain or link.role not in ROLES or not link.pids:
            continue
        for address in link.listen:
            port = address.rpartition(":")[2]
            number = int(port) if port.isdigit() and not address.startswith("unix:") else 0
            used = link.entry or (link.netns, port) in called or port in configured
            own = OWN_PORT.get(link.program)
            if own is not None:
                used = number == own
            elif number in OTHER_PROTOCOLS:
                used = False
            if used and 0 < number < EPHEMERAL:
                doors.append(Door(link, address, link.pids[0]))
                break
    return doors[:MAX_LINKS]


def _scrape(reach: Reach, door: Door, looks: list[Look]) -> Scrape | None:
    """One answer taken apart; None where there are no metrics (a 404, a page, nothing known)."""
    at = reach.now()
    deadline = min(time.monotonic() + ANSWER_SECONDS, reach.deadline - 0.2)
    host, _, port = door.address.rpartition(":")
    shown = "127.0.0.1" if host in ("0.0.0.0", "*", "[::]", "") else host
    try:
        got = get(
            f"http://{shown}:{port}/metrics",
            deadline=deadline,
            pid=door.pid,
            address=f"{shown}:{port}",
            headers={"Accept": "text/plain"},
            limit=MAX_BODY,
        )
    except (NotAllowed, NotHere, TooLate):
        return None
    if got.error == "timeout":
        looks.append(_look(reach, door, "timeout", "metrics.late", 0))
        return None
    if got.status in (401, 403):
        looks.append(_look(reach, door, "denied", "metrics.denied", got.status))
    kind = got.headers.get("content-type", "text/plain")
    if got.status != 200 or "html" in kind or "json" in kind:
        return None
    return scrape_of(unchunked(got.headers, got.body), at)


def scrape_of(body: bytes, at: float) -> Scrape | None:
    """What a text of metrics says; None where nothing in it is known."""
    found = list(samples(body.decode("utf-8", "replace").split("\n")))
    values = values_of(found)
    started = next((one.value for one in found if one.name == STARTED), 0.0)
    return Scrape(at, values, started) if values else None


def _readings(target: str, scrape: Scrape) -> list[Reading]:
    return [
        Reading(quantity=name, target=target, at=scrape.at, value=value)
        for name, value in scrape.values.items()
    ]


def _look(reach: Reach, door: Door, outcome: str, key: str, status: int) -> Look:
    return Look(
        name="metrics",
        target=door.link.processes[0],
        outcome="denied" if outcome == "denied" else "timeout",
        at=reach.now(),
        reason=say(key, name=door.link.name, address=door.address, status=status),
    )


def _touched(reach: Reach, doors: list[Door], times: int) -> Look:
    return Look(
        name="metrics",
        target="",
        outcome="value",
        at=reach.now(),
        touched=[f"GET http://{door.address}/metrics: {times} times" for door in doors],
    )
