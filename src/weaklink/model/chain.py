"""The chain: which links there are, and who calls whom."""

from __future__ import annotations

from typing import Literal

from weaklink.model.base import Record

Role = Literal[
    "client", "proxy", "app", "inference", "cache", "db", "store", "external", "job", "unknown"
]

LinkState = Literal["", "fine", "waits", "busy", "stopped", "down"]
"""How a link fares, as located: '' where nothing told. `waits` for what it calls, `busy` itself."""


class Link(Record, frozen=True):
    """A component: the group of processes that serves one set of listeners.

    `group` is shared by links that are members of one service (same caller, same program), so
    that one member can be held against its peers.
    """

    key: str
    name: str
    role: Role
    pids: list[int] = []
    processes: list[str] = []
    listen: list[str] = []
    group: str = ""
    netns: str = "-"
    entry: bool = False
    on_chain: bool = True
    program: str = ""
    """What it runs, in a few words: `nginx`, `uvicorn worker:app`."""
    state: LinkState = ""
    own_seconds: float | None = None
    """Typical time that a request spends in this link itself, None where unknown."""
    wait_seconds: float | None = None
    """Typical time that it waits for what it calls."""

    def serves(self, local: str) -> bool:
        """Whether this local address of one of its connections is one that it listens at."""
        port = local.rpartition(":")[2]
        return any(address.rpartition(":")[2] == port for address in self.listen)


class Hop(Record, frozen=True):
    """An edge of the chain: `source` calls `dest`. `via` says how we know."""

    key: str
    source: str
    dest: str
    address: str = ""
    connections: int = 0
    via: list[str] = []
    """Any of sockets, configuration, log."""
    seconds: float | None = None
    """Typical time from asking to the answer as the caller sees it, None where unknown."""


class Chain(Record, frozen=True):
    """Links and hops; walk it from the entry down."""

    links: list[Link] = []
    hops: list[Hop] = []

    def link(self, key: str) -> Link | None:
        """The link with this key."""
        return next((link for link in self.links if link.key == key), None)

    def callees(self, key: str) -> list[Link]:
        """Links that this one calls, in the order of the hops."""
        found = (self.link(hop.dest) for hop in self.hops if hop.source == key)
        return [link for link in found if link is not None]

    def callers(self, key: str) -> list[Link]:
        """Links that call this one."""
        found = (self.link(hop.source) for hop in self.hops if hop.dest == key)
        return [link for link in found if link is not None]

    def peers(self, key: str) -> list[Link]:
        """The other members of this link's group."""
        own = self.link(key)
        if own is None or not own.group:
            return []
        return [link for link in self.links if link.group == own.group and link.key != key]

    def below(self, key: str) -> set[str]:
        """Keys of everything that this link reaches, itself left out."""
        seen: set[str] = set()
        todo = [key]
        while todo:
            here = todo.pop()
            for hop in self.hops:
                if hop.source == here and hop.dest not in seen:
                    seen.add(hop.dest)
                    todo.append(hop.dest)
        return seen - {key}
