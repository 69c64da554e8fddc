"""Faults: each file puts one real fault in, says the truth about it, and takes it out again.

A new fault is one new file: a function under `@way_in` and one under `@way_out` with the same
id. It is found by walking this package, or a folder that `load_folder` is given.
"""

import importlib
import importlib.util
import pkgutil
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from weaklink_lab import chain
from weaklink_lab import state as states
from weaklink_lab.draw import Wants
from weaklink_lab.kernel import cgroups, spawn
from weaklink_lab.spec import Member, Role
from weaklink_lab.state import State
from weaklink_lab.truth import Guilty, Truth


@dataclass(slots=True)
class Ground:
    """What a fault may touch: the service that is up, dice, and notes for its way out."""

    state: State
    dice: random.Random
    notes: dict[str, Any] = field(default_factory=dict)

    def note(self, **values: Any) -> None:
        """Write down what the way out needs, before it is done."""
        self.notes.update(values)
        if self.state.broken is not None:
            self.state.broken.notes = self.notes
        states.save(self.state)

    def members(self, role: Role) -> tuple[Member, ...]:
        """Give the members of a role."""
        return self.state.spec.of(role)

    def one(self, role: Role) -> Member:
        """Give the member of a role."""
        return self.state.spec.one(role)

    def guilty(self, *members: Member) -> tuple[Guilty, ...]:
        """Give the links that these members are."""
        return tuple(
            Guilty(tuple(chain.main_pids(self.state, member)), (member.address,))
            for member in members
        )

    def job(self, module: str, *words: str, beside: bool = False, nice: int = 0) -> int:
        """Start a job in the operators' member, or (`beside`) outside the service altogether."""
        ops = self.one("ops")
        name = module.rpartition(".")[2]
        pid = spawn.start(
            spawn.python(f"weaklink_lab.jobs.{module}", *words),
            group=self.state.spec.neighbour if beside else self.state.group(ops),
            namespace=None if beside else ops.name,
            log=self.state.folder(ops) / f"{name}.log",
            nice=nice,
        )
        self.note(jobs=[*self.notes.get("jobs", []), pid])
        return pid

    def end_jobs(self) -> None:
        """End the jobs of this fault that still run."""
        ops = self.one("ops")
        ours = {
            *cgroups.pids(self.state.spec.neighbour),
            *cgroups.pids(self.state.group(ops)),
        }
        pids = [pid for pid in self.notes.get("jobs", []) if pid in ours]
        spawn.kill(pids, signal.SIGTERM)
        deadline = time.monotonic() + 2
        while any(spawn.alive(pid) for pid in pids) and time.monotonic() < deadline:
            time.sleep(0.05)
        spawn.kill([pid for pid in pids if spawn.alive(pid)])


WayIn = Callable[[Ground], Truth]
WayOut = Callable[[Ground], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of the lab: what it needs of the service, and how it goes in."""

    id: str
    title: str
    enter: WayIn
    wants: Callable[[random.Random], Wants]
    control: bool = False
    """True where nothing is wrong and nobody may be blamed."""


_IN: dict[str, Fault] = {}
_OUT: dict[str, WayOut] = {}


def _anything(_dice: random.Random) -> Wants:
    return Wants()


def way_in(
    fault: str,
    title: str,
    *,
    wants: Callable[[random.Random], Wants] = _anything,
    control: bool = False,
) -> Callable[[WayIn], WayIn]:
    """Register the function that puts a fault in and gives the truth about it."""

    def register(enter: WayIn) -> WayIn:
        if fault in _IN:
            raise ValueError(f"two faults are called {fault}")
        _IN[fault] = Fault(fault, title, enter, wants, control)
        return enter

    return register


def way_out(fault: str) -> Callable[[WayOut], WayOut]:
    """Register the function that takes a fault out; it must not mind being called twice."""

    def register(leave: WayOut) -> WayOut:
        _OUT[fault] = leave
        return leave

    return register


def known() -> dict[str, Fault]:
    """Give every fault by id, sorted; faults come before controls."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(_IN.items(), key=lambda item: (item[1].control, item[0])))


def find(name: str) -> Fault:
    """Give the fault of this id, or `one+other`: both at the same time; raises LookupError."""
    parts = name.split("+")
    for part in parts:
        if part not in known():
            raise LookupError(f"no fault is called {part}; see `weaklink-lab faults`")
    return known()[name] if len(parts) == 1 else _pair(name, [known()[part] for part in parts])


def _pair(name: str, both: list[Fault]) -> Fault:
    def enter(ground: Ground) -> Truth:
        first, *others = [fault.enter(ground) for fault in both]
        return replace(first, also=tuple(others))

    def wants(dice: random.Random) -> Wants:
        return together([fault.wants(dice) for fault in both])

    return Fault(name, " and ".join(fault.title for fault in both), enter, wants)


def together(several: list[Wants]) -> Wants:
    """Give what suits several faults at once: where they differ, what the first one asks for."""
    joined = several[0]
    for other in several[1:]:
        for each in fields(Wants):
            if getattr(joined, each.name) == each.default:
                joined = replace(joined, **{each.name: getattr(other, each.name)})
    return replace(joined, parts=tuple(sorted({part for one in several for part in one.parts})))


def load_folder(folder: Path) -> None:
    """Register the faults of one's own that lie in a folder."""
    for path in sorted(folder.glob("*.py")):
        module = importlib.util.spec_from_file_location(f"own_faults_{path.stem}", path)
        if module is None or module.loader is None:
            raise ImportError(f"{path} cannot be loaded")
        module.loader.exec_module(importlib.util.module_from_spec(module))


def leave(ground: Ground, fault: str) -> None:
    """Take a fault out."""
    known()
    for part in fault.split("+"):
        if part in _OUT:
            _OUT[part](ground)
    ground.end_jobs()
