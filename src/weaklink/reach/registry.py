"""How a probe or source announces itself; found by walking its room, no central list.

A probe (this machine) or source (another memory) is one function `(reach, case) -> Take`. It is
given the Case as known so far and picks what is its own from it. Its phase says when it runs:

* `first`   once, before the chain is known: who runs, who listens, what is mounted;
* `tick`    at every tick of the window (1 s apart): counters, queues;
* `deep`    once the chain is known, in parallel, lasting as long as the window: it may wait
            between two readings (`reach.pause`), and ends at `reach.deadline`;
* `last`    once, when the window is over.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType
from typing import Literal, NamedTuple

from weaklink.model.case import Case
from weaklink.model.take import Take
from weaklink.reach.host import Reach

Phase = Literal["first", "tick", "deep", "last"]
Look = Callable[[Reach, Case], Take]


class Probe(NamedTuple):
    """One registered probe or source. `touches` says what it does beyond reading files."""

    name: str
    subject: str
    phase: Phase
    run: Look
    about: str
    touches: str
    frozen: bool


_probes: dict[str, Probe] = {}


def probe(
    name: str, *, subject: str, phase: Phase, about: str, touches: str = "", frozen: bool = True
) -> Callable[[Look], Look]:
    """Register a probe. `frozen` False: it cannot run on a folder (it talks to something live)."""

    def register(run: Look) -> Look:
        if name in _probes and _probes[name].run is not run:
            raise ValueError(f"probe {name} is registered twice")
        _probes[name] = Probe(name, subject, phase, run, about, touches, frozen)
        return run

    return register


def probes() -> list[Probe]:
    """All probes registered so far, by name."""
    return [_probes[name] for name in sorted(_probes)]


def load_room(room: ModuleType) -> None:
    """Import every module of a package, so that what it registers is known."""
    for found in pkgutil.iter_modules(room.__path__):
        importlib.import_module(f"{room.__name__}.{found.name}")
