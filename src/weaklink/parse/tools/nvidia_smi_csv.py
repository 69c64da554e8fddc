"""`nvidia-smi --query-gpu=… --format=csv`, `--query-compute-apps`, and gpustat."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_gpu import Gpu, GpuProcess
from weaklink.model.take import Take
from weaklink.parse.figures import as_bytes, percent, whole, with_unit
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 5000
_GPU_COLUMNS = ("utilization.gpu", "memory.used", "memory.total", "power.draw", "temperature.gpu")
_UNIT = re.compile(r" ?\[[A-Za-z%]{1,6}\]$")


def _columns(line: str) -> list[str]:
    return [_UNIT.sub("", cell.strip().lower()) for cell in line.split(",")]


def _is_header(line: str) -> bool:
    names = _columns(line) if "," in line else []
    if "pid" in names and any("memory" in name for name in names):
        return True
    return sum(name.split("[")[0].strip() in _GPU_COLUMNS for name in names) >= 1 and len(names) > 1


@tool(
    "nvidia-smi-csv",
    heads=(
        "pid",
        "index",
        "name",
        "timestamp",
        "gpu_",
        "uuid",
        "utilization.gpu",
        "memory.",
        "pci",
        "gpu_uuid",
        "temperature.gpu",
        "power.",
    ),
    starts=_is_header,
    ends_at_blank=True,
    goes_on=lambda line: "," in line,
    commands=("nvidia-smi",),
)
def nvidia_smi_csv(passage: Passage) -> Take | None:
    """GPUs or processes, by the header's names; None where no row fits the header."""
    header = _columns(passage.lines[0]) if passage.lines else []
    units = [cell.strip() for cell in passage.lines[0].split(",")] if passage.lines else []
    found: list[Any] = []
    for line in passage.lines[1 : MAX_ROWS + 1]:
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(header):
            continue
        row = {
            name: _with_header_unit(cell, unit)
            for name, cell, unit in zip(header, cells, units, strict=True)
        }
        fact = _process(row, line) if "pid" in row else _gpu(row, line)
        if fact is not None:
            found.append(fact)
    return Take(hardware=found) if found else None


def _with_header_unit(cell: str, header: str) -> str:
    """`nounits` prints the unit in the header alone."""
    unit = _UNIT.search(header)
    bare = with_unit(cell)
    if unit and bare is not None and not bare[1]:
        return f"{cell} {unit.group().strip(' []')}"
    return cell


def _process(row: dict[str, str], line: str) -> GpuProcess | None:
    pid = whole(row["pid"])
    if pid is None:
        return None
    memory = row.get("used_gpu_memory", row.get("used_memory", ""))
    return GpuProcess(
        gpu=row.get("gpu_uuid", row.get("gpu_bus_id", row.get("gpu_name", "")))[:60],
        pid=pid,
        name=row.get("process_name", row.get("name", ""))[:100],
        kind="C",
        memory=as_bytes(memory),
        line=line.strip(),
    )


def _number(text: str) -> float | None:
    found = with_unit(text)
    return found[0] if found else None


def _gpu(row: dict[str, str], line: str) -> Gpu | None:
    mig = {"enabled": True, "disabled": False}.get(row.get("mig.mode.current", "").lower())
    fields: dict[str, Any] = {
        "utilisation": percent(row.get("utilization.gpu", "")),
        "memory_utilisation": percent(row.get("utilization.memory", "")),
        "encoder": percent(row.get("utilization.encoder", "")),
        "decoder": percent(row.get("utilization.decoder", "")),
        "memory_used": as_bytes(row.get("memory.used", "")),
        "memory_total": as_bytes(row.get("memory.total", "")),
        "power": _number(row.get("power.draw", row.get("power.draw.instant", ""))),
        "power_limit": _number(row.get("power.limit", row.get("enforced.power.limit", ""))),
        "temperature": _number(row.get("temperature.gpu", "")),
        "clock": _number(row.get("clocks.sm", row.get("clocks.current.sm", ""))),
        "clock_max": _number(row.get("clocks.max.sm", "")),
        "ecc_uncorrected_volatile": whole(row.get("ecc.errors.uncorrected.volatile.total", "")),
        "ecc_uncorrected_aggregate": whole(row.get("ecc.errors.uncorrected.aggregate.total", "")),
        "remap_pending": {"yes": True, "1": True, "no": False, "0": False}.get(
            row.get("remapped_rows.pending", "").lower()
        ),
    }
    slowed, said = _slowdowns(row)
    if all(value is None for value in fields.values()) and not (
        row.get("index", "").isdigit() or row.get("uuid") or row.get("pci.bus_id")
    ):
        return None
    return Gpu(
        index=row.get("index", "")[:6],
        bus=row.get("pci.bus_id", row.get("gpu_bus_id", ""))[:20].lower(),
        name=row.get("name", row.get("gpu_name", ""))[:60],
        uuid=row.get("uuid", row.get("gpu_uuid", ""))[:60],
        mig=mig,
        slowdowns=slowed,
        slowdown_said=said,
        performance_state=row.get("pstate", "")[:4],
        error="ERR!" if "ERR!" in line or "[Unknown Error]" in line else "",
        lines={"utilisation": line.strip(), **{f"slowdown {one}": line.strip() for one in slowed}},
        **fields,
    )


