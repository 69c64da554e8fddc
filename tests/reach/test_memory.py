"""A probe remembers for one root, and for as long as that root lives."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

from weaklink.reach.memory import memory
from weaklink.reach.root import Root


class Kept:
    """Something to remember."""


def test_each_root_has_its_own(tmp_path: Path) -> None:
    one, two = Root(str(tmp_path)), Root(str(tmp_path))
    assert memory(one, "a", Kept) is memory(one, "a", Kept)
    assert memory(one, "a", Kept) is not memory(two, "a", Kept)
    assert memory(one, "a", Kept) is not memory(one, "b", Kept)


def test_it_goes_with_the_root(tmp_path: Path) -> None:
    root = Root(str(tmp_path))
    kept = weakref.ref(memory(root, "a", Kept))
    assert kept() is not None
    del root
    gc.collect()
    assert kept() is None
