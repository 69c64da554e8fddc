"""vmstat's reports; the first is an average since boot, and is marked so.

Format: procps vmstat.c: `r b swpd free buff cache si so bi bo in cs us sy id wa st [gu]`; swap
traffic is in KiB a second unless -S says otherwise.
"""

from __future__ import annotations

from weaklink.model.fact_text_host import HostSample
from weaklink.model.take import Take
from weaklink.parse.columns import header_of
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

HEADER = frozenset(("r", "b", "swpd", "free", "si", "so", "bi", "bo", "us", "sy", "id", "wa"))
NEEDED = frozenset(("r", "b", "swpd", "free", "si", "so"))
MAX_ROWS = 2000


def _is_header(line: str) -> bool:
    return " so " in line and len(header_of(line[:300], HEADER, 10)) > 0


def _numbers(line: str) -> list[int] | None:
    words = line.split()
    values = [whole(word) for word in words[:20]]
    found = [value for value in values if value is not None]
    return found if len(found) >= 16 and None not in values[:16] else None


@tool(
    "vmstat",
    heads=("procs ", "r "),
    starts=lambda line: _is_header(line) or "--memory--" in line.replace("---", "--"),
    goes_on=lambda line: _is_header(line) or line.startswith("procs ") or bool(_numbers(line)),
    commands=("vmstat",),
)  # fmt: skip
def vmstat(passage: Passage) -> Take | None:
    """One sample a report; None without the header that names the columns."""
    columns: list[str] = []
    samples: list[HostSample] = []
    unit = _unit(passage.command)
    for line in passage.lines:
        if _is_header(line):
            columns = line.split()
            if not NEEDED.issubset(columns):
                columns = []
            continue
        values = _numbers(line) if columns else None
        if values is None or len(samples) >= MAX_ROWS:
            continue
        cells = dict(zip(columns, values, strict=False))
        shares = {
            name: cells[name] / 100 for name in ("us", "sy", "id", "wa", "st") if name in cells
        }
        if sum(shares.values()) > 1.06 or "id" not in shares:
            continue
        samples.append(
            HostSample(
                tool="vmstat",
                user=shares.get("us"),
                system=shares.get("sy"),
                idle=shares["id"],
                iowait=shares.get("wa"),
                steal=shares.get("st"),
                swap_in=cells["si"] * unit,
                swap_out=cells["so"] * unit,
                swap_used=cells["swpd"] * unit,
                memory_free=cells["free"] * unit,
                runnable=float(cells["r"]),
                blocked=float(cells["b"]),
                since_boot=not samples,
                line=line.strip()[:300],
            )
        )
    return Take(software=list(samples)) if samples else None


def _unit(command: str) -> float:
    words = command.split()
    for at, word in enumerate(words):
        letter = word[2:] or (words[at + 1] if at + 1 < len(words) else "")
        if word.startswith("-S"):
            return {"k": 1000.0, "K": 1024.0, "m": 1e6, "M": 1024.0**2}.get(letter[:1], 1024.0)
    return 1024.0
