"""`lsblk`, plain and with `-o`: which device lies on which, and where it is mounted."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_disk import BlockDevice
from weaklink.model.take import Take
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 5000
_TREE = re.compile(r"[\u2500-\u257f`|\- ]{0,40}")
_KINDS = "disk part lvm crypt loop rom mpath dm linear"


def _is_header(line: str) -> bool:
    words = line.split()
    return words[:1] == ["NAME"] and ("MAJ:MIN" in words or "TYPE" in words or "HCTL" in words)


@tool(
    "lsblk",
    heads=("NAME ",),
    starts=_is_header,
    ends_at_blank=True,
    commands=("lsblk",),
)
def lsblk(passage: Passage) -> Take | None:
    """One BlockDevice a row; cells are cut at the header's columns, right-aligned ones too."""
    header = passage.lines[0]
    names = header.split()
    found: list[Any] = []
    stack: list[tuple[int, str]] = []
    for line in passage.lines[1:MAX_ROWS]:
        tree = _TREE.match(line)
        indent = len(tree.group()) if tree else 0
        words = line[indent:].split()
        if not words:
            continue
        if indent and not words[0][:1].isalnum() and found:
            continue
        if words[0].startswith("/") and found:
            last = found[-1]
            found[-1] = _with_mount(last, words[0])
            continue
        cells = _cells(words, names)
        while stack and stack[-1][0] >= indent:
            stack.pop()
        parent = stack[-1][1] if stack else ""
        stack.append((indent, words[0]))
        mount = next((word for word in words[1:] if word.startswith("/") or word == "[SWAP]"), "")
        found.append(
            BlockDevice(
                name=words[0],
                parent=parent,
                kind=next((w for w in words if w in _KINDS.split() or w.startswith("raid")), ""),
                size=cells.get("SIZE", ""),
                mounts=[mount] if mount else [],
                read_only=cells.get("RO") == "1",
                rotational={"1": True, "0": False}.get(cells.get("ROTA", "")),
                address=next((w for w in words if re.fullmatch(r"\d+:\d+:\d+:\d+", w)), ""),
                wwn=next((w for w in words if w.startswith(("0x5", "naa.", "eui."))), ""),
                line=line.strip(),
            )
        )
    return Take(hardware=found) if found else None


def _cells(words: list[str], names: list[str]) -> dict[str, str]:
    """Cells by name while no cell is empty or of two words: the leading columns never are."""
    found: dict[str, str] = {}
    for name, word in zip(names, words, strict=False):
        if name in {"MODEL", "MOUNTPOINT", "MOUNTPOINTS", "FSTYPE", "LABEL", "SERIAL"}:
            break
        found[name] = word
    return found


def _with_mount(device: BlockDevice, path: str) -> BlockDevice:
    import msgspec

    return msgspec.structs.replace(device, mounts=[*device.mounts, path])
