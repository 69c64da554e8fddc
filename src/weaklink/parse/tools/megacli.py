"""MegaCli: `-PDList`, `-LDInfo`, `-AdpBbuCmd`, each a list of `Name: value` lines."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_disk import PhysicalDrive, RaidArray, RaidController
from weaklink.model.take import Take
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

MAX_DRIVES = 1000
_GROUP = re.compile(r"DiskGroup: (\d{1,4})")
_LEVEL = re.compile(r"Primary-(\d{1,2}), Secondary-(\d{1,2})")
_VIRTUAL = re.compile(r"(?:CacheCade )?Virtual (?:Drive|Disk): ?(\d{1,4})")
_COUNTS = {
    "Media Error Count": "media_errors",
    "Other Error Count": "other_errors",
    "Predictive Failure Count": "predictive",
}


@tool(
    "megacli",
    heads=(
        "Enclosure Device ID:",
        "Slot Number:",
        "Virtual Drive:",
        "Virtual Disk:",
        "Adapter #",
        "Adapter 0 --",
        "BBU status for Adapter",
    ),
    goes_on=lambda line: ":" in line or line.startswith(("Adapter", " ", "IBM")) or "=" in line,
    commands=("megacli", "MegaCli", "MegaCli64", "megacli64"),
)
def megacli(passage: Passage) -> Take | None:
    """Drives by enclosure and slot, logical drives, the battery."""
    drives: list[PhysicalDrive] = []
    arrays: list[RaidArray] = []
    controllers: list[RaidController] = []
    adapter = "a0"
    current: dict[str, tuple[str, str]] = {}
    for raw in [*passage.lines, "Enclosure Device ID:"]:
        line = raw.strip()
        name, colon, value = line.partition(":")
        name, value = name.strip(), value.strip()
        if line.startswith("Adapter #"):
            number = line.removeprefix("Adapter #").strip()
            adapter = f"a{number}" if number.isdigit() else adapter
        if _begins(name, line, current):
            _flush(current, adapter, drives, arrays, controllers)
            current = {}
        if colon and name not in current and len(current) < 120:
            current[name] = (value, line)
    found: list[Any] = [*drives[:MAX_DRIVES], *arrays[:MAX_DRIVES], *controllers]
    return Take(hardware=found) if found else None


def _begins(name: str, line: str, current: dict[str, tuple[str, str]]) -> bool:
    if name in {"Enclosure Device ID", "Virtual Drive", "CacheCade Virtual Drive", "Virtual Disk"}:
        return True
    if name == "Slot Number" and "Slot Number" in current:
        return True
    return line.startswith(("Adapter #", "BBU status for Adapter"))


def _flush(
    current: dict[str, tuple[str, str]],
    adapter: str,
    drives: list[PhysicalDrive],
    arrays: list[RaidArray],
    controllers: list[RaidController],
) -> None:
    """What was gathered since the last beginning, as the fact that it is."""
    if "Slot Number" in current and "Firmware state" in current:
        drives.append(_drive(current, adapter))
    elif any(_VIRTUAL.match(f"{name}: {value[0]}") for name, value in current.items()):
        array = _array(current, adapter)
        if array is not None:
            arrays.append(array)
    elif "Battery State" in current or "Battery Replacement required" in current:
        controllers.append(_battery(current, adapter))


def _value(current: dict[str, tuple[str, str]], name: str) -> str:
    return current.get(name, ("", ""))[0]


def _drive(current: dict[str, tuple[str, str]], adapter: str) -> PhysicalDrive:
    counts = {field: whole(_value(current, name)) for name, field in _COUNTS.items()}
    alert = _value(current, "Drive has flagged a S.M.A.R.T alert")
    group = _GROUP.search(_value(current, "Drive's position"))
    enclosure = _value(current, "Enclosure Device ID")
    temperature = re.match(r"(\d{1,3})C", _value(current, "Drive Temperature"))
    return PhysicalDrive(
        controller=adapter,
        enclosure=enclosure if enclosure.isdigit() else "",
        slot=_value(current, "Slot Number"),
        did=_value(current, "Device Id"),
        state=_value(current, "Firmware state"),
        group=group.group(1) if group else "",
        interface=_value(current, "PD Type"),
        medium="SSD" if "Solid State" in _value(current, "Media Type") else "HDD",
        size=_value(current, "Coerced Size").partition(" [")[0][:40],
        model=" ".join(_value(current, "Inquiry Data").split())[:60],
        smart_alert=alert.lower().startswith("yes") if alert else None,
        temperature=float(temperature.group(1)) if temperature else None,
        tool="megacli",
        line=current["Slot Number"][1],
        state_line=current["Firmware state"][1],
        lines={name: current[name][1] for name in _COUNTS if name in current},
        **counts,
    )


def _array(current: dict[str, tuple[str, str]], adapter: str) -> RaidArray | None:
    state = _value(current, "State")
    number = next(
        (
            found.group(1)
            for name, value in current.items()
            if (found := _VIRTUAL.match(f"{name}: {value[0]}"))
        ),
        "",
    )
    if not state or not number:
        return None
    level = _LEVEL.search(_value(current, "RAID Level"))
    spans = whole(_value(current, "Span Depth")) or 1
    name = f"raid{level.group(1)}" if level else ""
    if name and spans > 1:
        name += "0"
    cache = _value(current, "Current Cache Policy")
    return RaidArray(
        name=f"VD {number}",
        controller=adapter,
        group=number,
        level=name,
        state=state,
        wanted=whole(_value(current, "Number Of Drives")),
        cache=cache,
        line=current["State"][1],
        line2=current.get("Current Cache Policy", ("", ""))[1],
    )


def _battery(current: dict[str, tuple[str, str]], adapter: str) -> RaidController:
    replace = _value(current, "Battery Replacement required").lower() == "yes"
    state = _value(current, "Battery State")
    name = "Battery Replacement required" if replace else "Battery State"
    return RaidController(
        name=adapter,
        battery="replacement required" if replace else state,
        tool="megacli",
        lines={"battery": current[name][1]} if name in current else {},
    )
