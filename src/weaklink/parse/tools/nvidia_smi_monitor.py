"""`nvidia-smi dmon` and `pmon`: one row a sample of each GPU or each process on it."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_gpu import GpuProcess, GpuSample
from weaklink.model.take import Take
from weaklink.parse.figures import decimal
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 5000
_GPU_ROW = re.compile(r"\s{0,12}(?:\d{8}\s{1,4}\d\d:\d\d:\d\d\s{1,4})?\d{1,3}\s{1,12}\S")


def _header(line: str) -> list[str]:
    """The columns of a header line, lower case, `#` and date columns left out."""
    words = line.replace("#", " ").lower().split()
    return [word for word in words if word not in {"date", "time"}]


@tool(
    "nvidia-smi-monitor",
    heads=("# gpu", "#gpu", "# Date", "#Date"),
    starts=lambda line: (
        " gpu " in line.replace("#", " ").lower()
        and (" sm " in line.lower() or " pid " in line.lower() or " pwr " in line.lower())
    ),
    goes_on=lambda line: line.lstrip().startswith("#") or _GPU_ROW.match(line) is not None,
    commands=("nvidia-smi",),
)
def nvidia_smi_monitor(passage: Passage) -> Take | None:
    """Samples of GPUs (dmon) or of processes on them (pmon), by the header's columns."""
    samples: list[GpuSample] = []
    processes: dict[tuple[str, int], GpuProcess] = {}
    header: list[str] = []
    for raw in passage.lines:
        line = raw.strip()
        if line.startswith("#"):
            names = _header(line)
            if "gpu" in names and ("sm" in names or "pwr" in names or "pid" in names):
                header = names
            continue
        words = line.split()
        if words and re.fullmatch(r"\d{8}", words[0]):
            words = words[2:]
        if not header or len(words) < 3 or not words[0].isdigit():
            continue
        if "pid" in header:
            _process_row(words, header, line, processes)
        elif len(words) == len(header) and len(samples) < MAX_ROWS:
            samples.append(_sample(dict(zip(header, words, strict=True)), line))
    found: list[Any] = [*samples, *list(processes.values())[:MAX_ROWS]]
    return Take(hardware=found) if found else None


def _share(cell: str | None) -> float | None:
    number = decimal(cell) if cell else None
    return number / 100 if number is not None else None


def _sample(cells: dict[str, str], line: str) -> GpuSample:
    return GpuSample(
        gpu=cells["gpu"],
        multiprocessor=_share(cells.get("sm")),
        memory=_share(cells.get("mem")),
        encoder=_share(cells.get("enc")),
        decoder=_share(cells.get("dec")),
        power=decimal(cells.get("pwr", "")),
        temperature=decimal(cells.get("gtemp", cells.get("temp", ""))),
        clock=decimal(cells.get("pclk", "")),
        line=line,
    )


def _process_row(
    words: list[str], header: list[str], line: str, found: dict[tuple[str, int], GpuProcess]
) -> None:
    """One row of pmon; of several samples the highest use of each process is kept."""
    cells = dict(zip(header, words, strict=False))
    pid = cells.get("pid", "")
    if not pid.isdigit() or len(words) < len(header):
        return
    name = " ".join(words[len(header) - 1 :])
    key = (cells["gpu"], int(pid))
    busy = _share(cells.get("sm"))
    before = found.get(key)
    if before is not None and (before.multiprocessor or 0) >= (busy or 0):
        busy, line = before.multiprocessor, before.line
    memory = decimal(cells.get("fb", ""))
    found[key] = GpuProcess(
        gpu=cells["gpu"],
        pid=int(pid),
        name=name[:100],
        kind=cells.get("type", ""),
        memory=memory * 1024**2 if memory is not None else None,
        multiprocessor=busy,
        encoder=_share(cells.get("enc")),
        decoder=_share(cells.get("dec")),
        samples=(before.samples if before else 0) + 1,
        line=line,
    )
