"""What `smartctl -j` prints, and collectors that keep it (ATA, NVMe, SAS, behind controllers)."""

from __future__ import annotations

import re
from typing import Any, Literal

from weaklink.model.fact_disk import SmartAttribute, SmartReport
from weaklink.model.take import Take
from weaklink.parse.text_tool import Passage, tool

MAX_ATTRIBUTES = 60
_LEADING = re.compile(r"(\d{1,18})(?![\d.])")
_CONTROLLER = re.compile(r"(?:sat\+)?(?:megaraid|cciss|aacraid|3ware|areca|hpt),[\d,/]{1,12}")
_VIRTUAL = ("perc", "megaraid", "mr9", "mr8", "logical volume", "smart array", "serveraid")
_HEALTH = {
    "smart_status",
    "ata_smart_attributes",
    "nvme_smart_health_information_log",
    "scsi_grown_defect_list",
    "scsi_error_counter_log",
}


def _is_smartctl(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return "smartctl" in value or bool(_HEALTH & value.keys())


@tool("smartctl-json", document=_is_smartctl, commands=("smartctl",))
def smartctl_json(passage: Passage) -> Take | None:
    """One drive's report from smartctl's JSON; None for other documents."""
    value = passage.document
    if not _is_smartctl(value):
        return None
    found: dict[str, Any] = {}
    kept: dict[str, str] = {}
    device = _table(value.get("device"))
    model = str(value.get("model_name") or value.get("product") or "")[:80]
    kind = str(device.get("type") or "")
    address = _CONTROLLER.search(kind)
    _status(value, found, kept)
    _ata(value, found, kept)
    _nvme(value, found, kept)
    _scsi(value, found, kept)
    _complaints(value, found, kept)
    protocol: dict[str, Literal["ata", "nvme", "scsi"]] = {
        "ATA": "ata",
        "NVMe": "nvme",
        "SCSI": "scsi",
    }
    temperature = _number(_table(value.get("temperature")).get("current"))
    limit = _number(_table(value.get("temperature")).get("drive_trip"))
    hours = _number(_table(value.get("power_on_time")).get("hours"))
    return Take(
        hardware=[
            SmartReport(
                device=str(device.get("name") or "")[:80],
                protocol=protocol.get(str(device.get("protocol")), ""),
                model=model,
                address=address.group() if address else "",
                virtual=any(word in model.lower() for word in _VIRTUAL) and not address,
                temperature=temperature,
                temperature_limit=limit or None,
                power_on_hours=hours,
                lines=kept,
                **found,
            )
        ]
    )


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if abs(value) < 2**63 else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _status(value: dict[str, Any], found: dict[str, Any], kept: dict[str, str]) -> None:
    passed = _table(value.get("smart_status")).get("passed")
    if isinstance(passed, bool):
        found["passed"] = passed
        kept["passed"] = f'"smart_status": {{"passed": {str(passed).lower()}}}'
    support = _table(value.get("smart_support"))
    if isinstance(support.get("available"), bool):
        found["supported"] = support["available"] and support.get("enabled") is not False
        kept["supported"] = f'"smart_support": {{"available": {str(support["available"]).lower()}}}'


def _ata(value: dict[str, Any], found: dict[str, Any], kept: dict[str, str]) -> None:
    rows = _rows(_table(value.get("ata_smart_attributes")).get("table"))
    attributes = []
    for row in rows[:MAX_ATTRIBUTES]:
        number, name = _whole(row.get("id")), str(row.get("name") or "")[:60]
        raw = _table(row.get("raw"))
        text = str(raw.get("string") or "")[:60]
        leading = _LEADING.match(text)
        amount = int(leading.group(1)) if leading else _whole(raw.get("value"))
        if number is None:
            continue
        attributes.append(
            SmartAttribute(
                id=number,
                name=name,
                value=_whole(row.get("value")),
                worst=_whole(row.get("worst")),
                threshold=_whole(row.get("thresh")),
                raw=amount,
                failed={"now": "now", "past": "past"}.get(str(row.get("when_failed")), ""),
                line=f'"id": {number}, "name": "{name}", "raw": "{text or amount}"',
            )
        )
    if attributes:
        found.update(attributes=attributes, has_attributes=True)
    log = _table(value.get("ata_smart_error_log"))
    for part in ("extended", "summary"):
        count = _whole(_table(log.get(part)).get("count"))
        if count is not None:
            found["logged_errors"] = count
            break
    tests = _table(value.get("ata_smart_self_test_log"))
    for part in ("extended", "standard"):
        newest = _rows(_table(tests.get(part)).get("table"))[:1]
        status = _table(newest[0].get("status")) if newest else {}
        if status.get("passed") is False:
            found["self_test_failed"] = str(status.get("string") or "failed")[:80]
            kept["self_test_failed"] = f'"status": "{found["self_test_failed"]}"'
            break


def _nvme(value: dict[str, Any], found: dict[str, Any], kept: dict[str, str]) -> None:
    log = _table(value.get("nvme_smart_health_information_log"))
    for key, field in (
        ("critical_warning", "critical_warning"),
        ("percentage_used", "percentage_used"),
        ("available_spare", "available_spare"),
        ("available_spare_threshold", "spare_threshold"),
        ("media_errors", "media_errors"),
    ):
        amount = _whole(log.get(key))
        if amount is not None:
            found[field] = amount
            kept[field] = f'"{key}": {amount}'


def _scsi(value: dict[str, Any], found: dict[str, Any], kept: dict[str, str]) -> None:
    grown = _whole(value.get("scsi_grown_defect_list"))
    if grown is not None:
        found["grown_defects"] = grown
        kept["grown_defects"] = f'"scsi_grown_defect_list": {grown}'
    total: int | None = None
    for row in _table(value.get("scsi_error_counter_log")).values():
        errors = _whole(_table(row).get("total_uncorrected_errors"))
        if errors is not None:
            total = (total or 0) + errors
    if total is not None:
        found["uncorrected"] = total
        kept["uncorrected"] = f'"total_uncorrected_errors": {total}'


def _complaints(value: dict[str, Any], found: dict[str, Any], kept: dict[str, str]) -> None:
    messages = _rows(_table(value.get("smartctl")).get("messages"))
    said = [
        str(row.get("string") or "")[:200] for row in messages if row.get("severity") == "error"
    ]
    if said:
        found["complaint"] = said[0]
        kept["complaint"] = said[0]
        if any("megaraid,N" in text for text in said):
            found["virtual"] = True
