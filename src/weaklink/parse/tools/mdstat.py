"""Linux software RAID, as /proc/mdstat prints it.

Format: kernel, drivers/md/md.c (md_seq_show) and the personalities' status functions.
"""

from __future__ import annotations

import re

from weaklink.model.fact_disk import RaidArray, RaidMember
from weaklink.model.take import Take
from weaklink.parse.figures import decimal
from weaklink.parse.text_tool import Passage, tool

_ARRAY = re.compile(r"(md[\w.-]{1,32})\s?: (active|inactive|broken|clear|readonly)\b(.{0,4000})$")
_LEVEL = re.compile(r"raid\d{1,2}|linear|multipath|faulty|container")
_MEMBER = re.compile(r"([\w./!-]{1,64})\[(\d{1,6})\]((?:\([A-Z]\)){0,3})")
_COUNT = re.compile(r"\[(\d{1,5})/(\d{1,5})\]")
_MAP = re.compile(r"\[([U_]{1,512})\]\s*$")
_ACTIVITY = re.compile(
    r"(recovery|resync|check|reshape|repair)\s{0,3}=\s{0,3}([\d.,]{1,8}%|DELAYED|PENDING|REMOTE)"
)
_FINISH = re.compile(r"finish=([\d.]{1,12})min")
_SPEED = re.compile(r"speed=(\d{1,12})K/sec")
_STATES = {"F": "failed", "S": "spare", "W": "write-mostly", "J": "journal", "R": "replacement"}


def _goes_on(line: str) -> bool:
    bare = line.lstrip()
    return bare.startswith(("md", "Personalities", "unused devices", "[", "bitmap:", "resync")) or (
        " blocks" in line or " chunks" in line or _ACTIVITY.search(line[:300]) is not None
    )


@tool(
    "mdstat",
    heads=("Personalities :", "md"),
    starts=lambda line: line.lstrip().startswith("Pers") or _ARRAY.match(line.strip()) is not None,
    goes_on=_goes_on,
    commands=("mdstat",),
)
def mdstat(passage: Passage) -> Take | None:
    """Arrays of /proc/mdstat; None where not one array stands in it whole."""
    arrays: list[RaidArray] = []
    current: list[str] = []
    for line in [*passage.lines, "md"]:
        bare = line.strip()
        if bare.startswith(("md", "unused devices", "Personalities")):
            array = _array(current)
            if array is not None:
                arrays.append(array)
            current = [bare] if bare.startswith("md") else []
        elif bare and current:
            current.append(bare)
    if not arrays:
        return None
    return Take(hardware=list(arrays))


def _array(lines: list[str]) -> RaidArray | None:
    head = _ARRAY.match(lines[0]) if lines else None
    if head is None or len(lines) < 2 or " blocks" not in lines[1]:
        return None
    level = _LEVEL.search(head.group(3)) or _LEVEL.search(lines[1])
    members = [
        RaidMember(
            name=name,
            role=int(role),
            state=" ".join(_STATES.get(mark, mark) for mark in re.findall(r"[A-Z]", marks)),
        )
        for name, role, marks in _MEMBER.findall(head.group(3))
    ]
    count = _COUNT.search(lines[1])
    places = _MAP.search(lines[1])
    rest = " ".join(lines[2:])[:4000]
    activity = _ACTIVITY.search(rest)
    finish, speed = _FINISH.search(rest), _SPEED.search(rest)
    minutes = decimal(finish.group(1)) if finish else None
    state = head.group(2)
    for mark in ("(auto-read-only)", "(read-only)"):
        if mark in head.group(3):
            state += f" {mark}"
    return RaidArray(
        name=head.group(1),
        level=level.group() if level else "",
        state=state,
        wanted=int(count.group(1)) if count else None,
        working=int(count.group(2)) if count else None,
        missing_slots=[at for at, mark in enumerate(places.group(1)) if mark == "_"]
        if places
        else [],
        members=members,
        activity=activity.group(1) if activity else "",
        progress=activity.group(2) if activity else "",
        speed_bytes=int(speed.group(1)) * 1024.0 if speed else None,
        finish_seconds=minutes * 60 if minutes is not None else None,
        device=f"/dev/{head.group(1)}",
        line=lines[0],
        line2=lines[1],
    )
