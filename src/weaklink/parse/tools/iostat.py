"""What `iostat -x` prints, in all its column sets since sysstat 9, tables and `-o JSON`.

Columns are found by their header, so a new column breaks nothing. The first report of a run is
the average since boot (man iostat), which the fact says.
"""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_disk import DiskSample
from weaklink.model.take import Take
from weaklink.parse.figures import decimal
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 20_000
_NAME = re.compile(r"[\w!./:+-]{1,80}$")
_COLUMNS = {
    "r/s": "reads",
    "w/s": "writes",
    "r_await": "read_await",
    "w_await": "write_await",
    "await": "wait",
    "avgqu-sz": "queue",
    "aqu-sz": "queue",
    "%util": "utilisation",
    "util": "utilisation",
    "rkb/s": "read_bytes",
    "wkb/s": "write_bytes",
    "rmb/s": "read_bytes",
    "wmb/s": "write_bytes",
    "rsec/s": "read_bytes",
    "wsec/s": "write_bytes",
}
_SCALE = {
    "r_await": 1e-3,
    "w_await": 1e-3,
    "await": 1e-3,
    "%util": 1e-2,
    "util": 1e-2,
    "rkb/s": 1024.0,
    "wkb/s": 1024.0,
    "rmb/s": 1024.0**2,
    "wmb/s": 1024.0**2,
    "rsec/s": 512.0,
    "wsec/s": 512.0,
}


def _is_header(line: str) -> bool:
    words = line.split()
    return len(words) > 3 and words[0] in {"Device", "Device:"} and "r/s" in words


@tool(
    "iostat",
    heads=("Device", "avg-cpu:", "Linux "),
    starts=lambda line: _is_header(line) or "%iowait" in line or "_x86_64_" in line,
    goes_on=lambda line: (
        _is_header(line)
        or line.lstrip().startswith(("avg-cpu:", "Linux "))
        or _is_row(line)
        or _is_stamp(line)
    ),
    commands=("iostat",),
)
def iostat(passage: Passage) -> Take | None:
    """One DiskSample a row whose cells fit the header; None where there is no such row."""
    rows: list[DiskSample] = []
    header: list[str] = []
    number = -1
    whole_run = any("avg-cpu:" in line for line in passage.lines[:6])
    for line in passage.lines:
        if _is_header(line):
            header = line.lower().split()
            number += 1
        elif line.lstrip().startswith(("avg-cpu", "Linux ")):
            header = []
        elif header and len(rows) < MAX_ROWS:
            row = _row(line, header, number, since_boot=whole_run and number == 0)
            if row is not None:
                rows.append(row)
    if len({row.number for row in rows}) > 1 or whole_run:
        return Take(hardware=list(rows)) if rows else None
    return Take(hardware=list(rows)) if rows else None


def _row(line: str, header: list[str], number: int, *, since_boot: bool) -> DiskSample | None:
    words = line.split()
    if len(words) != len(header) or not _NAME.match(words[0]):
        return None
    cells: dict[str, float] = {}
    for name, cell in zip(header[1:], words[1:], strict=True):
        value = decimal(cell)
        if value is None or value < 0:
            return None
        if name in _COLUMNS:
            cells[_COLUMNS[name]] = value * _SCALE.get(name, 1.0)
    return DiskSample(
        device=words[0], number=number, since_boot=since_boot, line=line.strip(), **cells
    )


def _is_row(line: str) -> bool:
    words = line.split()
    return len(words) > 4 and all(decimal(word) is not None for word in words[-4:])


def _is_stamp(line: str) -> bool:
    """A time of day between reports (`iostat -t`)."""
    return 8 <= len(line.strip()) <= 32 and ":" in line and line.strip()[0].isdigit()


def _is_document(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("sysstat"), dict)


@tool("iostat-json", document=_is_document)
def iostat_json(passage: Passage) -> Take | None:
    """The same from `iostat -x -o JSON`."""
    hosts = passage.document["sysstat"].get("hosts") if _is_document(passage.document) else None
    rows: list[DiskSample] = []
    for host in hosts if isinstance(hosts, list) else []:
        reports = host.get("statistics") if isinstance(host, dict) else None
        for number, report in enumerate(reports if isinstance(reports, list) else []):
            disks = report.get("disk") if isinstance(report, dict) else None
            for disk in disks if isinstance(disks, list) else []:
                if isinstance(disk, dict) and len(rows) < MAX_ROWS:
                    rows += _from_json(disk, number)
    return Take(hardware=list(rows)) if rows else None


def _from_json(disk: dict[str, Any], number: int) -> list[DiskSample]:
    name = disk.get("disk_device")
    cells: dict[str, float] = {}
    for key, value in disk.items():
        column = key.lower()
        if column in _COLUMNS and isinstance(value, (int, float)) and not isinstance(value, bool):
            cells[_COLUMNS[column]] = value * _SCALE.get(column, 1.0)
    if not isinstance(name, str) or not cells:
        return []
    shown = ", ".join(f'"{key}": {disk[key]}' for key in list(disk)[:24])
    return [
        DiskSample(
            device=name[:80], number=number, since_boot=number == 0, line=shown[:600], **cells
        )
    ]
