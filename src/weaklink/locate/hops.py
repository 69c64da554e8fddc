"""Who calls whom: pairs of sockets, a proxy's configuration, addresses in its log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.chain import Hop, Link
from weaklink.model.fact_app_log import AppSaying
from weaklink.model.target import target_key

ANY = ("0.0.0.0", "[::]", "*")
GONE = frozenset({"refused", "unreachable"})
"""What a log says of an address that nobody serves (parse/app_phrases.py)."""


class Callee(NamedTuple):
    """The called end of a hop: its address, and whether it is off this machine."""

    address: str
    external: bool


class Book:
    """Which link serves an address, wildcard listeners included, per network namespace."""

    def __init__(self, case: Case, links: list[Link]) -> None:
        self._exact: dict[str, Link] = {}
        self._wild: dict[tuple[str, str], Link] = {}
        self._ends: dict[tuple[str, str], int] = {}
        self._netns_of_ip: dict[str, set[str]] = defaultdict(set)
        self._by_pid = {pid: link for link in links for pid in link.pids}
        for link in links:
            if link.role == "external":
                continue  # an address that somebody calls; nobody here serves it
            for address in link.listen:
                host, _, port = address.rpartition(":")
                if host in ANY:
                    self._wild[(link.netns, port)] = link
                elif self._is_local(host):
                    self._wild.setdefault((link.netns, f"lo:{port}"), link)
                else:
                    self._exact[address] = link
                    self._netns_of_ip[host].add(link.netns)
        for connection in case.connections:
            if connection.pid:
                self._ends[(connection.local, connection.remote)] = connection.pid
                host = connection.local.rpartition(":")[0]
                if not self._is_local(host):
                    self._netns_of_ip[host].add(connection.netns)

    @staticmethod
    def _is_local(host: str) -> bool:
        return host.startswith("127.") or host == "[::1]"

    def caller(self, pid: int) -> Link | None:
        """The link of a process."""
        return self._by_pid.get(pid)

    def serving(self, address: str, netns: str, local: str = "") -> Link | None:
        """The link that a caller in `netns` reaches at `address`; None where nobody is known.

        The other end of the very connection decides; then an exact listener; then a wildcard
        listener in the namespace that has this address.
        """
        other = self._ends.get((address, local)) if local else None
        if other is not None and other in self._by_pid:
            return self._by_pid[other]
        host, _, port = address.rpartition(":")
        if address.startswith("unix:"):
            return self._exact.get(address)
        if self._is_local(host):
            return self._wild.get((netns, f"lo:{port}")) or self._wild.get((netns, port))
        found = self._exact.get(address)
        if found is not None:
            return found
        for name in sorted(self._netns_of_ip.get(host, ())):
            if (name, port) in self._wild:
                return self._wild[(name, port)]
        return None

    def is_here(self, address: str) -> bool:
        """Whether an address's host is one of this machine's."""
        host = address.rpartition(":")[0]
        return self._is_local(host) or host in self._netns_of_ip


class _Found:
    """Hops under construction: one per pair of links."""

    def __init__(self) -> None:
        self.via: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.count: dict[tuple[str, str], int] = defaultdict(int)
        self.callee: dict[tuple[str, str], Callee] = {}

    def add(self, source: str, dest: str, via: str, callee: Callee, count: int = 0) -> None:
        if source != dest:
            self.via[(source, dest)].add(via)
            self.count[(source, dest)] += count
            self.callee.setdefault((source, dest), callee)


def find_hops(case: Case, links: list[Link]) -> list[tuple[Hop, Callee]]:
    """Hops between links, with the address called; callers and callees that are the same differ."""
    book = Book(case, links)
    found = _Found()
    for address, link, local, netns in _calls(case, book):
        _note(case, found, book, link, address, netns, "sockets", local)
    owners = {key: link for link in links for key in link.processes}
    for upstream in case.upstreams:
        caller = owners.get(upstream.owner)
        if caller is not None:
            for member in upstream.members:
                _note(case, found, book, caller, member.address, caller.netns, "configuration")
    for server in case.servers:
        caller = owners.get(server.owner)
        if caller is not None:
            for address in server.passes:
                if _is_address(address):
                    _note(case, found, book, caller, address, caller.netns, "configuration")
    for fact in case.software:
        # An application that balances by itself: its log names the address that is gone.
        if isinstance(fact, AppSaying) and fact.code in GONE and _is_number(fact.about):
            caller = owners.get(fact.owner)
            if caller is not None:
                _note(case, found, book, caller, fact.about, caller.netns, "log")
    return [
        (
            Hop(
                key=f"{source}>{dest}",
                source=source,
                dest=dest,
                address=found.callee[(source, dest)].address,
                connections=found.count[(source, dest)],
                via=sorted(found.via[(source, dest)]),
            ),
            found.callee[(source, dest)],
        )
        for source, dest in sorted(found.via)
    ]


def _calls(case: Case, book: Book) -> Iterator[tuple[str, Link, str, str]]:
    """Outgoing connections of known links at the last tick that saw them."""
    served = {listener.address for listener in case.listeners}
    served_ports = {
        (listener.netns, listener.address.rpartition(":")[2]) for listener in case.listeners
    }
    seen: set[tuple[str, str]] = set()
    for connection in case.connections:
        link = book.caller(connection.pid)
        if link is None or connection.state == "time-wait":
            continue
        port = connection.local.rpartition(":")[2]
        incoming = connection.local in served or (connection.netns, port) in served_ports
        pair = (connection.local, connection.remote)
        if incoming or pair in seen or not connection.remote:
            continue
        seen.add(pair)
        yield connection.remote, link, connection.local, connection.netns


def _note(
    case: Case,
    found: _Found,
    book: Book,
    caller: Link,
    address: str,
    netns: str,
    via: str,
    local: str = "",
) -> None:
    callee = book.serving(address, netns, local)
    count = 1 if via == "sockets" else 0
    if callee is not None:
        found.add(caller.key, callee.key, via, Callee(address, external=False), count)
        return
    key = target_key("link", address, host="elsewhere")
    found.add(caller.key, key, via, Callee(address, external=True), count)


def _is_address(text: str) -> bool:
    if text.startswith("unix:"):
        return True
    host, colon, port = text.rpartition(":")
    return bool(colon and host and port.isdigit())


def _is_number(address: str) -> bool:
    """Whether an address names its host by number: a name would have to be looked up first."""
    host, colon, port = address.rpartition(":")
    plain = host.replace(".", "")
    return bool(colon) and port.isdigit() and (plain.isdigit() or host.startswith("["))
