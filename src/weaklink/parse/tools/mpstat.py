"""mpstat and sar -u: what each CPU did; the averages count where they are printed."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_text_host import HostSample
from weaklink.model.take import Take
from weaklink.parse.columns import header_of
from weaklink.parse.figures import decimal
from weaklink.parse.text_tool import Passage, tool

HEADER = frozenset(
    ("CPU", "%usr", "%user", "%nice", "%sys", "%system", "%iowait", "%steal", "%idle")
)
_FIELDS = {
    "%usr": "user",
    "%user": "user",
    "%nice": "nice",
    "%sys": "system",
    "%system": "system",
    "%iowait": "iowait",
    "%irq": "irq",
    "%soft": "softirq",
    "%steal": "steal",
    "%idle": "idle",
}
_ROW = re.compile(r"\s{0,3}\S{2,40}\s(?:.{0,12}\s)?(?:all|\d{1,4})\s{1,12}\d{1,3}[.,]\d\d\s")


def _is_header(line: str) -> bool:
    return "%idle" in line and "CPU" in line and len(header_of(line[:400], HEADER, 5)) > 0


@tool(
    "mpstat",
    needles=("%idle",),
    starts=_is_header,
    goes_on=lambda line: not line.strip() or _ROW.match(line) is not None or _is_header(line),
    commands=("mpstat", "sar"),
)
def mpstat(passage: Passage) -> Take | None:
    """One sample a CPU (and `all`): the averages, else the last report."""
    columns: list[str] = []
    last: dict[str, HostSample] = {}
    average: dict[str, HostSample] = {}
    for line in passage.lines:
        if _is_header(line):
            words = line.split()
            columns = words[words.index("CPU") :]
            continue
        sample = _sample(line, columns) if columns else None
        if sample is not None:
            # The word before the CPU's name is `Average:` or a translation of it.
            target = average if re.match(r"\s{0,3}[^\s\d]\S{0,30}[:\uff1a]", line) else last
            target[sample.cpu] = sample
    found = average or last
    kept: list[HostSample] = list(found.values())[:1025]
    return Take(software=[*kept]) if kept else None


def _sample(line: str, columns: list[str]) -> HostSample | None:
    words = line.split()
    if len(words) < len(columns) + 1:
        return None
    cells = dict(zip(columns, words[-len(columns) :], strict=True))
    cpu = cells.pop("CPU")
    if cpu != "all" and not cpu.isdigit():
        return None
    shares: dict[str, Any] = {}
    for name, text in cells.items():
        value = decimal(text)
        if value is None or value > 100.5:
            return None
        if name in _FIELDS:
            shares[_FIELDS[name]] = value / 100
    return HostSample(tool="mpstat", cpu=cpu, line=line.strip()[:300], **shares)
