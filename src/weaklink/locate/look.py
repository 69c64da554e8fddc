"""How a look announces itself, and what it may return.

A look is a function `(view) -> Iterable[Evidence | Finding]` in `locate/looks/<subject>.py`. It
yields Evidence of strength 0 for a sign that it looked for and did not see, and nothing where it
could not look. A Finding is about a device and needs neither users nor a chain.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from typing import NamedTuple

from weaklink.locate.view import View
from weaklink.model.evidence import Evidence
from weaklink.model.finding import Finding

Judged = Evidence | Finding
LookFunction = Callable[[View], Iterable[Judged]]


class RegisteredLook(NamedTuple):
    """One look, by subject and name."""

    subject: str
    name: str
    run: LookFunction


_looks: dict[str, RegisteredLook] = {}


def look(subject: str) -> Callable[[LookFunction], LookFunction]:
    """Register a look under a subject (`cpu`, `cache` …) for `weaklink look SUBJECT`."""

    def register(run: LookFunction) -> LookFunction:
        name = f"{run.__module__.rpartition('.')[2]}.{run.__name__}"
        _looks[name] = RegisteredLook(subject, name, run)
        return run

    return register


def looks() -> list[RegisteredLook]:
    """Every look of the room `locate/looks`, by name."""
    from weaklink.locate import looks as room

    for found in pkgutil.iter_modules(room.__path__):
        importlib.import_module(f"{room.__name__}.{found.name}")
    return [_looks[name] for name in sorted(_looks)]
