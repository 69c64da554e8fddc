"""uptime, the first line of w, and /proc/loadavg after its command."""

from __future__ import annotations

import re

from weaklink.model.fact_text_host import HostSample
from weaklink.model.take import Take
from weaklink.parse.figures import decimal
from weaklink.parse.text_tool import Passage, tool

_LOAD = re.compile(
    r"load averages?: {0,2}(\d{1,6}[.,]\d{1,2}),? (\d{1,6}[.,]\d{1,2}),? (\d{1,6}[.,]\d{1,2})"
)
_LOADAVG = re.compile(
    r"(\d{1,6}\.\d\d) (\d{1,6}\.\d\d) (\d{1,6}\.\d\d) (\d{1,7})/(\d{1,8}) \d{1,10}$"
)


@tool(
    "uptime",
    needles=("load average",),
    starts=lambda line: " up " in line[:120] and _LOAD.search(line[:300]) is not None
    and "top - " not in line[:120],
    goes_on=lambda line: False,
    commands=("uptime", "/proc/loadavg", "loadavg"),
)  # fmt: skip
def uptime(passage: Passage) -> Take | None:
    """The three load averages."""
    for line in passage.lines:
        found = _LOAD.search(line[:300]) or _LOADAVG.match(line.strip())
        if found:
            load = [decimal(part) or 0.0 for part in found.groups()[:3]]
            return Take(software=[HostSample(tool="uptime", load=load, line=line.strip()[:300])])
    return None


@tool("nproc", goes_on=lambda line: False, commands=("nproc",))
def nproc(passage: Passage) -> Take | None:
    """How many CPUs this shell may use."""
    told = [line.strip() for line in passage.lines if line.strip()]
    if len(told) == 1 and told[0].isascii() and told[0].isdigit() and len(told[0]) < 6:
        return Take(software=[HostSample(tool="nproc", cpus=int(told[0]), line=told[0])])
    return None
