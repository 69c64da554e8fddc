"""Who listens, who is connected to whom, and where requests pile up, in every namespace."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import Literal

from weaklink.model.case import Case
from weaklink.model.fact import Listener, Process
from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.model.quantities import socket as q
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.model.target import HOST_NETNS, target_key
from weaklink.parse.proc_net import parse_net_counters, parse_time_wait
from weaklink.probes.descriptors import complete, owners
from weaklink.probes.process_table import scanned_table
from weaklink.probes.socket_facts import (
    connections_of,
    inodes,
    listeners_of,
    new_time_wait,
    with_tenants,
)
from weaklink.probes.socket_lists import TRIES, socket_lists
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.memory import memory
from weaklink.reach.registry import probe
from weaklink.words import texts

texts(
    {
        "sockets.none": "no table of sockets could be read",
        "sockets.hidden": "listeners whose processes hide their descriptors from us: {count}",
        "sockets.coarse": "listen backlogs and idle times of connections, namespaces: {count}",
        "sockets.too-many": "connections beyond those that are kept: {count}",
        "sockets.namespaces": "network namespaces that were not read: {count}",
    }
)

WALK_SHARE = 0.04
"""Of one CPU, at most, for listing connections: the kernel walks its whole table of them for each
namespace (3 ms for 262 144 buckets), so a node of many pods is listed less often than each tick."""
LATE_SECONDS = 0.2
"""A tick that comes a little early still lists, so that the pace stays whole ticks."""
MAX_TENANTS = 16
"""Processes of one family in a namespace of its own; more than a pod's few need their own proof."""
MAX_NAMESPACES = 64
"""Read at one tick, about 1 ms each; a node of hundreds of pods is looked at in part."""


@dataclass
class Past:
    """TIME_WAIT pairs that were told: each stays a minute and would be told at each tick."""

    told: set[tuple[str, str, str]] = field(default_factory=set)
    next_walk: float = 0.0
    """When connections may be listed again, monotonic seconds."""


def _look(reach: Reach, case: Case, *, first: bool) -> Take:
    """Listener and Connection facts, readings `listener_*` and `tcp_*`.

    Raises NotHere where no namespace could be read. An established connection with pid 0 and
    inode 0 waits in a listener's queue.
    """
    root = reach.root
    known = scanned_table(root, case)
    facts = known.by_pid  # one picture: the table is replaced when processes come and go
    at = reach.now()
    past = memory(root, "sockets", Past)
    everything = first or root.frozen or time.monotonic() >= past.next_walk
    cpu = time.thread_time() + reach.spent
    spaces = namespaces(facts)
    lists = socket_lists(reach, dict(spaces[:MAX_NAMESPACES]), connections=everything)
    if not lists and everything:
        raise NotHere(say("sockets.none"))
    pids_of = complete(root, known.starts(), inodes(lists))
    bare = listeners_of(lists, pids_of)
    pids_of = with_tenants(lists, pids_of, tenants(facts, spaces, set(owners(root).denied)))
    listeners = listeners_of(lists, pids_of)
    connections, left_out = connections_of(lists, pids_of, at)
    if everything:
        fresh, past.told = new_time_wait(past.told, lists, at)
        connections += fresh
    readings = _queues(case, listeners, at)
    for netns, pids in spaces:
        if netns in lists:
            readings += _counters(reach, case, netns, pids, at)
    if everything:
        cost = time.thread_time() + reach.spent - cpu
        past.next_walk = time.monotonic() + cost / WALK_SHARE - LATE_SECONDS
    looks = []
    if first:
        hidden = sum(1 for one in bare if not one.pids) if owners(root).denied else 0
        coarse = sum(1 for found in lists.values() if not found.detailed)
        unread = len(spaces) - len(lists)
        looks = _unseen(reach, at, hidden=hidden, coarse=coarse, unread=unread, left_out=left_out)
    return Take(listeners=listeners, connections=connections, readings=readings, looks=looks)


def _unseen(
    reach: Reach, at: float, *, hidden: int, coarse: int, unread: int, left_out: int
) -> list[Look]:
    """What could not be seen; a frozen root never holds more, so nothing is said of it."""
    rows: list[tuple[Literal["denied", "timeout"], str, int]] = [
        ("denied", "sockets.hidden", hidden),
        ("denied", "sockets.coarse", coarse),
        ("timeout", "sockets.namespaces", unread),
        ("timeout", "sockets.too-many", left_out),
    ]
    return [
        Look(
            name="sockets",
            target="",
            outcome=outcome,
            at=at,
            reason=say(key, count=count),
            remedy="" if outcome == "timeout" or os.geteuid() == 0 else "sudo weaklink",
        )
        for outcome, key, count in rows
        if count and not (reach.root.frozen and outcome == "denied")
    ]


@probe(
    "listeners",
    subject="socket",
    phase="first",
    about="listening sockets and open connections with their processes, in every namespace",
)
def look_at_first(reach: Reach, case: Case) -> Take:
    """Who listens and who is connected, before the chain is known; what is hidden is said here."""
    return _look(reach, case, first=True)


@probe(
    "sockets",
    subject="socket",
    phase="tick",
    about="listen queues, connections and how long they have been silent, TCP's counters",
)
def look_at_tick(reach: Reach, case: Case) -> Take:
    """The same at each tick: queues and the ages of requests in flight change.

    Where listing the connections is dear, ticks between two lists give listeners only.
    """
    return _look(reach, case, first=False)


def namespaces(facts: dict[int, Process]) -> list[tuple[str, list[int]]]:
    """Labels with the processes that live there, the host's own first, then by size."""
    found: dict[str, list[int]] = {}
    for pid, fact in facts.items():
        if not fact.kernel_thread and fact.state not in ("Z", "X"):
            found.setdefault(fact.netns, []).append(pid)
    return sorted(found.items(), key=lambda item: (item[0] != HOST_NETNS, -len(item[1]), item[0]))


def tenants(
    facts: dict[int, Process], spaces: list[tuple[str, list[int]]], denied: set[int]
) -> dict[str, list[int]]:
    """Processes that alone live in a namespace, where their descriptors are hidden from us.

    One family (a process and what it started) in a namespace of its own, as in a pod: whatever
    is open there is theirs. Nothing is concluded for the host's namespace, nor for processes
    whose descriptors we have read.
    """
    found: dict[str, list[int]] = {}
    for netns, pids in spaces:
        inside = set(pids)
        heads = [pid for pid in pids if facts[pid].ppid not in inside]
        small = len(pids) <= MAX_TENANTS and len(heads) == 1
        if netns != HOST_NETNS and small and inside <= denied:
            found[netns] = sorted(pids)
    return found


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
