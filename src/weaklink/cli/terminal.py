"""What the terminal can do, and the line of progress on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

from weaklink.model.message import Message
from weaklink.report.phrase import Voice, phrase
from weaklink.report.safe import plain
from weaklink.report.text import COLUMNS
from weaklink.report.wrap import wrap
from weaklink.words import translation


def language(environment: Mapping[str, str] = os.environ) -> str:
    """The first of LC_ALL, LC_MESSAGES, LANG that is set, where we have its texts; else `en`."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(name, "")
        if value:
            code = value[:2].lower()
            return code if code.isascii() and code.isalpha() and translation(code) else "en"
    return "en"


def colour(environment: Mapping[str, str] = os.environ) -> bool:
    """Only on a terminal that can, and never with NO_COLOR."""
    wanted = not environment.get("NO_COLOR") and environment.get("TERM", "dumb") != "dumb"
    return wanted and sys.stdout.isatty()


def columns() -> int:
    """80, or fewer on a narrower terminal."""
    try:
        return min(COLUMNS, os.get_terminal_size(sys.stdout.fileno()).columns or COLUMNS)
    except (OSError, ValueError):
        return COLUMNS


class Progress:
    """One line on stderr that says what is being done; nothing where stderr is no terminal."""

    def __init__(self, speaks: str) -> None:
        self._voice = Voice(speaks)
        self._on = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._shown = False

    @property
    def tell(self) -> Callable[[Message], None]:
        """What a diagnosis calls as it goes on."""
        return self._tell

    def _tell(self, message: Message) -> None:
        if not self._on:
            return
        line = wrap(plain(phrase(message, self._voice)), COLUMNS - 1)[0]
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()
        self._shown = True

    def done(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False
