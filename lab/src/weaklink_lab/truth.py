"""What is really wrong, as the lab knows it: who is guilty, of what, since when."""

from dataclasses import dataclass
from typing import Literal

TargetKind = Literal["pid", "keyspace", "cgroup", "listen", "text"]


@dataclass(frozen=True, slots=True)
class Guilty:
    """A link of the chain by what cannot be renamed: its processes and listen addresses."""

    pids: tuple[int, ...] = ()
    listen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Culprit:
    """What made the link guilty: a process, a keyspace, a cgroup, an address, or a word."""

    kind: TargetKind
    value: str


@dataclass(frozen=True, slots=True)
class Truth:
    """The right answer to a drill; `links` are right, `second` are worth a mark of their own."""

    cause: str
    """Id in the catalogue; empty where nothing is wrong."""
    shapes: tuple[str, ...]
    links: tuple[Guilty, ...] = ()
    second: tuple[Guilty, ...] = ()
    culprits: tuple[Culprit, ...] = ()
    also: tuple["Truth", ...] = ()
    """What else is wrong at the same time: in pairs of faults."""

    @property
    def exit(self) -> int:
        """Give the exit status that `weaklink` should end with."""
        return 1 if self.cause else 0
