"""The last guard of the clock: what takes longer than it may is left behind, not waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from weaklink.cli.fail import Fail

T = TypeVar("T")
GRACE = 5.0
"""Seconds beyond the hard stop that a diagnosis has to put its answer together."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """The result of `work`, which runs aside; raises Fail where it is not there in time."""
    results: list[T] = []
    errors: list[BaseException] = []

    def aside() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=aside, name="weaklink-work", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise Fail(f"no verdict within {seconds:.0f} s, although looks end earlier: gave up")
    return results[0]
