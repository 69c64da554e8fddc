"""`nvidia-smi -q`: the full report as an indented list, whole or a piece of it."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.take import Take
from weaklink.parse.gpu_fields import Leaf, gpu_facts, path_part
from weaklink.parse.text_tool import Passage, tool

MAX_LINES = 200_000
_GPU = re.compile(r"GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s*$")
_SECTIONS = (
    "Performance State",
    "Clocks Event Reasons",
    "Clocks Throttle Reasons",
    "ECC Errors",
    "Remapped Rows",
    "FB Memory Usage",
    "GPU Power Readings",
    "Retired Pages",
    "MIG Mode",
)


def _starts(line: str) -> bool:
    bare = line.strip()
    if bare.startswith(("====", "GPU 0")):
        return "NVSMI LOG" in bare or _GPU.match(bare) is not None
    if bare.startswith("Attached GPUs"):
        return ":" in bare
    return line.startswith("    ") and bare.partition(":")[0].strip() in _SECTIONS


def _goes_on(line: str) -> bool:
    return line.startswith(("    ", "\t", "GPU 0", "====", "...", "[...]")) or (
        " : " in line and line[:1].isupper()
    )


@tool(
    "nvidia-smi-q",
    heads=("====", "GPU 0", "Attached GPUs", *_SECTIONS),
    starts=_starts,
    goes_on=_goes_on,
    commands=("nvidia-smi",),
)
def nvidia_smi_query(passage: Passage) -> Take | None:
    """Each GPU with every field that the text has; None where it has none of a GPU's."""
    facts: list[Any] = []
    leaves: list[Leaf] = []
    bus = ""
    stack: list[tuple[int, str]] = []
    for line in passage.lines[:MAX_LINES]:
        bare = line.strip()
        head = _GPU.match(bare)
        if head:
            facts += _gpu(leaves, bus)
            leaves, bus, stack = [], head.group(1), []
            continue
        if not bare or not line.startswith((" ", "\t")) or bare in {"[...]", "..."}:
            continue
        indent = len(line) - len(line.lstrip())
        while stack and stack[-1][0] >= indent:
            stack.pop()
        name, colon, value = bare.partition(" : ")
        if not colon and bare.endswith(":"):
            name = bare[:-1]
        if colon:
            path = "/".join([*(part for _, part in stack), path_part(name)])
            leaves.append(Leaf(path, value.strip()[:200], " ".join(bare.split())[:300]))
        stack.append((indent, path_part(name)))
    facts += _gpu(leaves, bus)
    return Take(hardware=facts) if facts else None


def _gpu(leaves: list[Leaf], bus: str) -> list[Any]:
    """The facts of one GPU; nothing where its piece of the text holds no field at all."""
    return list(gpu_facts(leaves, bus)) if len(leaves) >= 2 else []
