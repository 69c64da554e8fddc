"""The fields of a GPU's full report, the same for `nvidia-smi -q` and its XML.

Both are handed in as paths in lower case (`fb_memory_usage/used`), their values and their lines.
A value that is `N/A` or missing is None.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from weaklink.model.fact_gpu import Gpu, GpuProcess, MigSlice
from weaklink.parse.figures import as_bytes, percent, whole, with_unit

MAX_PROCESSES = 500
_NOT_SAID = re.compile(r"\[?(?:N/A|Not Supported|Unknown|Not Available)", re.IGNORECASE)
_PREFIXES = (
    "clocks_event_reasons_counters_",
    "clocks_event_reason_",
    "clocks_throttle_reason_",
    "remapped_row_",
)
REASONS = {
    "hw_slowdown": "HW Slowdown",
    "hw_thermal_slowdown": "HW Thermal Slowdown",
    "hw_therm_slowdown": "HW Thermal Slowdown",
    "hw_power_brake_slowdown": "HW Power Brake Slowdown",
    "hw_power_braking": "HW Power Brake Slowdown",
    "hw_power_brake": "HW Power Brake Slowdown",
    "sw_thermal_slowdown": "SW Thermal Slowdown",
    "sw_therm_slowdown": "SW Thermal Slowdown",
    "sw_power_cap": "SW Power Cap",
    "sw_power_capping": "SW Power Cap",
    "idle": "Idle",
    "gpu_idle": "Idle",
    "sync_boost": "Sync Boost",
}


class Leaf(NamedTuple):
    """One `name: value` of the report, with its path and the line it stands in."""

    path: str
    value: str
    line: str


def path_part(name: str) -> str:
    """A label of either form as a path's part: `FB Memory Usage` is `fb_memory_usage`."""
    part = re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_")
    for prefix in _PREFIXES:
        part = part.removeprefix(prefix)
    return part


def gpu_facts(leaves: list[Leaf], bus: str) -> list[Gpu | GpuProcess | MigSlice]:
    """The GPU itself, then its MIG instances and processes."""
    named: dict[str, Leaf] = {}
    for leaf in leaves:
        named.setdefault(leaf.path, leaf)
    kept: dict[str, str] = {}

    def take(field: str, *paths: str) -> str:
        for path in paths:
            leaf = named.get(path)
            if leaf is not None and leaf.value and not _NOT_SAID.match(leaf.value):
                kept[field] = leaf.line
                return leaf.value
        return ""

    fields: dict[str, Any] = {
        "utilisation": percent(take("utilisation", "utilization/gpu", "utilization/gpu_util")),
        "memory_utilisation": percent(
            take("memory_utilisation", "utilization/memory", "utilization/memory_util")
        ),
        "encoder": percent(take("encoder", "utilization/encoder", "utilization/encoder_util")),
        "decoder": percent(take("decoder", "utilization/decoder", "utilization/decoder_util")),
        "memory_used": as_bytes(take("memory_used", "fb_memory_usage/used")),
        "memory_total": as_bytes(take("memory_total", "fb_memory_usage/total")),
        "power": _first_number(
            take(
                "power",
                "gpu_power_readings/instantaneous_power_draw",
                "gpu_power_readings/instant_power_draw",
                "gpu_power_readings/average_power_draw",
                "gpu_power_readings/power_draw",
                "power_readings/power_draw",
            )
        ),
        "power_limit": _first_number(
            take(
                "power_limit",
                "gpu_power_readings/current_power_limit",
                "power_readings/power_limit",
                "power_readings/enforced_power_limit",
                "power_readings/current_power_limit",
            )
        ),
        "temperature": _first_number(
            take("temperature", "temperature/gpu_current_temp", "temperature/gpu_temp")
        ),
        "temperature_slowdown": _first_number(
            take(
                "temperature_slowdown",
                "temperature/gpu_slowdown_temp",
                "temperature/gpu_temp_slow_threshold",
            )
        ),
        "clock": _first_number(take("clock", "clocks/sm", "clocks/sm_clock")),
        "clock_max": _first_number(take("clock_max", "max_clocks/sm", "max_clocks/sm_clock")),
        "performance_state": take("performance_state", "performance_state"),
        "name": take("name", "product_name")[:80],
        "uuid": take("uuid", "gpu_uuid", "uuid")[:60],
        "index": take("index", "minor_number")[:6],
        "recovery_action": take("recovery_action", "gpu_recovery_action")[:40],
        "pcie_width": _first_whole(take("pcie_width", *_link("link_width", "current"))),
        "pcie_width_max": _first_whole(take("pcie_width_max", *_link("link_width", "max"))),
        "pcie_generation": _first_whole(take("pcie_gen", *_link("pcie_generation", "current"))),
        "pcie_generation_max": _first_whole(take("pcie_gen_max", *_link("pcie_generation", "max"))),
    }
    mig = take("mig", "mig_mode/current", "mig_mode/current_mig")
    fields["mig"] = {"Enabled": True, "Disabled": False}.get(mig)
    fields |= _errors(named, take)
    fields |= _slowdowns(named, kept)
    gpu = Gpu(
        bus=bus.lower(),
        full=True,
        lines=kept,
        processes_listed=any(leaf.path.startswith("processes") for leaf in leaves),
        **fields,
    )
    key = gpu.index or gpu.bus
    return [gpu, *_slices(leaves, key), *_processes(leaves, key)]


def _link(what: str, which: str) -> tuple[str, ...]:
    names = {
        ("link_width", "current"): ("link_width/current", "link_widths/current_link_width"),
        ("link_width", "max"): ("link_width/max", "link_widths/max_link_width"),
        ("pcie_generation", "current"): ("pcie_generation/current", "pcie_gen/current_link_gen"),
        ("pcie_generation", "max"): ("pcie_generation/max", "pcie_gen/max_link_gen"),
    }[what, which]
    return tuple(
        f"pci/{group}/{name}" for group in ("gpu_link_info", "pci_gpu_link_info") for name in names
    )


