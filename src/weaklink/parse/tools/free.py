"""free in any language and unit, and /proc/meminfo.

free's first two rows are told by their shape (six numbers and three, after a row of words), so
that a translated header reads as well; the arithmetic must fit, else it is not free.
"""

from __future__ import annotations

import re

from weaklink.model.fact_text_host import HostSample
from weaklink.model.fact_text_platform import HostMemory
from weaklink.model.take import Take
from weaklink.parse.figures import decimal, whole
from weaklink.parse.text_tool import Passage, tool

_HEAD = re.compile(r"\s{3,30}\S{2,20}\s{1,20}\S{2,20}\s{1,20}\S{2,20}(?:\s{1,20}\S{2,20}){1,4}\s*$")
_ROW = re.compile(r"\s{0,4}([^\s\d:\uff1a]{2,24})\s{0,2}[:\uff1a]\s{1,24}(\d.{0,200})$")
_FIGURE = re.compile(r"(\d{1,15}(?:[.,]\d{1,3})?)([BKMGTP]i?|Bi?)?$")
_POWER = {"": 0, "B": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_MEMINFO = re.compile(
    r"(?:/proc/meminfo:)?(Mem|Swap|Buffers|Cached)(\w{0,20}):\s{1,20}(\d{1,18}) kB$"
)
_KNOWN = {
    "MemTotal": "total",
    "MemFree": "free",
    "MemAvailable": "available",
    "SwapTotal": "swap_total",
    "SwapFree": "swap_free",
}


def _numbers(text: str) -> list[tuple[float, str]] | None:
    """Figures and their unit letters; None where a word is no figure."""
    found = []
    for word in text.split():
        one = _FIGURE.match(word)
        value = decimal(one[1]) if one else None
        if one is None or value is None:
            return None
        found.append((value, (one[2] or "").rstrip("i").replace("B", "")))
    return found


def _rows(lines: list[str]) -> tuple[list[float], list[float] | None, str] | None:
    """(memory figures, swap figures, memory's line), in the unit that is printed."""
    memory: list[float] | None = None
    swap: list[float] | None = None
    line = ""
    for raw in lines:
        row = _ROW.match(raw)
        figures = _numbers(row[2]) if row else None
        if figures is None:
            continue
        values = [value * 1024.0 ** _POWER[unit] for value, unit in figures]
        if memory is None and len(values) in {6, 5}:
            memory, line = values, raw.strip()
        elif memory is not None and swap is None and len(values) == 3:
            swap = values
    if memory is None or any(unit for _, unit in (_numbers(line.partition(":")[2]) or [])):
        return None if memory is None else (memory, swap, line)
    return memory, swap, line


def _unit(passage: Passage) -> float:
    """Bytes of free's unit: as the option says, else KiB, or MiB where the figures are tiny."""
    options = [word for word in passage.command.split() if word.startswith("-")]
    for option in options:
        if option in {"--mega", "-m", "--mebi"}:
            return 1024.0**2
        if option in {"-g", "--gibi", "--giga"}:
            return 1024.0**3
        if option in {"-b", "--bytes"}:
            return 1.0
    return 1024.0


@tool(
    "free",
    heads=(
        "total",
        "Mem:",
        "Mem\uff1a",
        "gesamt",
        "totaal",
        "total",
        "\u603b\u8ba1",
        "\u5185\u5b58",
    ),
    needles=("buff/cache", "  available"),
    starts=lambda line: _HEAD.match(line) is not None or line.lstrip().startswith("Mem"),
    goes_on=lambda line: _ROW.match(line) is not None or line.startswith("-/+"),
    commands=("free",),
)
def free(passage: Passage) -> Take | None:
    """Memory and swap of the host; None where the rows are not free's."""
    found = _rows(passage.lines)
    if found is None or (len(passage.lines) < 2 and "free" not in passage.command):
        return None
    memory, swap, line = found
    suffixed = re.search(r"\d[KMGTP]i?(?:\s|$)", line) is not None
    unit = 1.0 if suffixed else _unit(passage)
    total, used, unused = memory[0], memory[1], memory[2]
    slack = 0.02 * total + (0.15 * total if suffixed else 0)
    if (
        not total
        or used > total + slack
        or unused > total + slack
        or max(memory[3:]) > total + slack
    ):
        return None
    # Six figures: total used free shared buff/cache available. The older table has buffers and
    # cached instead, and its `used` counts them in: available is free plus both.
    old = any("cached" in raw for raw in passage.lines)
    available = unused + memory[4] + memory[5] if old and len(memory) == 6 else memory[-1]
    if len(memory) == 5:
        available = unused + memory[4] if old else memory[-1]
    sample = HostSample(
        tool="free",
        memory_total=total * unit,
        memory_free=unused * unit,
        memory_available=min(total, available) * unit,
        swap_total=swap[0] * unit if swap else None,
        swap_used=swap[1] * unit if swap else None,
        line=line,
    )
    return Take(software=[sample])


@tool(
    "meminfo",
    heads=("MemTotal:", "MemFree:", "MemAvailable:", "SwapTotal:", "/proc/meminfo:Mem"),
    starts=lambda line: _MEMINFO.match(line.strip()) is not None,
    goes_on=lambda line: re.match(r"\s?[\w()]{2,24}:\s{1,20}\d{1,18}(?: kB)?$", line) is not None,
    commands=("meminfo", "/proc/meminfo"),
)
def meminfo(passage: Passage) -> Take | None:
    """The host's memory, whoever reads it and from whichever container."""
    values: dict[str, float] = {}
    lines: dict[str, str] = {}
    for line in passage.lines:
        row = _MEMINFO.match(line.strip())
        name = _KNOWN.get(row[1] + row[2]) if row else None
        if row and name and (kilobytes := whole(row[3])) is not None:
            values[name] = kilobytes * 1024.0
            lines[name] = line.strip()
    if not values:
        return None
    return Take(software=[HostMemory(lines=lines, **values)])
