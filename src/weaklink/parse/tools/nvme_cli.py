"""`nvme smart-log` of nvme-cli, as text or JSON: what an NVMe drive says about itself.

Format: nvme-cli 1.x and 2.x, nvme-print-stdout.c and nvme-print-json.c (names with `_`, with
blanks in newer versions; temperatures in JSON are Kelvin).
"""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_disk import SmartReport
from weaklink.model.take import Take
from weaklink.parse.figures import grouped
from weaklink.parse.text_tool import Passage, tool

_HEAD = re.compile(r"Smart Log for NVME device:(\S{1,64})")
_ROW = re.compile(r"([A-Za-z][A-Za-z0-9_ ]{2,40}?)\s{0,40}:\s{0,4}(.{1,80})$")
_FIELDS = {
    "critical_warning": "critical_warning",
    "available_spare": "available_spare",
    "avail_spare": "available_spare",
    "available_spare_threshold": "spare_threshold",
    "spare_thresh": "spare_threshold",
    "percentage_used": "percentage_used",
    "percent_used": "percentage_used",
    "media_errors": "media_errors",
}
_LEAST = {"critical_warning", "media_errors"}
ZERO_CELSIUS = 273


@tool("nvme-cli", heads=("Smart Log for NVME",), ends_at_blank=True, commands=("nvme",))
def nvme_cli(passage: Passage) -> Take | None:
    """One report; None where neither warning nor media errors stand in it."""
    found: dict[str, Any] = {}
    kept: dict[str, str] = {}
    device = passage.option_path()
    for line in passage.lines[:400]:
        if head := _HEAD.search(line):
            if found:
                break
            device = f"/dev/{head[1].rpartition('/')[2]}"
            continue
        row = _ROW.match(line.strip())
        field = _FIELDS.get(row[1].strip().lower().replace(" ", "_"), "") if row else ""
        if row and field and field not in found and (value := _value(row[2])) is not None:
            found[field] = value
            kept[field] = line.strip()
    if not found.keys() >= _LEAST:
        return None
    return Take(hardware=[SmartReport(device=device, protocol="nvme", lines=kept, **found)])


def _value(text: str) -> int | float | None:
    first = text.split(maxsplit=1)[0].rstrip("%") if text.split() else ""
    if first.startswith("0x"):
        try:
            return int(first, 16)
        except ValueError:
            return None
    return grouped(first)


def _is_document(value: Any) -> bool:
    return isinstance(value, dict) and {"critical_warning", "media_errors"} <= value.keys()


@tool("nvme-cli-json", document=_is_document, commands=("nvme",))
def nvme_cli_json(passage: Passage) -> Take | None:
    """The same from `nvme smart-log -o json`."""
    value = passage.document
    if not _is_document(value):
        return None
    warning = value["critical_warning"]
    if isinstance(warning, dict):
        warning = warning.get("value")
    found: dict[str, Any] = {"critical_warning": warning}
    for name, field in _FIELDS.items():
        if name != "critical_warning" and name in value:
            found[field] = grouped(str(value[name])[:24])
    if not isinstance(warning, int) or isinstance(warning, bool):
        return None
    kelvin = value.get("temperature")
    if isinstance(kelvin, int) and ZERO_CELSIUS < kelvin < ZERO_CELSIUS + 150:
        found["temperature"] = float(kelvin - ZERO_CELSIUS)
    line = f"critical_warning: {warning}, media_errors: {found.get('media_errors')}"
    kept = {"critical_warning": line, "media_errors": line}
    report = SmartReport(device=passage.option_path(), protocol="nvme", lines=kept, **found)
    return Take(hardware=[report])
