"""Makes a line of a stranger's text fit to be quoted: secrets out, length bounded."""

from __future__ import annotations

from weaklink.parse.redact import redact

MAX_QUOTED = 1000


def quoted(line: str) -> str:
    """The line without its margins and secrets, at most MAX_QUOTED characters."""
    return redact(line.strip()[:MAX_QUOTED])
