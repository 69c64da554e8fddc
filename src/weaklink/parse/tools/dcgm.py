"""DCGM exporter metrics: each GPU's use, memory, power, errors, from the Prometheus text."""

from __future__ import annotations

from typing import Any

from weaklink.model.fact_gpu import Gpu
from weaklink.model.take import Take
from weaklink.parse.prometheus import samples
from weaklink.parse.text_tool import Passage, tool

MAX_GPUS = 256
_MIB = 1024.0**2
_FIELDS: dict[str, tuple[str, float]] = {
    "DCGM_FI_DEV_GPU_UTIL": ("utilisation", 0.01),
    "DCGM_FI_DEV_MEM_COPY_UTIL": ("memory_utilisation", 0.01),
    "DCGM_FI_DEV_ENC_UTIL": ("encoder", 0.01),
    "DCGM_FI_DEV_DEC_UTIL": ("decoder", 0.01),
    "DCGM_FI_DEV_FB_USED": ("memory_used", _MIB),
    "DCGM_FI_DEV_POWER_USAGE": ("power", 1.0),
    "DCGM_FI_DEV_POWER_MGMT_LIMIT": ("power_limit", 1.0),
    "DCGM_FI_DEV_GPU_TEMP": ("temperature", 1.0),
    "DCGM_FI_DEV_SM_CLOCK": ("clock", 1.0),
}
_COUNTS = {
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "ecc_uncorrected_volatile",
    "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL": "ecc_uncorrected_aggregate",
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": "remapped_uncorrectable",
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": "remapped_correctable",
    "DCGM_FI_DEV_XID_ERRORS": "last_xid",
}
_LINE_NAMES = {"ecc_uncorrected_volatile": "volatile", "last_xid": "last_xid"}
"""What the look calls the line that a count stands on, where that is not the metric's own name."""
_FLAGS = {
    "DCGM_FI_DEV_ROW_REMAP_PENDING": "remap_pending",
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": "remap_failed",
}


def _ours(line: str) -> bool:
    return "DCGM_" in line[:200]


@tool(
    "dcgm",
    heads=("DCGM_FI_", "# HELP DCGM_", "# TYPE DCGM_"),
    goes_on=_ours,
    commands=("/metrics",),
)
def dcgm(passage: Passage) -> Take | None:
    """One Gpu for each that the exporter names; None where no metric is DCGM's."""
    found: dict[str, dict[str, Any]] = {}
    for one in samples(passage.lines):
        if not one.name.startswith("DCGM_FI_"):
            continue
        key = one.labels.get("UUID") or one.labels.get("gpu", "")
        if key not in found and len(found) >= MAX_GPUS:
            continue
        row = found.setdefault(key, _named(one.labels))
        # A MIG instance's samples speak of a slice, not of the card.
        if one.labels.get("GPU_I_ID"):
            row["mig"] = True
            continue
        _put(row, one.name, one.value, one.line)
    gpus: list[Any] = [Gpu(**_whole(row)) for row in found.values()]
    return Take(hardware=gpus) if gpus else None


def _named(labels: dict[str, str]) -> dict[str, Any]:
    return {
        "index": labels.get("gpu", "")[:6],
        "uuid": labels.get("UUID", "")[:60],
        "name": labels.get("modelName", "")[:60],
        "bus": labels.get("pci_bus_id", "")[:20].lower(),
        "lines": {},
    }


def _put(row: dict[str, Any], name: str, value: float, line: str) -> None:
    if name in _FIELDS:
        field, scale = _FIELDS[name]
        row[field] = value * scale
        row["lines"][field] = line
    elif name in _COUNTS:
        row[_COUNTS[name]] = int(value) if abs(value) < 2**53 else None
        row["lines"][_LINE_NAMES.get(_COUNTS[name], name)] = line
    elif name in _FLAGS:
        row[_FLAGS[name]] = value > 0
        row["lines"][_FLAGS[name]] = line
    elif name == "DCGM_FI_DEV_FB_FREE":
        row["free"] = value * _MIB


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    free = row.pop("free", None)
    if free is not None and row.get("memory_used") is not None:
        row["memory_total"] = row["memory_used"] + free
    return row
