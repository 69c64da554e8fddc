"""Turns listed sockets into facts: listeners with all their owners, both ends of connections."""

from __future__ import annotations

from weaklink.model.fact import Connection, Listener
from weaklink.parse.socket_row import TcpSocket, UnixSocket
from weaklink.probes.socket_lists import MAX_TIME_WAIT, SocketLists

MAX_CONNECTIONS = 5_000
"""Kept of one look, those of known processes first: about 0.5 MB of the Case."""


def inodes(lists: dict[str, SocketLists]) -> set[int]:
    """Inodes whose owners are wanted: all of TCP, unix ones of named listeners."""
    wanted: set[int] = set()
    for found in lists.values():
        wanted |= {one.inode for one in found.tcp}
        named = {one.name for one in found.unix if one.listening}
        for one in found.unix:
            if one.name in named:
                wanted |= {one.inode, one.peer}
    return wanted - {0}


def listeners_of(lists: dict[str, SocketLists], pids_of: dict[int, list[int]]) -> list[Listener]:
    """Listener facts; all processes that share a socket are its owners."""
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


def connections_of(
    lists: dict[str, SocketLists], pids_of: dict[int, list[int]], at: float
) -> tuple[list[Connection], int]:
    """Connection facts of both ends as far as they are here, and how many were left out."""
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


def with_tenants(
    lists: dict[str, SocketLists], pids_of: dict[int, list[int]], alone: dict[str, list[int]]
) -> dict[int, list[int]]:
    """Owners by inode, those who alone live in a namespace standing in where none is known."""
    more: dict[int, list[int]] = {}
    for netns, pids in alone.items():
        if netns in lists:
            held = {one.inode for one in lists[netns].tcp} | {
                one.inode for one in lists[netns].unix
            }
            more |= dict.fromkeys(held - {0}, pids)
    return more | pids_of if more else pids_of


def new_time_wait(
    told: set[tuple[str, str, str]], lists: dict[str, SocketLists], at: float
) -> tuple[list[Connection], set[tuple[str, str, str]]]:
    """Connections in TIME_WAIT that were not told yet, and all that are told now."""
    fresh: list[Connection] = []
    now: set[tuple[str, str, str]] = set()
    for netns, found in lists.items():
        for one in found.time_wait:
            key = (netns, one.local, one.remote)
            now.add(key)
            if key not in told and len(fresh) < MAX_TIME_WAIT:
                fresh.append(_connection(netns, one, 0, at))
    return fresh, now


def _first(pids_of: dict[int, list[int]], inode: int) -> int:
    pids = pids_of.get(inode)
    return pids[0] if pids else 0
