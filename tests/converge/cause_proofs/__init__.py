"""Each cause on a chain made by hand: one on which it is, one on which it only seems to be.

A file here holds a family of causes; `prove` registers a pair, walking the folder finds them all.
What was recorded from a real injection lies in tests/recorded instead, and says more.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import NamedTuple

from weaklink.incident import judge
from weaklink.model.diagnosis import Diagnosis
from weaklink.testing.fake_chain import FakeChain

Sick = Callable[[FakeChain], None]


class Proof(NamedTuple):
    """On `sick` the cause is named and nothing else; on `near_miss` it is not."""

    cause: str
    sick: Sick
    near_miss: Sick


_proofs: list[Proof] = []


def prove(cause: str, sick: Sick, *, near_miss: Sick) -> None:
    """Register a pair; a cause may have several near misses."""
    _proofs.append(Proof(cause, sick, near_miss))


def proofs() -> list[Proof]:
    """Every pair of every file of this folder."""
    for found in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{found.name}")
    return sorted(_proofs, key=lambda one: (one.cause, one.near_miss.__name__))


def diagnosis(sick: Sick) -> Diagnosis:
    """What is said of a made-up chain that was made sick."""
    chain = FakeChain()
    sick(chain)
    return judge(chain.case()).diagnoses[-1]


def named(sick: Sick) -> list[str]:
    """The causes that are asserted, best first."""
    return [cause.id for cause in diagnosis(sick).causes if cause.named]
