"""Who listens, who is connected to whom, and where requests pile up, in every namespace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from weaklink.model.case import Case
from weaklink.model.fact import Connection, Listener
from weaklink.model.look import Look
from weaklink.model.message import Message, say
from weaklink.model.quantities import socket as q
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.model.target import HOST_NETNS, target_key
from weaklink.parse.proc_net import parse_net_counters, parse_time_wait
from weaklink.parse.socket_row import TcpSocket, UnixSocket
from weaklink.probes.descriptors import complete
from weaklink.probes.process_table import Table, scanned_table
from weaklink.probes.socket_lists import MAX_TIME_WAIT, TRIES, SocketLists, socket_lists
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.memory import memory
from weaklink.reach.registry import probe
from weaklink.words import texts

texts(
    {
        "sockets.none": "no table of sockets could be read",
        "sockets.hidden": "{count} listeners belong to processes whose descriptors are hidden",
        "sockets.coarse": "listen backlogs and idle times of connections in {count} namespaces",
        "sockets.too-many": "{count} connections more than are kept",
        "sockets.namespaces": "{count} network namespaces more than are read",
    }
)

MAX_CONNECTIONS = 5_000
"""Kept of one look, those of known processes first: about 0.5 MB of the Case."""
MAX_NAMESPACES = 64
"""Read at one tick, about 1 ms each; a node of hundreds of pods is looked at in part."""


@dataclass
class Past:
    """TIME_WAIT pairs that were told: each stays a minute and would be told at each tick."""

    told: set[tuple[str, str, str]] = field(default_factory=set)


def _look(reach: Reach, case: Case, *, say_unseen: bool) -> Take:
    """Listener and Connection facts, readings `listener_*` and `tcp_*`.

    Raises NotHere where no namespace could be read. An established connection with pid 0 and
    inode 0 waits in a listener's queue.
    """
    root = reach.root
    known = scanned_table(root, case)
    at = reach.now()
    looks: list[Look] = []
    spaces = namespaces(known)
    lists = socket_lists(reach, dict(spaces[:MAX_NAMESPACES]))
    if not lists:
        raise NotHere(say("sockets.none"))
    if len(spaces) > len(lists):
        count = len(spaces) - len(lists)
        looks.append(_part("timeout", at, say("sockets.namespaces", count=count)))
    pids_of = complete(root, known.starts(), _inodes(lists))
    listeners = _listeners(lists, pids_of)
    connections, left_out = _connections(lists, pids_of, at)
    connections += _time_wait(memory(root, "sockets", Past), lists, at)
    hidden = sum(1 for listener in listeners if not listener.pids)
    if hidden and not root.frozen:
        looks.append(_part("denied", at, say("sockets.hidden", count=hidden), reach.privileged))
    coarse = sum(1 for found in lists.values() if not found.detailed)
    if coarse and not root.frozen:
        looks.append(_part("denied", at, say("sockets.coarse", count=coarse), reach.privileged))
    if left_out:
        looks.append(_part("timeout", at, say("sockets.too-many", count=left_out)))
    readings = _queues(case, listeners, at)
    for netns, pids in spaces:
        if netns in lists:
            readings += _counters(reach, case, netns, pids, at)
    return Take(
        listeners=listeners,
        connections=connections,
        readings=readings,
        looks=looks if say_unseen else [],
    )


@probe(
    "listeners",
    subject="socket",
    phase="first",
    about="listening sockets and open connections with their processes, in every namespace",
)
def look_at_first(reach: Reach, case: Case) -> Take:
    """Who listens and who is connected, before the chain is known; what is hidden is said here."""
    return _look(reach, case, say_unseen=True)


@probe(
    "sockets",
    subject="socket",
    phase="tick",
    about="listen queues, connections and how long they have been silent, TCP's counters",
)
def look_at_tick(reach: Reach, case: Case) -> Take:
    """The same at each tick: queues and the ages of requests in flight change."""
    return _look(reach, case, say_unseen=False)


def namespaces(known: Table) -> list[tuple[str, list[int]]]:
    """Labels with the processes that live there, the host's own first, then by size."""
    found: dict[str, list[int]] = {}
    for pid, fact in known.by_pid.items():
        if not fact.kernel_thread and fact.state not in ("Z", "X"):
            found.setdefault(fact.netns, []).append(pid)
    return sorted(found.items(), key=lambda item: (item[0] != HOST_NETNS, -len(item[1]), item[0]))


def _inodes(lists: dict[str, SocketLists]) -> set[int]:
    wanted = set()
    for found in lists.values():
        wanted |= {one.inode for one in found.tcp}
        named = {one.name for one in found.unix if one.listening}
        for one in found.unix:
            if one.name in named:
                wanted |= {one.inode, one.peer}
    return wanted - {0}


