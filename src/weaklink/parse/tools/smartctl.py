"""What smartctl prints: ATA attribute tables, NVMe health logs, SAS error counters.

Format: smartmontools, ataprint.cpp, nvmeprint.cpp, scsiprint.cpp. The `FLAG` and the brief
(`-f brief`, `-x`) table differ in one column; both are read by their header.
"""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_disk import SmartAttribute, SmartReport
from weaklink.model.take import Take
from weaklink.parse.figures import grouped, whole
from weaklink.parse.text_tool import Passage, tool

MAX_ATTRIBUTES = 60
_ROW = re.compile(
    r"\s{0,4}(\d{1,3}) (\S{1,40})\s{1,40}(?:0x[0-9a-fA-F]{1,4}|[POSRCK+-]{6})\s{1,8}"
    r"(\d{1,3}|---)\s{1,8}(\d{1,3}|---)\s{1,8}(\d{1,3}|---)\s{1,8}(.{1,160})$"
)
_LEADING = re.compile(r"(\d{1,18})(?![\d.])")
_SELF_TEST = re.compile(
    r"#\s?1\s{1,3}\S.{0,80}?(Completed: [a-z/ ]{1,40}failure|Fatal[a-z ]{1,30})"
)
_VIRTUAL = ("perc", "megaraid", "mr9", "mr8", "logical volume", "smart array", "serveraid")
_ADDRESS = re.compile(r"(?:sat\+)?(?:megaraid|cciss|aacraid|3ware|areca|hpt),[\d,/]{1,12}")
_PLAIN = {
    "Device Model": "model",
    "Model Number": "model",
    "Product": "model",
    "Device": "model",
}
_NUMBERS = {
    "Critical Warning": "critical_warning",
    "Available Spare": "available_spare",
    "Available Spare Threshold": "spare_threshold",
    "Percentage Used": "percentage_used",
    "Media and Data Integrity Errors": "media_errors",
    "Elements in grown defect list": "grown_defects",
    "Non-medium error count": "non_medium_errors",
    "Temperature": "temperature",
    "Current Drive Temperature": "temperature",
    "Drive Trip Temperature": "temperature_limit",
    "Warning  Comp. Temp. Threshold": "temperature_limit",
    "Power On Hours": "power_on_hours",
    "Accumulated power on time, hours": "power_on_hours",
    "ATA Error Count": "logged_errors",
}


@tool(
    "smartctl",
    heads=(
        "smartctl ",
        "=== START OF",
        "SMART overall-health",
        "SMART Health Status:",
        "ID# ATTRIBUTE_NAME",
        "SMART/Health Information",
        "Smartctl open device",
    ),
    starts=lambda line: not line.lstrip().startswith("smartctl ") or "[" in line,
    commands=("smartctl",),
)
def smartctl(passage: Passage) -> Take | None:
    """The reports of one or more drives; None where not one line of them says anything."""
    reports = [
        report for lines in _per_drive(passage.lines) if (report := _report(lines, passage.command))
    ]
    return Take(hardware=list(reports)) if reports else None


def _per_drive(lines: list[str]) -> list[list[str]]:
    """A loop over drives prints a banner for each."""
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.startswith("smartctl ") and parts[-1]:
            parts.append([])
        parts[-1].append(line)
    return parts


def _report(lines: list[str], command: str) -> SmartReport | None:
    found: dict[str, Any] = {}
    kept: dict[str, str] = {}
    attributes: list[SmartAttribute] = []
    table = False
    for raw in lines:
        line = raw.strip()
        if line.startswith("ID# ATTRIBUTE_NAME"):
            table = True
        elif table and len(attributes) < MAX_ATTRIBUTES and (row := _attribute(raw)):
            attributes.append(row)
        else:
            _field(line, found, kept)
    if attributes:
        found.update(attributes=attributes, has_attributes=True, protocol="ata")
    said = {"passed", "supported", "attributes", "complaint"} | {
        "critical_warning",
        "grown_defects",
        "media_errors",
        "model",
    }
    if not said & found.keys():
        return None
    model = str(found.get("model", "")).lower()
    address = _ADDRESS.search(command)
    device = next((word for word in command.split() if word.startswith("/dev/")), "")
    return SmartReport(
        device=device,
        address=address.group() if address else "",
        virtual=any(word in model for word in _VIRTUAL) and not address,
        lines=kept,
        **found,
    )


