"""ps in the forms people paste: aux, -ef, -eo with names of their own, with threads."""

from __future__ import annotations

import re

from weaklink.model.fact_text_host import ProcessRow
from weaklink.model.take import Take
from weaklink.parse.columns import header_of, row_of
from weaklink.parse.figures import decimal, whole
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 5000
HEADER = frozenset(
    ("PID", "PPID", "USER", "UID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "TIME",
     "COMMAND", "CMD", "C", "STIME", "S", "WCHAN", "NLWP", "LWP", "SPID", "TID", "PSR", "PGID",
     "NI", "PRI", "ELAPSED", "STARTED", "COMM", "ARGS", "RSZ", "SZ")
)  # fmt: skip
_STATE = re.compile(r"[DRSTtWXZIPK][<NLsl+]{0,5}$")
_NAMES = ("COMMAND", "CMD", "COMM", "ARGS")


def _is_header(line: str) -> bool:
    words = line.split()
    return (
        2 < len(words) <= 30
        and "PID" in words
        and words[-1] in _NAMES
        and "TIME+" not in words
        and len(HEADER.intersection(words)) >= len(words) - 1
    )


@tool(
    "ps",
    heads=("USER ", "PID ", "UID ", "F ", "S ", "PPID ", "%CPU ", "RSS ", "STAT ", "NLWP "),
    starts=_is_header,
    goes_on=lambda line: (
        _is_header(line)
        or any(word.isdigit() for word in line.split(None, 6)[:6])
    ),
    commands=("ps",),
)  # fmt: skip
def ps(passage: Passage) -> Take | None:
    """One fact a row; its CPU share is the mean since the process started."""
    columns: list[str] = []
    found: list[ProcessRow] = []
    for line in passage.lines:
        if header_of(line, HEADER, 3) and _is_header(line):
            columns = line.split()
            continue
        row = _row(row_of(line, columns), line) if columns else None
        if row is not None and len(found) < MAX_ROWS:
            found.append(row)
    return Take(software=list(found)) if found else None


def _row(cells: dict[str, str], line: str) -> ProcessRow | None:
    pid = whole(cells.get("PID", ""))
    name = next((cells[key] for key in _NAMES if key in cells), "")
    if pid is None or not name:
        return None
    state = cells.get("STAT") or cells.get("S") or ""
    cpu = decimal(cells.get("%CPU", ""))
    resident = whole(cells.get("RSS") or cells.get("RSZ") or "")
    return ProcessRow(
        tool="ps",
        pid=pid,
        tid=whole(cells.get("LWP") or cells.get("SPID") or cells.get("TID") or ""),
        parent=whole(cells.get("PPID", "")),
        name=quoted(name)[:160],
        user=cells.get("USER", cells.get("UID", "")),
        state=state if _STATE.match(state) else "",
        cpu=None if cpu is None else cpu / 100,
        lifetime=True,
        resident=None if resident is None else resident * 1024.0,
        wchan=cells.get("WCHAN", ""),
        line=quoted(line),
    )
