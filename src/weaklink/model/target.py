"""What a statement is about: `kind:host/netns/name`.

A Target is kept as its key, a plain string, so that it is readable in JSON and can be compared,
sorted and used as a dictionary key everywhere. `netns` is `-` for the namespace of the host's
init process, else the inode number of the network namespace. A name may contain `/`.
"""

from __future__ import annotations

from typing import NamedTuple

HOST_NETNS = "-"


class Target(NamedTuple):
    """The parts of a target's key."""

    kind: str
    host: str
    netns: str
    name: str

    @property
    def key(self) -> str:
        """The key, `kind:host/netns/name`."""
        return f"{self.kind}:{self.host}/{self.netns}/{self.name}"


def target_key(kind: str, name: str, *, host: str, netns: str = HOST_NETNS) -> str:
    """Build a key, for example `process:h1/-/4121@78213`."""
    return Target(kind, host, netns, name).key


def parse_target(key: str) -> Target:
    """Take a key apart; raises ValueError where it is not `kind:host/netns/name`."""
    kind, colon, rest = key.partition(":")
    host, slash, rest = rest.partition("/")
    netns, slash2, name = rest.partition("/")
    if not (kind and colon and host and slash and netns and slash2 and name):
        raise ValueError(f"not a target key: {key!r} (expected kind:host/netns/name)")
    return Target(kind, host, netns, name)
