"""pidstat in its reports -u, -d, -r, -w, plain or -h, with -t for threads; averages first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from weaklink.model.fact_text_host import ProcessRow
from weaklink.model.take import Take
from weaklink.parse.figures import decimal, whole
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 4000
_MARKS = ("%CPU", "kB_rd/s", "majflt/s", "nvcswch/s")
_FIELDS: dict[str, tuple[str, Callable[[float], float]]] = {
    "%CPU": ("cpu", lambda value: value / 100),
    "%wait": ("waiting", lambda value: value / 100),
    "kB_rd/s": ("read", lambda value: value * 1024),
    "kB_wr/s": ("written", lambda value: value * 1024),
    "iodelay": ("io_delay", lambda value: value),
    "majflt/s": ("major_faults", lambda value: value),
    "nvcswch/s": ("switches", lambda value: value),
    "RSS": ("resident", lambda value: value * 1024),
}
_AVERAGE = re.compile(r"[^\s\d#]\S{0,30}[:\uff1a]\s")


def _is_header(line: str) -> bool:
    return (
        "Command" in line and ("PID" in line or "TGID" in line) and any(m in line for m in _MARKS)
    )


def _goes_on(line: str) -> bool:
    return not line.strip() or _is_header(line) or len(line.split()) >= 6


@tool("pidstat", needles=("  PID ", " TGID "), starts=_is_header, goes_on=_goes_on,
      commands=("pidstat",))  # fmt: skip
def pidstat(passage: Passage) -> Take | None:
    """Rows by process or thread: the averages where they are printed, else the last of each."""
    columns: list[str] = []
    last: dict[tuple[int, int | None], dict[str, Any]] = {}
    average: dict[tuple[int, int | None], dict[str, Any]] = {}
    group = 0
    for line in passage.lines:
        if _is_header(line):
            words = line.split()
            start = next(at for at, word in enumerate(words) if word in {"UID", "PID", "TGID"})
            columns = words[start:]
            continue
        row = _row(line, columns) if columns else None
        if row is None:
            continue
        if row["tid"] is not None:
            group = row["pid"] or group
            row["pid"] = group or row["tid"]
        table = average if _AVERAGE.match(line.lstrip()) else last
        if len(table) < MAX_ROWS:
            known = table.setdefault((row["pid"], row["tid"]), {})
            # Of several reports the line of the first one, which is that about the CPU, is kept.
            kept = {"line": known["line"]} if "line" in known and "cpu" not in row else {}
            known.update(row | kept)
    rows = average or last
    return (
        Take(software=[ProcessRow(tool="pidstat", **row) for row in rows.values()])
        if rows
        else None
    )


def _row(line: str, columns: list[str]) -> dict[str, Any] | None:
    """The cells are counted from the right up to the command, which may hold blanks in -l."""
    words = line.split()
    # What stands before the columns: a time (with AM or PM), an epoch, or `Average:`.
    lead = 1 if not (len(words) > 1 and words[1] in {"AM", "PM"}) else 2
    cells = dict(zip(columns, [*words[lead : lead + len(columns) - 1]], strict=False))
    rest = words[lead + len(columns) - 1 :]
    if not rest or len(cells) < len(columns) - 1:
        return None
    pid = whole(cells.get("PID", "") or cells.get("TGID", ""))
    tid = whole(cells.get("TID", ""))
    if pid is None and tid is None:
        return None
    row: dict[str, Any] = {"pid": pid or 0, "tid": tid, "line": quoted(line)}
    row["name"] = quoted(" ".join(rest)).removeprefix("|__")[:120]
    for name, (field, scaled) in _FIELDS.items():
        value = decimal(cells.get(name, ""))
        if value is not None:
            row[field] = scaled(value)
    return row if len(row) > 4 else None
