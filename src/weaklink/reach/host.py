"""What a probe holds in its hands: the root to read from, the clock, and how long it may take."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from weaklink.model.message import Message, say
from weaklink.reach.root import Root


class NotHere(Exception):  # noqa: N818 - an outcome, not an error
    """What was looked for does not exist on this machine. Carries a Message."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason.key)
        self.reason = reason


class NotAllowed(Exception):  # noqa: N818 - an outcome, not an error
    """We may not look. Carries a Message and the one command that would allow it."""

    def __init__(self, reason: Message, remedy: str = "") -> None:
        super().__init__(reason.key)
        self.reason = reason
        self.remedy = remedy


class TooLate(Exception):  # noqa: N818 - an outcome, not an error
    """The look's deadline passed while it waited. Carries a Message."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason.key)
        self.reason = reason


@dataclass
class Reach:
    """One look's hands. `deadline` and `until` are monotonic seconds.

    `window` is how long a deep look may spread its readings over; `until` when that window ends;
    `deadline` when the answer must be there (window + 2 s).
    """

    root: Root
    window: float
    until: float
    deadline: float
    entry: str = ""
    prometheus: str = ""
    """Base URL of a Prometheus-compatible API that may be asked, '' for none."""
    privileged: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    spent: float = 0.0
    """CPU seconds of helper threads, which the look's own thread clock does not count."""

    def now(self) -> float:
        """Epoch seconds, of the machine or of the frozen moment."""
        return self.root.now()

    def left(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.deadline - time.monotonic())

    def pause(self, seconds: float) -> None:
        """Wait, but not beyond the deadline; raises TooLate when told to stop meanwhile."""
        if self.root.frozen:
            return
        if self.stop.wait(min(seconds, self.left())):
            raise TooLate(say("look.stopped"))

    def pause_until_window_ends(self, *, before: float = 0.0) -> None:
        """Wait until the window ends (or `before` seconds earlier)."""
        self.pause(max(0.0, self.until - before - time.monotonic()))
