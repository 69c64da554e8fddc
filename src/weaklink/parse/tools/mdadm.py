"""`mdadm --detail`: one Linux software RAID array with every member's state."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_disk import RaidArray, RaidMember
from weaklink.model.take import Take
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

_HEAD = re.compile(r"(/dev/md[\w/.-]{1,40}):\s{0,4}$")
_ROW = re.compile(
    r"(\d{1,6}|-) {1,12}(\d{1,6}) {1,12}(\d{1,8}) {1,12}(\d{1,6}|-) {1,8}([a-z][a-z -]{2,40}?)"
    r"(?: {1,8}(/dev/\S{1,60}))?\s{0,4}$"
)
_ACTIVITIES = {"recovering": "recovery", "resyncing": "resync", "checking": "check",
               "reshaping": "reshape"}  # fmt: skip


@tool(
    "mdadm",
    heads=("/dev/md",),
    starts=lambda line: _HEAD.match(line.strip()) is not None,
    goes_on=lambda line: line.startswith((" ", "\t")) or _HEAD.match(line.strip()) is not None,
    commands=("mdadm",),
)
def mdadm(passage: Passage) -> Take | None:
    """Each array that the text details; None where a state is missing."""
    blocks: list[list[str]] = []
    for line in passage.lines:
        if _HEAD.match(line.strip()):
            blocks.append([line.strip()])
        elif blocks:
            blocks[-1].append(line.strip())
    found: list[Any] = [array for block in blocks if (array := _array(block)) is not None]
    return Take(hardware=found) if found else None


def _array(lines: list[str]) -> RaidArray | None:
    fields: dict[str, tuple[str, str]] = {}
    members: list[RaidMember] = []
    missing: list[int] = []
    for line in lines[1:]:
        name, colon, value = line.partition(" : ")
        if colon:
            fields.setdefault(name.strip(), (value.strip(), line))
            continue
        row = _ROW.match(line)
        if row is None:
            continue
        if row.group(5).strip() == "removed":
            missing.append(whole(row.group(4)) or 0)
            continue
        state = row.group(5)
        members.append(
            RaidMember(
                name=(row.group(6) or "?").removeprefix("/dev/"),
                role=whole(row.group(4)),
                state="failed" if "faulty" in state else "spare" if "spare" in state else "",
            )
        )
    state, state_line = fields.get("State", ("", ""))
    if not state:
        return None
    words = [word.strip().lower() for word in state.split(",")]
    activity = next((_ACTIVITIES[word] for word in words if word in _ACTIVITIES), "")
    name = lines[0].rstrip(": ").removeprefix("/dev/")
    rebuild = fields.get("Rebuild Status", fields.get("Resync Status", ("", "")))[0]
    inactive = "inactive" in words or "not started" in state.lower() or "failed" in words
    return RaidArray(
        name=name,
        level=fields.get("Raid Level", ("", ""))[0].lower(),
        state="inactive" if inactive else "active",
        wanted=whole(fields.get("Raid Devices", ("", ""))[0]),
        working=whole(fields.get("Active Devices", ("", ""))[0]),
        missing_slots=missing if "degraded" in words or missing else [],
        members=members,
        activity=activity,
        progress=rebuild.split(" ")[0] if rebuild else "",
        device=f"/dev/{name}",
        line=lines[0],
        line2=state_line,
    )
