"""storcli, storcli2, perccli: tables of controllers, drive groups, virtual and physical drives.

Columns are found by their header. `EID:Slt` may lack the enclosure (`:0`); sizes are two words.
States: Broadcom, "StorCLI Reference Manual" (the legend below each table).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from weaklink.model.fact_disk import PhysicalDrive, RaidArray, RaidController
from weaklink.model.take import Take
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 2000
_SLOT = re.compile(r"(\d{0,4}):(\d{1,4})$")
_GROUP_VD = re.compile(r"(\d{1,3}|-)/(\d{1,3})$")
_SIZE = re.compile(r"\d{1,9}(?:\.\d{1,4})?$")
_UNITS = {"B", "KB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB"}
_HEADS = ("EID:Slt", "DG/VD", "Ctl Model", "DG Arr Row", "EID Slt")
_REBUILD = re.compile(r"/c(\d{1,3})(?:/e(\d{1,4}))?/s(\d{1,4})\s{1,20}\d{1,3}\s{1,20}In progress\b")
_NAMED = re.compile(r"([A-Za-z][\w ./-]{0,48}?)\s{0,24}= (.{0,120})$")


def _is_head(line: str) -> bool:
    return line.lstrip().startswith(_HEADS) and len(line.split()) > 4


@tool(
    "storcli",
    heads=(
        *_HEADS,
        "CLI Version =",
        "Controller = ",
        "PD LIST",
        "VD LIST",
        "Drive Information :",
        "Drive /c",
        "Drive-ID ",
    ),
    starts=lambda line: not line.lstrip().startswith("Drive /c") or "State" in line,
    commands=("storcli", "storcli64", "storcli2", "perccli", "perccli64", "perccli2"),
)
def storcli(passage: Passage) -> Take | None:
    """Drives, arrays and controllers of every table and `Drive … State` block."""
    found: list[Any] = []
    header: list[str] = []
    head_line = ""
    details: dict[str, PhysicalDrive] = {}
    fields: dict[str, str] = {}
    where = ""
    for line, after in pairwise([*passage.lines, ""]):
        bare = line.strip()
        if (rebuilt := _REBUILD.match(bare)) and len(found) < MAX_ROWS:
            found.append(_rebuilding(rebuilt, bare))
            continue
        if bare.startswith("Model ") and " State " in f"{bare} " and not after.strip("- "):
            header, head_line = ["Model"], bare
            continue
        if _is_head(line):
            header, head_line = bare.split(), bare
        elif re.match(r"Drive /c\d{1,3}(?:/e\d{1,4})?/s\d{1,4}\b", bare):
            where = bare.split()[1]
        elif header and not bare.strip("-=") and bare:
            continue
        elif not bare:
            if header and found and len(bare) == 0:
                header = header if _rules_only(head_line) else []
        elif header:
            row = _row(bare, header)
            if row is not None and len(found) < MAX_ROWS:
                found.append(row)
        named = _NAMED.match(bare)
        if named and not header:
            _detail(named.group(1).strip(), named.group(2).strip(), bare, where, details, fields)
    found = _with_details(found, details)
    controller = _controller(fields)
    if controller is not None:
        found.append(controller)
    return Take(hardware=found) if found else None


def _rules_only(head: str) -> bool:
    """A table may hold blank lines inside only where its header is the controllers' list."""
    return head.startswith("Ctl Model")


def _row(line: str, header: list[str]) -> Any:
    words = line.split()
    if header[0] == "Ctl":
        return _controller_row(words, header, line)
    if header[0] == "DG/VD":
        return _virtual(words, line)
    if header[0] == "Model" and len(words) > 3:
        return RaidController(
            name="controller", battery=words[1], tool="storcli", lines={"battery": line}
        )
    if header[0] == "EID:Slt":
        return _physical(words, header, line)
    if header[:3] == ["DG", "Arr", "Row"]:
        return _topology(words, header, line)
    return None


def _rebuilding(row: re.Match[str], line: str) -> PhysicalDrive:
    """A row of `show rebuild`: the drive that is being filled, and how far."""
    return PhysicalDrive(
        controller=f"c{row[1]}",
        enclosure=row[2] or "",
        slot=row[3],
        state="Rbld",
        tool="storcli",
        line=line,
        state_line=line,
    )


def _physical(words: list[str], header: list[str], line: str) -> PhysicalDrive | None:
    slot = _SLOT.match(words[0])
    if slot is None or len(words) < 4:
        return None
    values = dict(zip(header, words, strict=False))
    state = values.get("State", "")
    if "Status" in header:
        # storcli2: `Conf Online`: configured or not, and how it is.
        state = f"{values.get('State', '')} {values.get('Status', '')}"
    if not state or not re.match(r"[A-Za-z]", state):
        return None
    size = next(
        (
            f"{number} {unit}"
            for number, unit in pairwise(words)
            if unit in _UNITS and _SIZE.match(number)
        ),
        "",
    )
    medium = next((word for word in words if word in {"HDD", "SSD"}), "")
    interface = next((word for word in words if word in {"SAS", "SATA", "NVMe"}), "")
    group = values.get("DG", "")
    return PhysicalDrive(
        enclosure=slot.group(1),
        slot=slot.group(2),
        did=values.get("DID", values.get("PID", "")),
        state=state,
        group=group if group not in {"-", "F"} else "",
        interface=interface,
        medium=medium,
        size=size,
        model=_model(words, header),
        tool="storcli",
        line=line,
        state_line=line,
    )


