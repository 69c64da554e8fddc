"""BusyBox's top, as small containers have it: its three lines of summary and the processes.

Format: busybox procps/top.c. `%CPU` is a share of the whole machine there, not of one CPU.
"""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_text_host import HostSample
from weaklink.model.take import Take
from weaklink.parse.figures import decimal, whole
from weaklink.parse.text_tool import Passage, tool

_MEMORY = re.compile(
    r"Mem: (\d{1,15})K used, (\d{1,15})K free,.{0,60}?(\d{1,15})K buff, +(\d{1,15})K cached"
)
_CPU = re.compile(r"(\d{1,3}(?:[.,]\d)?)% (usr|sys|nic|idle|io|irq|sirq)\b")
_LOAD = re.compile(r"Load average: (\d{1,6}[.,]\d\d) (\d{1,6}[.,]\d\d) (\d{1,6}[.,]\d\d) ")
_FIELD = {
    "usr": "user",
    "sys": "system",
    "nic": "nice",
    "idle": "idle",
    "io": "iowait",
    "irq": "irq",
    "sirq": "softirq",
}


@tool(
    "top-busybox",
    heads=("Mem: ", "CPU: ", "Load average: "),
    starts=lambda line: (
        "K used, " in line or "% usr " in line or _LOAD.match(line.lstrip()) is not None
    ),
    goes_on=lambda line: (
        line.lstrip().startswith(("Mem: ", "CPU: ", "Load average: ", "PID"))
        or line.strip()[:1].isdigit()
    ),
    commands=("top",),
)
def busybox_top(passage: Passage) -> Take | None:
    """The last frame's summary; None where its line of CPU shares is missing."""
    summary: dict[str, Any] = {}
    for raw in passage.lines[:4000]:
        line = raw.strip()
        if memory := _MEMORY.match(line):
            used, free, buffers, cached = (whole(part) or 0 for part in memory.groups())
            summary["memory_total"] = (used + free) * 1024.0
            summary["memory_free"] = free * 1024.0
            summary["memory_available"] = (free + buffers + cached) * 1024.0
            summary["memory_line"] = line
        elif line.startswith("CPU:") and "usr" in line:
            for value, name in _CPU.findall(line[:200]):
                summary[_FIELD[name]] = (decimal(value) or 0.0) / 100
            summary["line"] = line
        elif load := _LOAD.match(line):
            summary["load"] = [decimal(part) or 0.0 for part in load.groups()]
    if "idle" not in summary:
        return None
    return Take(software=[HostSample(tool="top", **summary)])
