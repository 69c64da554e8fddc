"""From what many looks brought home to one Case: the newest of each thing, all of each series."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import msgspec

from weaklink import __version__
from weaklink.model.case import SCHEMA, Case, grow
from weaklink.model.chain import Chain
from weaklink.model.fact import Cgroup, Host, Listener
from weaklink.model.look import Look
from weaklink.model.series import Reading, to_series
from weaklink.model.take import Take

T = TypeVar("T")

APPENDED = (
    "threads",
    "connections",
    "stacks",
    "cpu_samples",
    "slow_commands",
    "answers",
    "events",
    "keyspaces",
    "hardware",
    "software",
)
"""Things that are read again and again, or happen once: all of them are kept."""
NEWEST: dict[str, Callable[[Any], Hashable]] = {
    "processes": lambda fact: fact.key,
    "upstreams": lambda fact: (fact.owner, fact.name),
    "servers": lambda fact: (fact.owner, tuple(fact.listen), tuple(fact.names), fact.file),
    "logs": lambda fact: (fact.owner, fact.path, fact.kind),
    "configs": lambda fact: (fact.owner, fact.path),
    "mounts": lambda fact: fact.path,
    "devices": lambda fact: fact.key,
    "requests": lambda fact: fact.source,
}
"""Things that have an identity: the newest reading of each is kept."""
UNKNOWN_HOST = Host(name="-", boot=0.0, cpus=1, memory_bytes=0.0)


class Gathering:
    """Takes of one incident as they come in; `case()` gives what is known so far."""

    def __init__(self, *, started: float, entry: str) -> None:
        self.started = started
        self.entry = entry
        self.chain = Chain()
        self._host = UNKNOWN_HOST
        self._readings: list[Reading] = []
        self._looks: dict[tuple[str, str, str], Look] = {}
        self._appended: dict[str, list[Any]] = {name: [] for name in APPENDED}
        self._newest: dict[str, dict[Hashable, Any]] = {name: {} for name in NEWEST}
        self._listeners: dict[tuple[str, str, int], Listener] = {}
        self._cgroups: dict[str, Cgroup] = {}

    def add(self, take: Take, looks: Iterable[Look] = ()) -> None:
        """Take in what one look saw, and the record of the look itself."""
        self._host = take.host or self._host
        self._readings.extend(take.readings)
        for name, rows in self._appended.items():
            rows.extend(getattr(take, name))
        for name, identity in NEWEST.items():
            for fact in getattr(take, name):
                self._newest[name][identity(fact)] = fact
        for listener in take.listeners:
            self._add_listener(listener)
        for group in take.cgroups:
            old = self._cgroups.get(group.key)
            pids = sorted({*group.pids, *(old.pids if old else [])})
            self._cgroups[group.key] = msgspec.structs.replace(group, pids=pids)
        for look in [*looks, *take.looks]:
            self._add_look(look)

    def _add_listener(self, listener: Listener) -> None:
        # Who binds a port a second time shares it (SO_REUSEPORT); who binds a path a second time
        # has put the first one out of reach: they are two services.
        own = listener.inode if listener.address.startswith("unix:") else 0
        key = (listener.netns, listener.address, own)
        old = self._listeners.get(key)
        pids = sorted({*listener.pids, *(old.pids if old else [])})
        waiting = max(listener.waiting, old.waiting if old else 0)
        self._listeners[key] = msgspec.structs.replace(listener, pids=pids, waiting=waiting)

    def _add_look(self, look: Look) -> None:
        """One record per look and outcome; a look that ran at each tick adds up its cost."""
        key = (look.name, look.target, look.outcome)
        old = self._looks.get(key)
        if old is not None:
            look = msgspec.structs.replace(
                look,
                at=old.at,
                seconds=old.seconds + look.seconds,
                cpu_seconds=old.cpu_seconds + look.cpu_seconds,
                touched=old.touched + [text for text in look.touched if text not in old.touched],
            )
        self._looks[key] = look

    def case(self, *, until: float, final: bool = False) -> Case:
        """What is known so far; series only when `final` (probes read facts, not series)."""
        newest = {name: list(rows.values()) for name, rows in self._newest.items()}
        facts = {name: list(rows) for name, rows in self._appended.items()}
        case = Case(
            schema=SCHEMA,
            id=time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(self.started)),
            created=self.started,
            version=__version__,
            host=self._host,
            window=(self.started, until),
            entry=self.entry,
            looks=list(self._looks.values()),
            series=to_series(self._readings) if final else [],
            listeners=list(self._listeners.values()),
            cgroups=list(self._cgroups.values()),
            chain=self.chain,
        )
        return grow(case, **facts, **newest)
