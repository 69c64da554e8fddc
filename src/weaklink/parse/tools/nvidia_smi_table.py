"""The table that `nvidia-smi` prints: GPUs, MIG instances, processes, in all driver widths."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_gpu import Gpu, GpuProcess, MigSlice
from weaklink.model.take import Take
from weaklink.parse.figures import as_bytes, percent, whole, with_unit
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 2000
_FIRST = re.compile(
    r"\|\s{1,6}(\d{1,3})\s{1,4}(.{1,60}?)\s{1,24}(On|Off|N/A)?\s{0,4}\|\s{1,6}"
    r"([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d) (On|Off|N/A)?\s{0,4}\|\s{1,24}(\S{1,8})"
)
_SECOND = re.compile(
    r"\|\s{0,4}(\S{1,6}(?: \S{1,3})?)\s{1,6}(\d{1,3}C|N/A|ERR!|Unknown)"
    r"\s{1,8}(P\d{1,2}|N/A|ERR!|\S{1,7})?\s{1,20}"
    r"(\S{1,10})\s{0,4}/\s{0,4}(\S{1,10})\s{0,4}\|\s{0,16}(\S{1,12})\s{0,4}/\s{0,4}(\S{1,12})\s{0,4}"
    r"\|\s{1,16}(\d{1,3}%|N/A|ERR!)"
)
_MIG_MODE = re.compile(r"\|\s{10,60}\|\s{10,40}\|\s{1,30}(Enabled\*?|Disabled\*?|N/A)\s{0,4}\|")
_PROCESS = re.compile(
    r"\|\s{1,6}(\d{1,3})\s{1,6}(?:(\d{1,3}|N/A)\s{1,6}(\d{1,3}|N/A)\s{1,16})?(\d{1,10})\s{1,8}"
    r"(C\+G|M\+C|C|G|M)\s{1,6}(.{1,200}?)\s{1,60}(\d{1,9}MiB|N/A)\s{0,4}\|"
)
_SLICE = re.compile(
    r"\|\s{1,4}(\d{1,3})\s{1,6}(\d{1,3})\s{1,6}(\d{1,3})\s{1,6}(\d{1,3})\s{1,4}\|\s{1,16}"
    r"(\d{1,9}MiB)\s{0,3}/\s{0,3}(\d{1,9}MiB)\s{1,10}\|\s{0,4}(\d{1,4})\s{1,10}(\d{1,9}|N/A)"
)


@tool(
    "nvidia-smi",
    heads=("| NVIDIA-SMI", "| GPU  Name", "|  GPU", "| Processes:", "|   "),
    starts=lambda line: (
        "NVIDIA-SMI" in line
        or "Name" in line
        or "Processes:" in line
        or _FIRST.match(line.strip()) is not None
    ),
    goes_on=lambda line: line.lstrip().startswith(("|", "+")),
    commands=("nvidia-smi",),
)
def nvidia_smi_table(passage: Passage) -> Take | None:
    """GPUs of which both rows are whole, their MIG instances and processes."""
    gpus: list[Gpu] = []
    others: list[Any] = []
    first: re.Match[str] | None = None
    in_processes = False
    listed = False
    for raw in passage.lines:
        line = raw.strip()
        if "Processes:" in line:
            in_processes = True
            continue
        if in_processes and (line.startswith("+") or "No running processes" in line):
            # Only the rule below them says that all processes were listed.
            listed = True
            continue
        if in_processes:
            process = _PROCESS.match(line)
            if process and len(others) < MAX_ROWS:
                others.append(_process(process, line))
            continue
        found = _FIRST.match(line)
        second = _SECOND.match(line) if found is None else None
        if found:
            first = found
        elif second and first is not None and len(gpus) < MAX_ROWS:
            gpus.append(_gpu(first, second, line))
            first = None
        elif gpus and (mode := _MIG_MODE.match(line)):
            gpus[-1] = _with_mig(gpus[-1], mode.group(1))
        elif len(others) < MAX_ROWS and (part := _SLICE.match(line)):
            others.append(_slice(part, line))
    if listed:
        import msgspec

        gpus = [msgspec.structs.replace(gpu, processes_listed=True) for gpu in gpus]
    return Take(hardware=[*gpus, *others]) if gpus or others else None


def _gpu(first: re.Match[str], second: re.Match[str], line: str) -> Gpu:
    fan, temperature, state, power, limit, used, total, busy = second.groups()
    ecc = first.group(6)
    cells = (fan, temperature, power, limit, used, busy)
    watts, cap, heat = with_unit(power), with_unit(limit), with_unit(temperature)
    return Gpu(
        index=first.group(1),
        name=first.group(2).strip(" .")[:60],
        bus=first.group(4).lower(),
        error="ERR!" if any("ERR" in cell for cell in cells) else "",
        fan_error=fan.startswith("ERR"),
        utilisation=percent(busy),
        memory_used=as_bytes(used),
        memory_total=as_bytes(total),
        power=watts[0] if watts else None,
        power_limit=cap[0] if cap else None,
        temperature=heat[0] if heat else None,
        performance_state=state if state and state.startswith("P") else "",
        ecc_uncorrected_volatile=whole(ecc),
        mig=True if ecc == "On" else None,
        lines={"utilisation": line, "name": first.group(0).strip()},
    )


def _with_mig(gpu: Gpu, mode: str) -> Gpu:
    import msgspec

    enabled = {"Enabled": True, "Disabled": False}.get(mode.rstrip("*"))
    return msgspec.structs.replace(gpu, mig=enabled if enabled is not None else gpu.mig)


def _process(found: re.Match[str], line: str) -> GpuProcess:
    gpu, _, _, pid, kind, name, memory = found.groups()
    return GpuProcess(
        gpu=gpu, pid=int(pid), kind=kind, name=name.strip(), memory=as_bytes(memory), line=line
    )


def _slice(found: re.Match[str], line: str) -> MigSlice:
    gpu, instance, _, _, used, total, multiprocessors, ecc = found.groups()
    return MigSlice(
        gpu=gpu,
        instance=instance,
        memory_used=as_bytes(used),
        memory_total=as_bytes(total),
        multiprocessors=int(multiprocessors),
        ecc_uncorrected=whole(ecc),
        line=line,
    )
