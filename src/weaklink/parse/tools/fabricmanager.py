"""NVIDIA's fabric manager log: NVSwitch errors of machines with eight GPUs or more."""

from __future__ import annotations

import re

from weaklink.model.fact_hardware import Clocked
from weaklink.model.take import Take
from weaklink.parse.text_tool import Passage, tool

MAX_KEPT = 500
_LINE = re.compile(
    r"\[(\w{3} {1,2}\d{1,2} \d{4} \d\d:\d\d:\d\d)\] \[(\w{3,9})\] \[tid \d{1,10}\] (.{1,600})"
)


@tool(
    "fabricmanager",
    heads=("[",),
    starts=lambda line: "[tid " in line[:60] and _LINE.match(line.strip()) is not None,
    goes_on=lambda line: line.startswith("Message payload details") or not line.strip(),
    scattered=True,
)
def fabricmanager(passage: Passage) -> Take | None:
    """Its errors and warnings, and one line that says that it was read."""
    kept: list[Clocked] = []
    read = 0
    for line in passage.lines:
        found = _LINE.match(line.strip())
        if found is None:
            continue
        read += 1
        level = found.group(2).upper()
        if level not in {"INFO", "DEBUG"} and len(kept) < MAX_KEPT:
            text = found.group(3)
            kept.append(Clocked(daemon="fabricmanager", level=level, text=text, raw=line.strip()))
    if not read:
        return None
    if not kept:
        last = passage.lines[-1].strip()
        kept = [Clocked(daemon="fabricmanager", level="QUIET", text=str(read), raw=last[:300])]
    return Take(hardware=list(kept))
