"""ssacli, hpssacli, hpacucli: HP Smart Arrays, their arrays, logical and physical drives."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_disk import PhysicalDrive, RaidArray, RaidController
from weaklink.model.take import Take
from weaklink.parse.text_tool import Passage, tool

_CONTROLLER = re.compile(
    r"((?:HPE? )?(?:Smart (?:Array|HBA)|Dynamic Smart Array|MSCC)\b.{0,60}?) in Slot (\w{1,10})"
)
_ARRAY = re.compile(r"(?:Array|array)[: ] ?([A-Z]{1,2})\b(?: \(([^()]{1,60})\))?")
_LOGICAL = re.compile(r"logicaldrive (\d{1,4}) \(([^()]{1,160})\)")
_PHYSICAL = re.compile(r"physicaldrive ([\w:]{1,24}) \((.{1,200})\)$")
_STATUSES = re.compile(
    r"OK|Failed|Predictive Failure|Rebuilding|Interim Recovery|Recovering|Ready for Rebuild|"
    r"Transforming|Queued for Expansion|Erasing|Waiting"
)


@tool(
    "ssacli",
    heads=(
        "Smart Array",
        "Smart HBA",
        "HP Smart",
        "HPE Smart",
        "Dynamic Smart",
        "array ",
        "logicaldrive ",
        "physicaldrive ",
    ),
    starts=lambda line: (
        _CONTROLLER.search(line) is not None
        or _LOGICAL.search(line) is not None
        or _PHYSICAL.search(line.strip()) is not None
    ),
    commands=("ssacli", "hpssacli", "hpacucli"),
)
def ssacli(passage: Passage) -> Take | None:
    """Controller, arrays, logical and physical drives with the status that each line prints."""
    found: list[Any] = []
    controller: dict[str, tuple[str, str]] = {}
    model, slot, array, logical, drive = "", "", "", "", ""
    seen: set[tuple[str, str]] = set()
    for raw in passage.lines:
        line = raw.strip()
        head = _CONTROLLER.search(line)
        if head:
            found += _controller(controller, model, slot)
            controller, model, slot = {}, head.group(1), head.group(2)
            array = logical = drive = ""
            continue
        fact, array = _inline(line, slot, array)
        if fact is not None:
            key = (type(fact).__name__, fact.name if isinstance(fact, RaidArray) else fact.slot)
            if key not in seen:
                seen.add(key)
                found.append(fact)
            continue
        name, colon, value = line.partition(":")
        name, value = name.strip(), value.strip()
        if line.startswith("physicaldrive "):
            drive, logical = line.split()[1], ""
        elif name == "Logical Drive" and value:
            logical, drive = value, ""
        elif name in {"Array", "array"} and value:
            logical = drive = ""
        elif colon and name == "Status" and value:
            fact = _status(value, line, slot, array, logical, drive)
            if fact is not None:
                found = _put(found, fact, seen)
        elif colon and not (logical or drive or array) and name not in controller:
            controller[name] = (value, line)
    found += _controller(controller, model, slot)
    return Take(hardware=found) if found else None


def _inline(line: str, slot: str, array: str) -> tuple[PhysicalDrive | RaidArray | None, str]:
    """A line that carries its own status in parentheses; else None and the array we are in."""
    logical = _LOGICAL.search(line)
    if logical:
        parts = [part.strip() for part in logical.group(2).split(",")]
        level = next((part for part in parts if part.upper().startswith("RAID")), "")
        status = parts[-1]
        return (
            RaidArray(
                name=f"logicaldrive {logical.group(1)}",
                controller=f"slot {slot}",
                group=array,
                level=_level(level),
                state=status,
                line=line,
            ),
            array,
        )
    physical = _PHYSICAL.search(line)
    if physical:
        parts = [part.strip() for part in physical.group(2).split(",")]
        status = next((part for part in reversed(parts) if _STATUSES.match(part)), parts[-1])
        return _drive(physical.group(1), status, line, slot, array, parts), array
    named = _ARRAY.match(line)
    if named:
        array = named.group(1)
        status = named.group(2) or ""
        if status and not status.startswith(("SAS", "SATA", "Solid", "NVMe", "Unused")):
            return (
                RaidArray(
                    name=f"array {array}", controller=f"slot {slot}", state=status, line=line
                ),
                array,
            )
    return None, array


def _level(text: str) -> str:
    level = text.lower().replace("raid ", "raid").replace("+", "").split(" ")[0]
    return "raid10" if level == "raid10" or text.startswith("RAID 1+0") else level


def _drive(
    bay: str, status: str, line: str, slot: str, array: str, parts: list[str]
) -> PhysicalDrive:
    interface = next((part for part in parts if "SAS" in part or "SATA" in part), "")
    return PhysicalDrive(
        controller=f"slot {slot}",
        slot=bay,
        state=status,
        group=array,
        interface=interface,
        size=next((part for part in parts if part.endswith(("GB", "TB"))), ""),
        tool="ssacli",
        line=line,
        state_line=line,
    )


def _status(
    value: str, line: str, slot: str, array: str, logical: str, drive: str
) -> PhysicalDrive | RaidArray | None:
    """A `Status:` line of the detailed listing, about whatever was named last."""
    if drive:
        return _drive(drive, value, f"physicaldrive {drive} {line}", slot, array, [])
    if logical:
        return RaidArray(
            name=f"logicaldrive {logical}",
            controller=f"slot {slot}",
            state=value,
            line=f"Logical Drive: {logical} {line}",
        )
    if array and value != "OK":
        return RaidArray(name=f"array {array}", controller=f"slot {slot}", state=value, line=line)
    return None


def _put(found: list[Any], fact: Any, seen: set[tuple[str, str]]) -> list[Any]:
    """Add a detailed status; where the same thing was listed before, the worse word stays."""
    name = fact.name if isinstance(fact, RaidArray) else fact.slot
    key = (type(fact).__name__, name)
    if key in seen and fact.state == "OK":
        return found
    seen.add(key)
    kept = [
        one
        for one in found
        if type(one) is not type(fact)
        or (one.name if isinstance(one, RaidArray) else one.slot) != name
    ]
    return [*kept, fact]


def _controller(fields: dict[str, tuple[str, str]], model: str, slot: str) -> list[RaidController]:
    names = ("Controller Status", "Cache Status", "Battery/Capacitor Status")
    if not any(name in fields for name in names):
        return []
    status, cache, battery = (fields.get(name, ("", ""))[0] for name in names)
    return [
        RaidController(
            name=f"slot {slot}",
            model=model,
            status=status,
            battery=battery,
            cache=cache,
            cache_detail=fields.get("Cache Status Details", ("", ""))[0],
            tool="ssacli",
            lines={
                key: fields[name][1]
                for key, name in zip(("status", "cache", "battery"), names, strict=True)
                if name in fields
            },
        )
    ]
