"""`df` and `df -i`, with any block size, `-h`, `-T`, in English and Chinese."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_disk import FileSystemUse
from weaklink.model.take import Take
from weaklink.parse.figures import as_bytes, percent, whole
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 5000
_HEADS = ("Filesystem", "文件系统", "檔案系統", "Dateisystem", "Sys. de fichiers", "S.ficheros")
_ROW = re.compile(
    r"(\S.{0,160}?)?\s{1,120}(?:(?!\d)(\S{1,24})\s{1,24})?"
    r"([\d.,]{1,20}[KMGTPE]?i?|-)\s{1,24}([\d.,]{1,20}[KMGTPE]?i?|-)\s{1,24}"
    r"(-?[\d.,]{1,20}[KMGTPE]?i?|-)\s{1,24}(\d{1,3}%|-)\s{1,8}(/.{0,300})$"
)
_BLOCK = re.compile(r"(\d{1,5})([KMGB])?-?(?:blocks|块|Blöcke)", re.IGNORECASE)
_UNITS = {"k": 1024.0, "m": 1024.0**2, "g": 1024.0**3, "b": 1.0, "": 1.0}


@tool(
    "df",
    heads=_HEADS,
    starts=lambda line: "%" in line and len(line.split()) >= 5,
    goes_on=lambda line: _ROW.match(line) is not None or line.startswith(_HEADS) or "/" in line,
    ends_at_blank=True,
    commands=("df",),
)
def df(passage: Passage) -> Take | None:
    """One FileSystemUse a row; pseudo file systems of size 0 are left out."""
    found: list[Any] = []
    inodes = False
    scale = 1024.0
    pending = ""
    for line in passage.lines[:MAX_ROWS]:
        if line.startswith(_HEADS):
            inodes = "IUse" in line or "Inode" in line or "已用(I)%" in line
            block = _BLOCK.search(line)
            scale = (
                int(block.group(1)) * _UNITS[(block.group(2) or "").lower()] if block else 1024.0
            )
            continue
        row = _ROW.match(line)
        if row is None:
            # A long device name stands on a line of its own.
            pending = line.strip() if len(line.split()) == 1 else ""
            continue
        device = (row.group(1) or pending).strip()
        pending = ""
        fact = _fact(row, device, scale, line, inodes=inodes)
        if fact is not None:
            found.append(fact)
    return Take(hardware=found) if found else None


def _fact(
    row: re.Match[str], device: str, scale: float, line: str, *, inodes: bool
) -> FileSystemUse | None:
    _, _, _, used, left, share, path = row.groups()
    ratio = percent(share)
    if ratio is None:
        return None
    if inodes:
        return FileSystemUse(
            path=path.strip(),
            device=device,
            inodes_share=ratio,
            inodes_left=whole(left),
            line=line.strip(),
        )
    return FileSystemUse(
        path=path.strip(),
        device=device,
        used=_size(used, scale),
        available=_size(left, scale),
        share=ratio,
        line=line.strip(),
    )


def _size(cell: str, scale: float) -> float | None:
    number = whole(cell)
    return number * scale if number is not None else as_bytes(cell)