_REASONS = {
    "hw_slowdown": "HW Slowdown",
    "hw_thermal_slowdown": "HW Thermal Slowdown",
    "hw_power_brake_slowdown": "HW Power Brake Slowdown",
    "sw_thermal_slowdown": "SW Thermal Slowdown",
    "sw_power_cap": "SW Power Cap",
    "gpu_idle": "Idle",
}
"""Columns `clocks_throttle_reasons.*`, `clocks_event_reasons.*` since driver 535."""
_BITS = (
    (0x1, "Idle"),
    (0x4, "SW Power Cap"),
    (0x8, "HW Slowdown"),
    (0x20, "SW Thermal Slowdown"),
    (0x40, "HW Thermal Slowdown"),
    (0x80, "HW Power Brake Slowdown"),
)
"""Of the `.active` column; nvml.h, nvmlClocksEventReasons."""


def _slowdowns(row: dict[str, str]) -> tuple[list[str], bool]:
    """The reasons that are active, and whether a column speaks of any."""
    found: list[str] = []
    said = False
    for name, value in row.items():
        group, dot, reason = name.partition(".")
        if not dot or group not in {"clocks_throttle_reasons", "clocks_event_reasons"}:
            continue
        if reason == "active" and re.fullmatch(r"0x[0-9a-fA-F]{1,16}", value):
            said = True
            found += [text for bit, text in _BITS if int(value, 16) & bit]
        elif reason in _REASONS and value in {"Active", "Not Active"}:
            said = True
            if value == "Active":
                found.append(_REASONS[reason])
    return list(dict.fromkeys(found)), said


_GPUSTAT = re.compile(
    r"\[(\d{1,3})\] (.{1,60}?)\s{0,10}\|\s{0,4}(\d{1,3}|\?\?)['\u00b0]?C?,\s{0,4}(\d{1,3}|\?\?) %"
    r"(?:,\s{0,4}(\d{1,4}) / (\d{1,4}) W)?\s{0,4}\|\s{0,8}(\d{1,8}) / (\d{1,8}) MB \|(.{0,400})"
)
_OWNER = re.compile(r"(?:([\w.@/-]{1,64}):)?([\w./+-]{1,64})(?:/(\d{1,10}))?\((\d{1,8})M\)")


@tool(
    "gpustat",
    heads=("[",),
    starts=lambda line: _GPUSTAT.match(line.strip()) is not None,
    scattered=True,
    commands=("gpustat",),
)
def gpustat(passage: Passage) -> Take | None:
    """One GPU a line, with who holds its memory where the line says so."""
    found: list[Any] = []
    for line in passage.lines[:MAX_ROWS]:
        row = _GPUSTAT.match(line.strip())
        if row is None:
            continue
        index, name, heat, busy, power, cap, used, total, owners = row.groups()
        found.append(
            Gpu(
                index=index,
                name=name,
                temperature=float(heat) if heat.isdigit() else None,
                utilisation=int(busy) / 100 if busy.isdigit() else None,
                power=float(power) if power else None,
                power_limit=float(cap) if cap else None,
                memory_used=int(used) * 1024.0**2,
                memory_total=int(total) * 1024.0**2,
                lines={"utilisation": line.strip()},
            )
        )
        for owner in _OWNER.finditer(owners):
            if owner.group(3):
                found.append(
                    GpuProcess(
                        gpu=index,
                        pid=int(owner.group(3)),
                        name=owner.group(2),
                        memory=int(owner.group(4)) * 1024.0**2,
                        line=line.strip(),
                    )
                )
    return Take(hardware=found) if found else None
