"""What smartd writes into the system's log and into its mails."""

from __future__ import annotations

import re

from weaklink.model.fact_hardware import Clocked
from weaklink.model.take import Take
from weaklink.parse.redact import redact
from weaklink.parse.text_tool import Passage, tool

MAX_KEPT = 500
_LINE = re.compile(r"Device: (/dev/[\w/!-]{1,64}(?: \[[\w+ ]{1,40}\]){0,2}), (.{1,300})")


@tool(
    "smartd",
    needles=("Device: /dev/",),
    starts=lambda line: _LINE.search(line[:500]) is not None,
    scattered=True,
)
def smartd(passage: Passage) -> Take | None:
    """One line a message; `level` is the device that it is about."""
    kept: list[Clocked] = []
    seen: set[tuple[str, str]] = set()
    for line in passage.lines:
        found = _LINE.search(line[:800])
        if found is None or (found.group(1), found.group(2)) in seen or len(kept) >= MAX_KEPT:
            continue
        seen.add((found.group(1), found.group(2)))
        raw = redact(line.strip()[:800])
        kept.append(Clocked(daemon="smartd", level=found.group(1), text=found.group(2), raw=raw))
    return Take(hardware=list(kept)) if kept else None
