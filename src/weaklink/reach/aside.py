"""Does something that may never return in a thread of its own, and goes on without it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from weaklink.model.message import say
from weaklink.reach.host import TooLate
from weaklink.words import texts

texts(
    {
        "look.late": "no answer within {seconds:.1f} s",
        "look.stuck": "an earlier look still hangs there, so it is not started again",
    }
)

T = TypeVar("T")

_stuck: dict[str, threading.Thread] = {}
_lock = threading.Lock()


def is_stuck(name: str) -> bool:
    """Whether something of that name was abandoned and still hangs.

    One that came back after all may run again; while it hangs, a second one would only hang
    beside it (a task in D state cannot even be killed).
    """
    with _lock:
        thread = _stuck.get(name)
        if thread is None:
            return False
        if not thread.is_alive():
            del _stuck[name]
            return False
        return True


def mark_stuck(name: str, thread: threading.Thread) -> None:
    """Remember a thread that overran its deadline."""
    with _lock:
        _stuck[name] = thread


def aside(name: str, work: Callable[[], T], seconds: float) -> T:
    """What `work` returns, or what it raises; TooLate after `seconds` or while one hangs."""
    if is_stuck(name):
        raise TooLate(say("look.stuck"))
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)  # handed over to the one who asked

    thread = threading.Thread(target=run, name=f"weaklink-{name}", daemon=True)
    started = time.monotonic()
    thread.start()
    thread.join(max(0.0, seconds))
    if results:
        return results[0]
    if errors:
        raise errors[0]
    mark_stuck(name, thread)
    raise TooLate(say("look.late", seconds=time.monotonic() - started))