def _attribute(line: str) -> SmartAttribute | None:
    """One row of either table; None for what is not a whole row."""
    row = _ROW.match(line)
    if row is None:
        return None
    words = row.group(6).split()
    brief = not words[0].startswith(("Pre-fail", "Old_age"))
    # FLAG table: TYPE UPDATED WHEN_FAILED RAW_VALUE; brief: FAIL RAW_VALUE.
    at = 0 if brief else 2
    if len(words) < at + 2:
        return None
    failed = {"-": "", "NOW": "now", "FAILING_NOW": "now", "Past": "past", "In_the_past": "past"}
    raw = _LEADING.match(words[at + 1])
    return SmartAttribute(
        id=int(row.group(1)),
        name=row.group(2),
        value=whole(row.group(3)),
        worst=whole(row.group(4)),
        threshold=whole(row.group(5)),
        raw=int(raw.group(1)) if raw else None,
        failed=failed.get(words[at], ""),
        line=line.strip(),
    )


def _field(line: str, found: dict[str, Any], kept: dict[str, str]) -> None:
    """One line outside of the attribute table."""
    name, colon, value = line.partition(":")
    name, value = name.strip(), value.strip()
    if not colon:
        if "Device does not support SMART" in line or "lacks SMART capability" in line:
            found["supported"] = False
            kept.setdefault("supported", line)
        elif found.get("self_test_failed") is None and (test := _SELF_TEST.match(line)):
            found["self_test_failed"] = test.group(1)
            kept["self_test_failed"] = line
        return
    if name in _PLAIN and value:
        found.setdefault(_PLAIN[name], value[:80])
    elif name in _NUMBERS:
        number = _number(value)
        if number is not None and _NUMBERS[name] not in found:
            found[_NUMBERS[name]] = number
            kept[_NUMBERS[name]] = line
    else:
        _word(name, value, line, found, kept)


def _word(name: str, value: str, line: str, found: dict[str, Any], kept: dict[str, str]) -> None:
    if name in {"SMART overall-health self-assessment test result", "SMART Health Status"}:
        if value.startswith(("PASSED", "OK")):
            found["passed"] = True
        elif value.startswith(("FAIL", "FAILURE")) or "asc=" in value or "FAILED" in value:
            found["passed"] = False
        kept["passed"] = line
        if "Health Status" in name:
            found.setdefault("protocol", "scsi")
    elif name == "SMART support is":
        if value.startswith(("Unavailable", "Disabled")):
            found["supported"] = False
            kept["supported"] = line
        elif value.startswith(("Available", "Enabled")):
            found.setdefault("supported", True)
    elif name in {"read", "write", "verify"}:
        columns = value.split()
        errors = grouped(columns[-1]) if len(columns) == 7 else None
        if errors is not None:
            found["uncorrected"] = found.get("uncorrected", 0) + errors
            if errors or "uncorrected" not in kept:
                kept["uncorrected"] = line
            found.setdefault("protocol", "scsi")
    elif name == "NVMe Version":
        found["protocol"] = "nvme"
    elif name.startswith("Smartctl open device") or name.endswith("Unknown USB bridge"):
        found["complaint"] = line[:200]
        kept["complaint"] = line
    elif "megaraid,N" in line:
        found["complaint"] = line[:200]
        found["virtual"] = True
        kept["complaint"] = line
    elif name.startswith("#") and (test := _SELF_TEST.match(line)):
        found.setdefault("self_test_failed", test.group(1))
        kept.setdefault("self_test_failed", line)


def _number(value: str) -> int | float | None:
    """`0x10`, `28%`, `29.426.647 [15,0 TB]`, `42 Celsius`; None for anything else."""
    first = value.split(None, 1)[0] if value else ""
    if first.startswith("0x"):
        try:
            return int(first, 16)
        except ValueError:
            return None
    return grouped(first.rstrip("%"))
