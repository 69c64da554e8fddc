"""/proc/PID/status: what a process really holds, swapped-out pages included.

RSS alone hides a leak on a machine with swap: old pages go out as new ones come.
"""

from __future__ import annotations

import re

from weaklink.model.fact_text_host import ProcessMemory
from weaklink.model.take import Take
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_PROCESSES = 2000
_FIELD = re.compile(
    r"(?:/proc/(\d{1,9})/status:)?(Name|State|Pid|VmRSS|RssAnon|VmSwap|VmHWM|Threads):\s{1,20}(\S.{0,60})$"
)
_ANY = re.compile(r"(?:/proc/\d{1,9}/status:)?[A-Z]\w{1,40}:\t")


def _is_field(line: str) -> bool:
    return _FIELD.match(line.strip()) is not None and "\t" in line


@tool(
    "proc-status",
    heads=("Name:\t", "VmRSS:\t", "RssAnon:\t", "VmSwap:\t", "/proc/"),
    starts=_is_field,
    goes_on=lambda line: _ANY.match(line) is not None,
    commands=("status",),
)
def proc_status(passage: Passage) -> Take | None:
    """One fact a process, in the order printed (the same one several times is its course)."""
    rows: list[dict[str, str]] = [{}]
    for line in passage.lines:
        found = _FIELD.match(line.strip())
        if found is None:
            continue
        pid, name, value = found[1] or "", found[2], found[3].strip()
        # A field that was seen already, or another pid before it, begins the next process.
        if name in rows[-1] or (pid and rows[-1].get("Pid", pid) != pid):
            rows.append({})
        if pid:
            rows[-1].setdefault("Pid", pid)
        rows[-1][name] = value
        rows[-1].setdefault(f"line {name}", line)
    facts = [fact for row in rows[:MAX_PROCESSES] if (fact := _fact(row))]
    return Take(software=list(facts)) if facts else None


def _fact(row: dict[str, str]) -> ProcessMemory | None:
    swapped, anon = _bytes(row.get("VmSwap", "")), _bytes(row.get("RssAnon", ""))
    resident = _bytes(row.get("VmRSS", ""))
    if swapped is None and resident is None and anon is None:
        return None
    pid = row.get("Pid", "")
    line = row.get("line VmSwap") or row.get("line VmRSS") or row.get("line RssAnon", "")
    return ProcessMemory(
        pid=int(pid) if pid.isascii() and pid.isdigit() else 0,
        name=quoted(row.get("Name", ""))[:64],
        resident=resident,
        anonymous=anon,
        swapped=swapped,
        line=quoted(line),
    )


def _bytes(text: str) -> float | None:
    number, _, unit = text.partition(" ")
    return float(number) * 1024 if unit == "kB" and number.isascii() and number.isdigit() else None
