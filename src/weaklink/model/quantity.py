"""Quantities are declared once, in `model/quantities/<subject>.py`; an undeclared name is an error.

A counter only grows (until its owner restarts), so looks use its rate; a gauge is read as it is.
Names follow OpenMetrics style with SI base units; counters end in `_total`.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Literal

from weaklink.model.base import Record

Kind = Literal["gauge", "counter"]
Bad = Literal["up", "down", "either", "none"]


class UndeclaredQuantityError(LookupError):
    """A reading names a quantity that no file of `model/quantities` declares."""


class Quantity(Record, frozen=True):
    """What is measured: unit, counter or gauge, and which direction is bad for users."""

    name: str
    unit: str
    kind: Kind
    bad: Bad
    meaning: str


_declared: dict[str, Quantity] = {}


def declare(name: str, unit: str, kind: Kind, bad: Bad, meaning: str) -> str:
    """Declare a quantity and return its name; raises ValueError if it is declared otherwise."""
    new = Quantity(name=name, unit=unit, kind=kind, bad=bad, meaning=meaning)
    if _declared.setdefault(name, new) != new:
        raise ValueError(f"quantity {name} is declared twice, differently")
    if (kind == "counter") != name.endswith("_total"):
        raise ValueError(f"quantity {name}: counters, and only they, end in _total")
    return name


def quantity(name: str) -> Quantity:
    """The declaration behind a name; raises UndeclaredQuantityError."""
    _load()
    try:
        return _declared[name]
    except KeyError:
        raise UndeclaredQuantityError(name) from None


def quantities() -> dict[str, Quantity]:
    """All declared quantities by name."""
    _load()
    return dict(_declared)


def _load() -> None:
    from weaklink.model import quantities as room

    for found in pkgutil.iter_modules(room.__path__):
        importlib.import_module(f"{room.__name__}.{found.name}")
