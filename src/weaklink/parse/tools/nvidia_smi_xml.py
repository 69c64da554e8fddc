"""`nvidia-smi -q -x`: the full report as XML, read without an XML parser.

The tool prints one element a line; entities and document types are left alone, so that a hostile
file has nothing to expand.
"""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.take import Take
from weaklink.parse.gpu_fields import Leaf, gpu_facts, path_part
from weaklink.parse.text_tool import Passage, tool

MAX_DEPTH = 24
_OPEN = re.compile(r"<([A-Za-z_][\w.-]{0,80})((?: [\w-]{1,24}=\"[^\"<>]{0,200}\"){0,6}) ?(/?)>")
_CLOSE = re.compile(r"</([A-Za-z_][\w.-]{0,80})>")
_ID = re.compile(r' id="([^"]{1,40})"')
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}


@tool(
    "nvidia-smi-xml",
    heads=("<?xml", "<nvidia_smi_log", "<!DOCTYPE nvidia_smi_log", "<gpu id="),
    starts=lambda line: "xml" in line[:8] or "nvidia_smi_log" in line or "<gpu id=" in line,
    goes_on=lambda line: (
        line.lstrip().startswith("<") or line.strip() in {"None", "N/A", ""} or len(line) < 200
    ),
    commands=("nvidia-smi",),
)
def nvidia_smi_xml(passage: Passage) -> Take | None:
    """Each GPU whose element is closed; None where there is none."""
    if not any("nvidia_smi_log" in line or "<gpu id=" in line for line in passage.lines[:8]):
        return None
    facts: list[Any] = []
    leaves: list[Leaf] = []
    stack: list[str] = []
    bus = ""
    for line in passage.lines:
        bare = line.strip()
        opened = _OPEN.match(bare)
        if opened is None:
            closed = _CLOSE.match(bare)
            if closed and stack and stack[-1] == closed.group(1):
                stack.pop()
                if closed.group(1) == "gpu":
                    facts += gpu_facts(leaves, bus)
                    leaves = []
            continue
        name, attributes, empty = opened.groups()
        if name == "gpu":
            found = _ID.search(attributes)
            bus, leaves, stack = (found.group(1) if found else ""), [], ["gpu"]
            continue
        rest = bare[opened.end() :]
        value, found_close, _ = rest.partition(f"</{name}>")
        if found_close or empty:
            if stack[:1] == ["gpu"]:
                path = "/".join(path_part(part) for part in [*stack[1:], name])
                leaves.append(Leaf(path, _plain(value), bare[:300]))
        elif len(stack) < MAX_DEPTH and stack[:1] == ["gpu"]:
            stack.append(name)
            if name == "processes":
                # It may hold none: that it was listed is said by the element itself.
                leaves.append(Leaf("processes", "", bare[:300]))
    return Take(hardware=facts) if facts else None


def _plain(value: str) -> str:
    value = value.strip()[:300]
    if "&" in value:
        for entity, character in _ENTITIES.items():
            value = value.replace(entity, character)
    return value
