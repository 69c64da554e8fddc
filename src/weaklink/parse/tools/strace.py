"""strace -c: in which system calls a process spent its time, and which of them failed."""

from __future__ import annotations

import re

from weaklink.model.fact_text_host import SyscallRow
from weaklink.model.take import Take
from weaklink.parse.text_tool import Passage, tool

_ROW = re.compile(
    r"\s{0,3}(\d{1,3}[.,]\d\d)\s{1,12}(\d{1,9}[.,]\d{6})\s{1,12}(\d{1,12})\s{1,12}(\d{1,12})"
    r"(?:\s{1,12}(\d{1,12}))?\s{1,12}([a-z_]\w{1,40})$"
)


@tool(
    "strace",
    heads=("% time",),
    starts=lambda line: "usecs/call" in line and "syscall" in line,
    goes_on=lambda line: (
        _ROW.match(line.rstrip()) is not None or line.startswith(("------", "100.00"))
    ),
    commands=("strace",),
)  # fmt: skip
def strace(passage: Passage) -> Take | None:
    """One fact a system call."""
    found = [
        SyscallRow(
            name=row[6],
            seconds=float(row[2].replace(",", ".")),
            share=float(row[1].replace(",", ".")) / 100,
            calls=int(row[4]),
            errors=int(row[5] or 0),
            line=line.strip(),
        )
        for line in passage.lines[:600]
        if (row := _ROW.match(line.rstrip())) and row[6] != "total"
    ]
    return Take(software=list(found)) if found else None
