"""storcli and perccli with `J`: controllers, virtual drives, drives with their error counters."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_disk import PhysicalDrive, RaidArray, RaidController
from weaklink.model.take import Take
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 4000
_DRIVE = re.compile(r"Drive /c(\d{1,3})(?:/e(\d{1,4}))?/s(\d{1,4}) ?-? ?(Detailed)?")


def _is_storcli(value: Any) -> bool:
    rows = value.get("Controllers") if isinstance(value, dict) else None
    return isinstance(rows, list) and any(
        isinstance(row, dict) and "Command Status" in row for row in rows
    )


@tool("storcli-json", document=_is_storcli, commands=("storcli64", "storcli", "perccli64"))
def storcli_json(passage: Passage) -> Take | None:
    """Everything that a `… show [all] J` says of drives, arrays and the controller."""
    if not _is_storcli(passage.document):
        return None
    found: list[Any] = []
    for row in passage.document["Controllers"]:
        status = _table(_table(row).get("Command Status"))
        data = _table(_table(row).get("Response Data"))
        name = f"c{status.get('Controller', '')}"
        found += _controller(data, name)
        counters = _counters(data)
        for rows in _lists(data):
            for one in rows[:MAX_ROWS]:
                fact = _fact(one, name, counters)
                if fact is not None and fact not in found:
                    found.append(fact)
    return Take(hardware=found[:MAX_ROWS]) if found else None


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _lists(data: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Lists of rows anywhere one level down, as each firmware arranges them."""
    found = []
    for value in data.values():
        inner = value.values() if isinstance(value, dict) else (value,)
        for part in inner:
            if isinstance(part, list):
                found.append([one for one in part if isinstance(one, dict)])
    return found


def _text(value: Any) -> str:
    return str(value).strip()[:120] if isinstance(value, (str, int, float)) else ""


def _count(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    return value if isinstance(value, int) else whole(_text(value))


def _quote(row: dict[str, Any], *keys: str) -> str:
    return ", ".join(f'"{key}": "{_text(row[key])}"' for key in keys if key in row)


def _fact(
    row: dict[str, Any], controller: str, counters: dict[tuple[str, str], dict[str, Any]]
) -> PhysicalDrive | RaidArray | RaidController | None:
    if "DG/VD" in row:
        group, _, name = _text(row["DG/VD"]).rpartition("/")
        return RaidArray(
            name=f"VD {name}",
            controller=controller,
            group="" if group == "-" else group,
            level=_text(row.get("TYPE") or row.get("Type")).lower(),
            state=_text(row.get("State")),
            cache=_text(row.get("Cache")),
            line=_quote(row, "DG/VD", "TYPE", "State", "Cache", "Size", "Name"),
        )
    if "Hlth" in row and "Ctl" in row:
        return RaidController(
            name=f"/c{_text(row['Ctl'])}",
            model=_text(row.get("Model")),
            status=_text(row["Hlth"]),
            battery=_text(row.get("BBU")).replace("N/A", ""),
            groups=_count(row.get("DGs")),
            groups_not_optimal=_count(row.get("DNOpt")),
            drives=_count(row.get("VDs")),
            drives_not_optimal=_count(row.get("VNOpt")),
            tool="storcli",
            lines={"status": _quote(row, "Ctl", "Model", "DNOpt", "VNOpt", "BBU", "Hlth")},
        )
    if "EID:Slt" not in row or "State" not in row:
        return None
    enclosure, _, slot = _text(row["EID:Slt"]).rpartition(":")
    state = _text(row["State"])
    if "Status" in row:
        state = f"{state} {_text(row['Status'])}"
    own = counters.get((enclosure.strip(), slot), {})
    alert = own.get("S.M.A.R.T alert flagged by drive")
    group = _text(row.get("DG"))
    line = _quote(row, "EID:Slt", "DID", "State", "Status", "DG", "Size", "Model")
    return PhysicalDrive(
        controller=controller,
        enclosure=enclosure.strip(),
        slot=slot,
        did=_text(row.get("DID") or row.get("PID")) or ("0" if row.get("DID") == 0 else ""),
        state=state,
        group="" if group in {"-", "F"} else group,
        interface=_text(row.get("Intf")),
        medium=_text(row.get("Med")),
        size=_text(row.get("Size")),
        model=_text(row.get("Model")),
        media_errors=_count(own.get("Media Error Count")),
        other_errors=_count(own.get("Other Error Count")),
        predictive=_count(own.get("Predictive Failure Count")),
        smart_alert=_text(alert).lower().startswith("yes") if alert is not None else None,
        tool="storcli",
        line=line,
        state_line=line,
        lines={key: f'"{key}": {_text(value)}' for key, value in list(own.items())[:12]},
    )


def _counters(data: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """The `… State` table of each drive's detailed information, by (enclosure, slot)."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for key, value in data.items():
        name = _DRIVE.match(key)
        if name is None or name.group(4) is None or not isinstance(value, dict):
            continue
        for part, table in value.items():
            if part.endswith(" State") and isinstance(table, dict):
                found[name.group(2) or "", name.group(3)] = table
    return found


def _controller(data: dict[str, Any], name: str) -> list[RaidController]:
    status = _text(_table(data.get("Status")).get("Controller Status"))
    battery, source = "", ""
    for key in ("BBU_Info", "Cachevault_Info"):
        rows = data.get(key)
        first = _table(rows[0]) if isinstance(rows, list) and rows else {}
        if "State" in first:
            battery, source = _text(first["State"]), key
    if not status and not battery:
        return []
    lines = {"status": f'"Controller Status": "{status}"'} if status else {}
    if battery:
        lines["battery"] = f'"{source}": "State": "{battery}"'
    return [
        RaidController(
            name=name,
            model=_text(_table(data.get("Basics")).get("Model")),
            status=status,
            battery=battery,
            tool="storcli",
            lines=lines,
        )
    ]