def _listeners(lists: dict[str, SocketLists], pids_of: dict[int, list[int]]) -> list[Listener]:
    rows = [
        (netns, one.local, one.inode, one.unread, one.unsent)
        for netns, found in lists.items()
        for one in found.tcp
        if one.state == "listen"
    ]
    rows += [
        (netns, one.name, one.inode, one.unread, one.unsent)
        for netns, found in lists.items()
        for one in found.unix
        if one.listening and one.name
    ]
    return [
        Listener(
            address=address,
            netns=netns,
            pids=pids_of.get(inode, []),
            waiting=waiting,
            backlog=backlog,
            inode=inode,
        )
        for netns, address, inode, waiting, backlog in rows
    ]


def _connections(
    lists: dict[str, SocketLists], pids_of: dict[int, list[int]], at: float
) -> tuple[list[Connection], int]:
    rows = [
        (netns, one)
        for netns, found in lists.items()
        for one in found.tcp
        if one.state not in ("listen", "close")
    ]
    rows.sort(key=lambda row: row[1].inode not in pids_of)
    kept = rows[:MAX_CONNECTIONS]
    found = [_connection(netns, one, _first(pids_of, one.inode), at) for netns, one in kept]
    peers = {one.inode: one for lists_ in lists.values() for one in lists_.unix}
    for netns, inside in lists.items():
        named = {one.name for one in inside.unix if one.listening and one.name}
        for one in inside.unix:
            if one.name in named and not one.listening and len(found) < MAX_CONNECTIONS:
                found += _unix_pair(netns, one, peers.get(one.peer), pids_of, at)
    return found, len(rows) - len(kept)


def _connection(netns: str, one: TcpSocket, pid: int, at: float) -> Connection:
    return Connection(
        local=one.local,
        remote=one.remote,
        netns=netns,
        pid=pid,
        state=one.state,
        unread=one.unread,
        unsent=one.unsent,
        sent_age=one.sent_age,
        received_age=one.received_age,
        rtt=one.rtt,
        retransmits=one.retransmits,
        inode=one.inode,
        at=at,
        bytes_received=one.received,
        bytes_sent=one.sent,
    )


def _unix_pair(
    netns: str,
    server: UnixSocket,
    client: UnixSocket | None,
    pids_of: dict[int, list[int]],
    at: float,
) -> list[Connection]:
    """Both ends: the server's has the path as its own address, the client's as the remote one."""
    pair = [
        Connection(
            local=server.name,
            remote=f"unix:[{server.peer}]",
            netns=netns,
            pid=_first(pids_of, server.inode),
            unread=server.unread,
            unsent=server.unsent,
            inode=server.inode,
            at=at,
        )
    ]
    if client is not None:
        pair.append(
            Connection(
                local=f"unix:[{client.inode}]",
                remote=server.name,
                netns=netns,
                pid=_first(pids_of, client.inode),
                unread=client.unread,
                unsent=client.unsent,
                inode=client.inode,
                at=at,
            )
        )
    return pair


def _time_wait(past: Past, lists: dict[str, SocketLists], at: float) -> list[Connection]:
    fresh: list[Connection] = []
    now: set[tuple[str, str, str]] = set()
    for netns, found in lists.items():
        for one in found.time_wait:
            key = (netns, one.local, one.remote)
            now.add(key)
            if key not in past.told and len(fresh) < MAX_TIME_WAIT:
                fresh.append(_connection(netns, one, 0, at))
    past.told = now
    return fresh


def _queues(case: Case, listeners: list[Listener], at: float) -> list[Reading]:
    readings = []
    for listener in listeners:
        key = target_key("listener", listener.address, host=case.host.name, netns=listener.netns)
        readings.append(
            Reading(quantity=q.LISTENER_QUEUE, target=key, at=at, value=float(listener.waiting))
        )
        if listener.backlog:
            readings.append(
                Reading(
                    quantity=q.LISTENER_BACKLOG, target=key, at=at, value=float(listener.backlog)
                )
            )
    return readings


def _counters(reach: Reach, case: Case, netns: str, pids: list[int], at: float) -> list[Reading]:
    key = target_key("netns", "tcp", host=case.host.name, netns=netns)
    for pid in pids if reach.root.frozen else pids[:TRIES]:
        snmp = try_read(reach.root, f"/proc/{pid}/net/snmp")
        if not snmp:
            continue
        values = parse_net_counters(snmp, try_read(reach.root, f"/proc/{pid}/net/netstat"))
        waiting = parse_time_wait(try_read(reach.root, f"/proc/{pid}/net/sockstat", 4096))
        if waiting is not None:
            values[q.TCP_TIME_WAIT] = waiting
        return [
            Reading(quantity=name, target=key, at=at, value=value) for name, value in values.items()
        ]
    return []


def _first(pids_of: dict[int, list[int]], inode: int) -> int:
    pids = pids_of.get(inode)
    return pids[0] if pids else 0


def _part(
    outcome: Literal["denied", "timeout"], at: float, reason: Message, privileged: bool = True
) -> Look:
    return Look(
        name="sockets",
        target="",
        outcome=outcome,
        at=at,
        reason=reason,
        remedy="" if privileged else "sudo weaklink",
    )
