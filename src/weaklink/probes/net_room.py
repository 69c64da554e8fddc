"""What a namespace of the chain has left: local ports to one destination, tracked connections."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.fact_hardware import Hardware
from weaklink.model.fact_net import NetRoom
from weaklink.model.message import say
from weaklink.model.take import Take
from weaklink.parse.net_room import parse_conntrack_stat, parse_count, parse_port_range
from weaklink.parse.socket_row import TcpSocket
from weaklink.reach.host import NotAllowed, NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.namespaces import in_netns
from weaklink.reach.registry import probe
from weaklink.reach.sock_diag import tcp_sockets
from weaklink.words import texts

texts({"net-room.none": "no process of the chain whose network could be asked"})

MAX_NAMESPACES = 16
MAX_SOCKETS = 70_000
"""All ports towards one destination, and some more: 0.2 s of CPU where a proxy has that many."""
SECONDS = 1.0


class Seen(NamedTuple):
    """One look at a namespace."""

    ports: tuple[int, int] | None
    sockets: list[TcpSocket]
    tracked: int | None
    most: int | None
    dropped: int | None


@probe(
    "net-room",
    subject="network",
    phase="deep",
    about="local ports in use for each destination, and how full the table of nf_conntrack is",
    frozen=False,
)
def look_at_room(reach: Reach, case: Case) -> Take:
    """A NetRoom for each namespace of the chain.

    Raises NotHere where there is no process of the chain to ask, NotAllowed where none
    of its namespaces may be entered.
    """
    homes = {
        link.netns: (link.pids[0], link.processes[0])
        for link in reversed(case.chain.links)
        if link.on_chain and link.pids and link.processes
    }
    if not homes:
        raise NotHere(say("net-room.none"))
    spaces = list(homes.items())[:MAX_NAMESPACES]
    before = {netns: _dropped(reach, pid) for netns, (pid, _) in spaces}
    reach.pause_until_window_ends(before=1.5)
    rooms: list[Hardware] = []
    refused: NotAllowed | None = None
    for netns, (pid, process) in spaces:
        if reach.left() < SECONDS / 2:
            break
        try:
            seen = in_netns(pid, lambda pid=pid: _see(reach, pid), seconds=SECONDS)  # type: ignore[misc]
        except (NotHere, NotAllowed) as error:
            refused = error if isinstance(error, NotAllowed) else refused
            continue
        rooms.append(room(netns, process, seen, before.get(netns), reach.now()))
    if refused is not None and not rooms:
        raise refused
    return Take(hardware=rooms)


def _see(reach: Reach, pid: int) -> Seen:
    """Runs inside the namespace: /proc/sys/net shows that of the thread that reads it."""
    root = reach.root
    return Seen(
        parse_port_range(try_read(root, "/proc/sys/net/ipv4/ip_local_port_range", 64)),
        tcp_sockets(deadline=time.monotonic() + SECONDS, limit=MAX_SOCKETS, time_wait=True),
        parse_count(try_read(root, "/proc/sys/net/netfilter/nf_conntrack_count", 64)),
        parse_count(try_read(root, "/proc/sys/net/netfilter/nf_conntrack_max", 64)),
        _dropped(reach, pid),
    )


def _dropped(reach: Reach, pid: int) -> int | None:
    return parse_conntrack_stat(try_read(reach.root, f"/proc/{pid}/net/stat/nf_conntrack"))


def room(netns: str, process: str, seen: Seen, before: int | None, at: float) -> NetRoom:
    """The fact: the destination to which most ports are taken, and the table of connections."""
    low, high = seen.ports or (0, 0)
    used = Counter(one.remote for one in _from_range(seen.sockets, low, high))
    destination, count = max(used.items(), key=lambda row: (row[1], row[0]), default=("", 0))
    grew = None if seen.dropped is None or before is None else max(0, seen.dropped - before)
    return NetRoom(
        netns=netns,
        process=process,
        port_low=low,
        port_high=high,
        destination=destination,
        ports_used=count,
        time_wait=sum(
            1
            for one in _from_range(seen.sockets, low, high)
            if one.state == "time-wait" and one.remote == destination
        ),
        tracked=seen.tracked,
        tracked_most=seen.most,
        dropped=grew,
        at=at,
    )


def _from_range(sockets: list[TcpSocket], low: int, high: int) -> Iterable[TcpSocket]:
    for one in sockets:
        port = one.local.rpartition(":")[2]
        if one.state != "listen" and port.isdigit() and low <= int(port) <= high:
            yield one
