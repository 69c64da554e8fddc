"""What the person asked for."""

from __future__ import annotations

from collections.abc import Callable

from weaklink.model.base import Record
from weaklink.model.message import Message

Progress = Callable[[Message], None]


def quiet(message: Message) -> None:
    """Progress for nobody."""


class Options(Record, frozen=True):
    """`window` and `timeout` in seconds; `since` and `until` epoch seconds, None for open."""

    entry: str = ""
    window: float = 6.0
    """How long is looked (`--for`): six ticks, and a verdict within 10 s."""
    timeout: float = 20.0
    root: str = "/"
    prometheus: str = ""
    """Base URL of a Prometheus-compatible API that knows the hour before."""
    since: float | None = None
    until: float | None = None
    at: float | None = None
    """A moment of the past, to be told from the recording."""
    box: str = ""
    """The folder of the recording, '' for this user's own."""
    deep: bool = True
    """Whether a deep look on file may be built on, where the past is told."""
    note: str = ""
    """Why it was looked, where nobody asked."""
