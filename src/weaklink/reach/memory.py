"""What a probe remembers between its ticks: one shelf a root, gone when the root is."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from weaklink.reach.root import Root

T = TypeVar("T")

_shelves: weakref.WeakKeyDictionary[Root, dict[str, Any]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def memory(root: Root, name: str, make: Callable[[], T]) -> T:
    """What was kept under this name for this root, made by `make` the first time.

    Probes that run at the same time must not share a name that one of them changes in place
    while the other walks it: replace whole values instead.
    """
    with _lock:
        shelf = _shelves.setdefault(root, {})
        if name not in shelf:
            shelf[name] = make()
        kept: T = shelf[name]
        return kept