def _model(words: list[str], header: list[str]) -> str:
    sector = next((at for at, word in enumerate(words) if word in {"512B", "4KB", "4 KB"}), -1)
    return words[sector + 1] if "Model" in header and 0 < sector < len(words) - 1 else ""


def _virtual(words: list[str], line: str) -> RaidArray | None:
    name = _GROUP_VD.match(words[0])
    if name is None or len(words) < 4:
        return None
    return RaidArray(
        name=f"VD {name.group(2)}",
        controller="storcli",
        group="" if name.group(1) == "-" else name.group(1),
        level=words[1].lower(),
        state=words[2],
        cache=next((word for word in words if word in {"RWBD", "RWTD", "NRWBD", "RAWBD"}), ""),
        line=line,
    )


def _topology(words: list[str], header: list[str], line: str) -> RaidArray | None:
    """The drive group's own row (`0 - - - - RAID5 Dgrd …`); members are in the drives' table."""
    if len(words) < 7 or words[1] != "-" or not words[0].isdigit():
        return None
    if not words[5].upper().startswith("RAID") or "Type" not in header:
        return None
    return RaidArray(
        name=f"DG {words[0]}",
        controller="storcli",
        group=words[0],
        level=words[5].lower(),
        state=words[6],
        line=line,
    )


def _controller_row(words: list[str], header: list[str], line: str) -> RaidController | None:
    # The model may be several words: align from the right, where every column is one word.
    if not words[0].isdigit() or len(words) < len(header):
        return None
    tail = len(header) - 2
    right = dict(zip(header[2:], words[-tail:], strict=True))
    return RaidController(
        name=f"/c{words[0]}",
        model=" ".join(words[1 : len(words) - tail]),
        status=right.get("Hlth", ""),
        battery=right.get("BBU", "").replace("N/A", ""),
        groups=whole(right.get("DGs", "")),
        groups_not_optimal=whole(right.get("DNOpt", "")),
        drives=whole(right.get("VDs", "")),
        drives_not_optimal=whole(right.get("VNOpt", "")),
        tool="storcli",
        lines={"status": line},
    )


_DETAILS = {
    "Media Error Count": "media_errors",
    "Other Error Count": "other_errors",
    "Predictive Failure Count": "predictive",
}


def _detail(
    name: str,
    value: str,
    line: str,
    where: str,
    details: dict[str, PhysicalDrive],
    fields: dict[str, str],
) -> None:
    import msgspec

    if name in {"Controller Status", "Battery Status", "BBU Status"} and name not in fields:
        fields[name] = value
    if not where:
        return
    drive = details.setdefault(where, PhysicalDrive(tool="storcli"))
    kept = {**drive.lines, name: line}
    if name in _DETAILS and (number := whole(value)) is not None:
        details[where] = msgspec.structs.replace(drive, lines=kept, **{_DETAILS[name]: number})
    elif name.startswith("S.M.A.R.T alert"):
        alert = value.lower().startswith("yes")
        details[where] = msgspec.structs.replace(drive, lines=kept, smart_alert=alert)


def _with_details(found: list[Any], details: dict[str, PhysicalDrive]) -> list[Any]:
    """Counters of a `Drive /c0/e252/s3 State` block join the row of the same slot."""
    import msgspec

    out: list[Any] = []
    used: set[str] = set()
    for fact in found:
        if isinstance(fact, PhysicalDrive):
            tail = f"/e{fact.enclosure}/s{fact.slot}" if fact.enclosure else f"/s{fact.slot}"
            where = next((key for key in details if key.endswith(tail)), "")
            if where:
                used.add(where)
                more = details[where]
                fact = msgspec.structs.replace(  # noqa: PLW2901 - the fact, completed
                    fact,
                    controller=where.split("/")[1],
                    media_errors=more.media_errors,
                    other_errors=more.other_errors,
                    predictive=more.predictive,
                    smart_alert=more.smart_alert,
                    lines=more.lines,
                )
        out.append(fact)
    return [*out, *(_alone(where, drive) for where, drive in details.items() if where not in used)]


def _alone(where: str, drive: PhysicalDrive) -> PhysicalDrive:
    """A `Drive … State` block of which the table above it was not copied."""
    import msgspec

    parts = {part[0]: part[1:] for part in where.split("/") if part}
    return msgspec.structs.replace(
        drive,
        controller=f"c{parts.get('c', '')}",
        enclosure=parts.get("e", ""),
        slot=parts.get("s", ""),
        state=drive.state or "not said",
        line=f"Drive {where}",
    )


def _controller(fields: dict[str, str]) -> RaidController | None:
    status = fields.get("Controller Status", "")
    battery = fields.get("Battery Status", fields.get("BBU Status", ""))
    if not status and not battery:
        return None
    line = f"Controller Status = {status}" if status else f"Battery Status = {battery}"
    return RaidController(
        name="controller", status=status, battery=battery, tool="storcli", lines={"status": line}
    )
