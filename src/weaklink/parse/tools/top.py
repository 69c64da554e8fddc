"""top in batch or pasted from a screen: the summary, and the rows of processes or threads.

Format: procps-ng 3.2 to 4.0 (top_fields), with decimal commas; several frames count by the last.
"""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_text_host import HostSample, ProcessRow
from weaklink.model.take import Take
from weaklink.parse.columns import header_of, row_of
from weaklink.parse.figures import decimal, whole
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 4000
HEADER = frozenset(("PID", "USER", "PR", "NI", "VIRT", "RES", "%CPU", "%MEM", "TIME+", "COMMAND"))
_LOAD = re.compile(
    r"load average: (\d{1,6}[.,]\d{1,2}), (\d{1,6}[.,]\d{1,2}), (\d{1,6}[.,]\d{1,2})"
)
_TASKS = re.compile(r"(Tasks|Threads):\s{0,4}(\d{1,8}) total")
_CPU = re.compile(r"%?C[Pp][Uu](\(s\)|\d{1,4}) {0,3}:")
_SHARE = re.compile(r"(\d{1,3}[.,]\d)[ %]{1,2}(us|sy|ni|id|wa|hi|si|st|be)\b")
_BEGINNINGS = ("top - ", "Tasks:", "Threads:", "%Cpu", "%CPU", "Cpu(", "PID ", "Mem", "Swap")
_MEMORY = re.compile(r"(?:([KMGTP]i?B) )?(Mem|Swap) ?:(.{0,200})$")
_SIDE = re.compile(r"(?<=\S) {1,8}(?=[KMGTP]iB (?:Mem|Swap) ?:)")
_PART = re.compile(
    r"(\d{1,15}(?:[.,]\d{0,3})?)([+kKmMgGtT]?)\s?(total|free|used|avail|buff|cached)"
)
_FIELD = {
    "us": "user",
    "sy": "system",
    "ni": "nice",
    "id": "idle",
    "wa": "iowait",
    "hi": "irq",
    "si": "softirq",
    "st": "steal",
}
_SCALE = {"": 1024.0, "k": 1024.0, "m": 1024.0**2, "g": 1024.0**3, "t": 1024.0**4, "p": 1024.0**5}


def _goes_on(line: str) -> bool:
    bare = line.strip()
    return (
        not bare
        or bare[0].isdigit()
        or bare.startswith(
            ("top - ", "Tasks:", "Threads:", "%Cpu", "%CPU", "Cpu(", "PID ", "Mem", "Swap")
        )
        or _MEMORY.match(bare) is not None
    )


@tool(
    "top",
    heads=("top - ", "Tasks: ", "Threads: ", "%Cpu", "%CPU(", "PID ", "PID\t"),
    starts=lambda line: (
        not line.lstrip().startswith("PID")
        or len(header_of(line, HEADER, 8)) > 0
    ),
    goes_on=_goes_on,
    commands=("top",),
)  # fmt: skip
def top(passage: Passage) -> Take | None:
    """The last frame's summary and rows; None where neither can be read."""
    frames: list[list[str]] = [[]]
    for line in passage.lines:
        if line.startswith("top - ") and frames[-1]:
            frames.append([])
        frames[-1].append(line)
    for frame in reversed(frames):
        found = _frame(frame)
        if found is not None:
            return found
    return None


def _frame(lines: list[str]) -> Take | None:
    summary: dict[str, Any] = {}
    cpus: list[HostSample] = []
    processes: list[ProcessRow] = []
    columns: list[str] = []
    threads = False
    for line in _apart(lines):
        bare = line.strip()
        if header_of(line, HEADER, 6):
            columns = line.split()
        elif columns and len(processes) < MAX_ROWS:
            row = _row(row_of(line, columns), threads, line)
            if row is not None:
                processes.append(row)
        elif found := _TASKS.match(bare):
            threads = found[1] == "Threads"
            zombie = re.search(r"(\d{1,7}) zombie", bare)
            summary["zombies"] = int(zombie[1]) if zombie else None
        elif found := _CPU.match(bare):
            shares: dict[str, Any] = {
                _FIELD[name]: _decimal(value) / 100 for value, name in _SHARE.findall(bare[:300])
            }
            if found[1] == "(s)":
                summary |= {**shares, "line": bare}
            elif shares and len(cpus) < 1024:
                cpus.append(HostSample(tool="top", cpu=found[1], line=bare, **shares))
        elif bare.startswith("top - ") and (load := _LOAD.search(bare[:300])):
            summary["load"] = [_decimal(part) for part in load.groups()]
            summary.setdefault("line", bare)
        elif found := _MEMORY.match(bare):
            _memory(found, summary)
    if not summary and not cpus and not processes:
        return None
    host = [HostSample(tool="top", cpus=len(cpus) or None, **summary)] if summary else []
    return Take(software=[*host, *cpus, *processes])


def _apart(lines: list[str]) -> list[str]:
    """Version 4 prints several parts of the summary on one line where the screen is wide."""
    return [part for line in lines for part in _SIDE.split(line)]


def _decimal(text: str) -> float:
    return decimal(text) or 0.0


def _memory(found: re.Match[str], summary: dict[str, Any]) -> None:
    """`MiB Mem : 15876.+total, 231.5 free, …`; `Mem: 8038552k total, …` of old versions."""
    unit = _SCALE[(found[1] or "K")[0].lower()]
    parts: dict[str, float] = {}
    for value, letter, name in _PART.findall(found[3]):
        number = decimal(value.rstrip(".,"))
        if number is not None:
            scale = _SCALE[letter.lower()] if letter not in {"", "+"} else unit
            parts[name] = number * scale
    if found[2] == "Mem" and "total" in parts:
        summary["memory_total"] = parts["total"]
        summary["memory_free"] = parts.get("free")
        summary["memory_line"] = found[0][:200]
    elif found[2] == "Swap" and "total" in parts:
        summary["swap_total"] = parts["total"]
        summary["swap_used"] = parts.get("used")
        if "avail" in parts:
            summary["memory_available"] = parts["avail"]


def _row(cells: dict[str, str], threads: bool, line: str) -> ProcessRow | None:
    pid = whole(cells.get("PID", ""))
    cpu = decimal(cells.get("%CPU", ""))
    if pid is None or cpu is None or "COMMAND" not in cells:
        return None
    return ProcessRow(
        tool="top",
        pid=pid,
        tid=pid if threads else None,
        name=quoted(cells["COMMAND"])[:120],
        user=cells.get("USER", ""),
        state=cells.get("S", ""),
        cpu=cpu / 100,
        resident=_size(cells.get("RES", "")),
        line=quoted(line),
    )


def _size(text: str) -> float | None:
    """RES: KiB, or with a letter."""
    letter = text[-1:].lower()
    if letter in {"m", "g", "t", "p"}:
        value = decimal(text[:-1])
        return None if value is None else value * _SCALE[letter]
    value = decimal(text)
    return None if value is None else value * 1024