def _first_number(text: str) -> float | None:
    found = with_unit(text) if text else None
    return found[0] if found else None


def _first_whole(text: str) -> int | None:
    number = _first_number(text.rstrip("xX"))
    return int(number) if number is not None else None


def _errors(named: dict[str, Leaf], take: Any) -> dict[str, Any]:
    """ECC counters summed over their kinds; None where not one of them is a number."""
    sums: dict[str, int | None] = {"volatile": None, "aggregate": None, "corrected": None}
    lines: dict[str, str] = {}
    for path, leaf in named.items():
        parts = path.split("/")
        number = whole(leaf.value)
        if parts[0] != "ecc_errors" or len(parts) < 3 or number is None:
            continue
        correctable = "uncorrectable" not in parts[-1] and "correctable" in parts[-1]
        double = parts[1:3] == ["volatile", "double_bit"] or "double_bit" in parts
        if "uncorrectable" in parts[-1] or (double and parts[-1] == "total"):
            kind = "volatile" if parts[1] == "volatile" else "aggregate"
        elif correctable and parts[1] == "aggregate":
            kind = "corrected"
        else:
            continue
        sums[kind] = (sums[kind] or 0) + number
        if number:
            lines[kind] = leaf.line
    rows = "remapped_rows"
    return {
        "ecc_uncorrected_volatile": sums["volatile"],
        "ecc_uncorrected_aggregate": sums["aggregate"],
        "ecc_corrected": sums["corrected"],
        "remapped_correctable": whole(
            take("remapped_correctable", f"{rows}/correctable_error", f"{rows}/corr")
        ),
        "remapped_uncorrectable": whole(
            take("remapped_uncorrectable", f"{rows}/uncorrectable_error", f"{rows}/unc")
        ),
        "remap_pending": _yes(take("remap_pending", f"{rows}/pending")),
        "remap_failed": _yes(
            take("remap_failed", f"{rows}/remapping_failure_occurred", f"{rows}/failure")
        ),
        "retired_pending": _yes(
            take(
                "retired_pending",
                "retired_pages/pending_page_blacklist",
                "retired_pages/pending_retirement",
            )
        ),
    }


def _yes(text: str) -> bool | None:
    return {"yes": True, "no": False}.get(text.lower())


def _slowdowns(named: dict[str, Leaf], kept: dict[str, str]) -> dict[str, Any]:
    active: list[str] = []
    said = False
    seconds: dict[str, float] = {}
    for path, leaf in named.items():
        group, _, name = path.rpartition("/")
        group = group.rpartition("/")[2]
        if name not in REASONS and "/" in path:
            continue
        if _is_reasons(path):
            if leaf.value not in {"Active", "Not Active"}:
                continue
            said = True
            reason = REASONS.get(name)
            if leaf.value == "Active" and reason and reason not in active:
                active.append(reason)
                kept[f"slowdown {reason}"] = leaf.line
        elif "reasons_counters" in path:
            number = with_unit(leaf.value)
            reason = REASONS.get(name)
            if number is not None and reason and number[1].startswith("us"):
                seconds[reason] = number[0] / 1e6
                kept[f"seconds {reason}"] = leaf.line
    return {"slowdowns": active, "slowdown_said": said, "slowdown_seconds": seconds}


def _is_reasons(path: str) -> bool:
    top = path.split("/", maxsplit=1)[0]
    return top in {"clocks_event_reasons", "clocks_throttle_reasons"}


def _slices(leaves: list[Leaf], gpu: str) -> list[MigSlice]:
    found: list[MigSlice] = []
    used: float | None = None
    total: float | None = None
    instance = ""
    for leaf in leaves:
        if not leaf.path.startswith("mig_devices/"):
            continue
        name = leaf.path.rpartition("mig_device/")[2]
        if name in {"index", "gpu_instance_id"} and name == "index":
            used = total = None
            instance = leaf.value
        elif name == "fb_memory_usage/total":
            total = as_bytes(leaf.value)
        elif name == "fb_memory_usage/used":
            used = as_bytes(leaf.value)
            found.append(
                MigSlice(
                    gpu=gpu,
                    instance=instance,
                    memory_used=used,
                    memory_total=total,
                    line=leaf.line,
                )
            )
    return found[:64]


def _processes(leaves: list[Leaf], gpu: str) -> list[GpuProcess]:
    found: list[GpuProcess] = []
    current: dict[str, Leaf] = {}
    wanted = {
        "process_id": "pid",
        "pid": "pid",
        "type": "kind",
        "name": "name",
        "process_name": "name",
        "used_gpu_memory": "memory",
        "used_memory": "memory",
    }
    for leaf in leaves:
        if not leaf.path.startswith("processes"):
            continue
        name = wanted.get(leaf.path.rpartition("/")[2])
        if name == "pid" and current:
            found += _process(current, gpu)
            current = {}
        if name:
            current[name] = leaf
    found += _process(current, gpu)
    return found[:MAX_PROCESSES]


def _process(current: dict[str, Leaf], gpu: str) -> list[GpuProcess]:
    pid = whole(current["pid"].value) if "pid" in current else None
    if pid is None:
        return []
    memory = current.get("memory")
    return [
        GpuProcess(
            gpu=gpu,
            pid=pid,
            name=current["name"].value[:100] if "name" in current else "",
            kind=current["kind"].value[:8] if "kind" in current else "",
            memory=as_bytes(memory.value) if memory else None,
            line=(memory or current["pid"]).line,
        )
    ]
