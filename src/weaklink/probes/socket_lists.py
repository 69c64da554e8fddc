"""The sockets of every network namespace: asked of the kernel where we may, else read as files."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import NamedTuple

from weaklink.model.target import HOST_NETNS
from weaklink.parse.proc_net import parse_proc_tcp, parse_proc_unix, parse_time_wait
from weaklink.parse.socket_row import TcpSocket, UnixSocket
from weaklink.reach.host import NotAllowed, Reach, TooLate
from weaklink.reach.kernel_file import try_read
from weaklink.reach.memory import memory
from weaklink.reach.namespaces import in_each_netns, netns_labels
from weaklink.reach.root import Root

MAX_SOCKETS = 20_000
"""Of each kind and namespace: about 0.2 s of CPU. A proxy beyond that is described by a part."""
MAX_TIME_WAIT = 2_000
NAMESPACE_SECONDS = 1.0
"""For one namespace. A list of 20 000 sockets takes 0.3 s; a kernel that needs longer is ill."""
MAX_TABLE_BYTES = 8 << 20
TRIES = 3
"""Processes of one namespace that are asked in turn, since each may end meanwhile."""


class SocketLists(NamedTuple):
    """What one namespace holds. `detailed` is False where ages and backlogs are unknown."""

    tcp: list[TcpSocket]
    time_wait: list[TcpSocket]
    unix: list[UnixSocket]
    detailed: bool


def socket_lists(
    reach: Reach, spaces: Mapping[str, list[int]], *, connections: bool = True
) -> dict[str, SocketLists]:
    """Sockets by namespace; `spaces` gives the processes that live in each.

    Without `connections` only listeners, and only where the kernel gives them apart. A namespace
    whose processes are all gone, or that the deadline leaves out, is missing.
    """
    if reach.root.frozen:
        refused, found = set(spaces), {}
    else:
        refused = memory(reach.root, "netns-refused", set[str])
        found = _asked(reach, spaces, refused, connections=connections)
    for netns, pids in spaces.items():
        if netns in refused and connections and reach.left() > NAMESPACE_SECONDS / 2:
            lists = _read(reach.root, pids)
            if lists is not None:
                found[netns] = lists
    return found


def _asked(
    reach: Reach, spaces: Mapping[str, list[int]], refused: set[str], *, connections: bool
) -> dict[str, SocketLists]:
    """Adds to `refused` the namespaces that we may not enter: asking again would only cost."""
    end = time.monotonic() + max(0.0, reach.left() - NAMESPACE_SECONDS)
    ours = netns_labels(reach.root, [os.getpid()]).get(os.getpid(), HOST_NETNS)
    wanted = {netns: pids[:TRIES] for netns, pids in spaces.items() if netns not in refused}
    found: dict[str, SocketLists] = {}
    ask = _ask if connections else _ask_listeners
    if wanted.pop(ours, None) is not None:
        try:
            found[ours] = ask(end)
        except TooLate:
            pass  # missing, like any other namespace that there was no time for
        except OSError:
            refused.add(ours)
    if not wanted:
        return found
    visits = in_each_netns(wanted, lambda: ask(end), seconds=end - time.monotonic())
    reach.spent += visits.cpu_seconds
    for netns, result in visits.results.items():
        if isinstance(result, SocketLists):
            found[netns] = result
        elif isinstance(result, NotAllowed | OSError):
            refused.add(netns)
    return found


def _ask(end: float) -> SocketLists:
    from weaklink.reach import sock_diag

    deadline = min(end, time.monotonic() + NAMESPACE_SECONDS)
    few = (parse_time_wait(_own_sockstat()) or 0.0) <= MAX_TIME_WAIT
    both = sock_diag.tcp_sockets(deadline=deadline, limit=MAX_SOCKETS, time_wait=few)
    waiting = [one for one in both if one.state == "time-wait"]
    if not few:
        waiting = sock_diag.time_wait_sockets(deadline=deadline, limit=MAX_TIME_WAIT)
    tcp = [one for one in both if one.state != "time-wait"] if waiting else both
    return SocketLists(tcp, waiting, _ask_unix(deadline), detailed=True)


def _ask_listeners(end: float) -> SocketLists:
    from weaklink.reach import sock_diag

    deadline = min(end, time.monotonic() + NAMESPACE_SECONDS)
    tcp = sock_diag.tcp_listeners(deadline=deadline, limit=MAX_SOCKETS)
    unix = [one for one in _ask_unix(deadline) if one.listening]
    return SocketLists(tcp, [], unix, detailed=True)


def _ask_unix(deadline: float) -> list[UnixSocket]:
    from weaklink.reach import sock_diag

    try:
        return sock_diag.unix_sockets(deadline=deadline, limit=MAX_SOCKETS)
    except FileNotFoundError:
        return []  # a kernel built without unix_diag


def _own_sockstat() -> bytes:
    """Of the namespace that the calling thread is in: /proc/thread-self, not /proc/self."""
    return try_read(Root(), "/proc/thread-self/net/sockstat", 4096)


def _read(root: Root, pids: list[int]) -> SocketLists | None:
    for pid in pids if root.frozen else pids[:TRIES]:
        folder = f"/proc/{pid}/net"
        try:
            table = root.read(f"{folder}/tcp", MAX_TABLE_BYTES)
        except OSError:
            continue
        sockets, waiting = parse_proc_tcp(table, limit=MAX_SOCKETS)
        more, more_waiting = parse_proc_tcp(_optional(root, f"{folder}/tcp6"), limit=MAX_SOCKETS)
        unix = parse_proc_unix(_optional(root, f"{folder}/unix"), limit=MAX_SOCKETS)
        both = (waiting + more_waiting)[:MAX_TIME_WAIT]
        return SocketLists(sockets + more, both, unix, detailed=False)
    return None


def _optional(root: Root, path: str) -> bytes:
    try:
        return root.read(path, MAX_TABLE_BYTES)
    except OSError:
        return b""
