"""Work that takes a while, beside the loop: one helper program of ours at a time, and its answer.

A look around and a deep look run as processes of their own: their memory is gone when they end,
and the loop never waits for them.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import NamedTuple

from weaklink.reach.exec import run
from weaklink.reach.host import NotAllowed, NotHere, TooLate

ENTRY = "from weaklink.cli.main import main; main()"
MAX_ANSWER = 64 << 20


class Answer(NamedTuple):
    """What a helper said: its exit code, its output, why there is none."""

    what: str
    code: int
    output: bytes
    trouble: str = ""


class Aside:
    """At most one helper at a time."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._answers: list[Answer] = []
        self.cost = 0.0

    @property
    def busy(self) -> bool:
        """Whether a helper runs."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, what: str, arguments: list[str], seconds: float) -> bool:
        """Run `weaklink …` aside; False where one still runs."""
        if self.busy:
            return False
        argv = [sys.executable, "-c", ENTRY, *arguments]
        self._thread = threading.Thread(
            target=self._run, args=(what, argv, seconds), name=f"weaklink-{what}", daemon=True
        )
        self._thread.start()
        return True

    def take(self) -> Answer | None:
        """The answer of a helper that has ended, once."""
        if self.busy or not self._answers:
            return None
        return self._answers.pop(0)

    def _run(self, what: str, argv: list[str], seconds: float) -> None:
        try:
            ran = run(argv, time.monotonic() + seconds, MAX_ANSWER)
        except (NotHere, NotAllowed, TooLate) as error:
            from weaklink.words import render

            self._answers.append(Answer(what, 2, b"", render(error.reason)))
            return
        trouble = ran.stderr.decode("utf-8", "replace")[:200] if ran.returncode == 2 else ""
        self._answers.append(Answer(what, ran.returncode, ran.stdout, trouble))
