"""PSI: /proc/pressure/* and the pressure files of control groups.

Format: Documentation/accounting/psi.rst of the kernel. The file's name says which resource.
"""

from __future__ import annotations

import re

from weaklink.model.fact_text_host import Pressure
from weaklink.model.take import Take
from weaklink.parse.text_tool import Passage, tool

_ROW = re.compile(
    r"(?:(cpu|memory|io|irq)(?:\.pressure)?: ?)?(some|full)\s"
    r"avg10=(\d{1,3}[.,]\d\d)\s"
    r"avg60=(\d{1,3}[.,]\d\d)\savg300=(\d{1,3}[.,]\d\d)\stotal=\d{1,20}"
)
_NAME = re.compile(r"(?:^|[/ .])(cpu|memory|io|irq)(?:\.pressure)?(?: <==)?$")
_ASKED = re.compile(r"(?:/pressure/(cpu|memory|io|irq)|(cpu|memory|io|irq)\.pressure)\b")


@tool(
    "pressure",
    heads=("some avg10=", "full avg10="),
    needles=(" avg10=", "/pressure/", ":some avg10", ".pressure"),
    starts=lambda line: _ROW.search(line[:500]) is not None or "/pressure/" in line[:200],
    goes_on=lambda line: (
        _ROW.search(line[:500]) is not None or _NAME.search(line.strip()) is not None
    ),
    commands=("pressure",),
)
def pressure(passage: Passage) -> Take | None:
    """One fact a line; the resource is '' where no name stands before it."""
    asked = [one or two for one, two in _ASKED.findall(passage.command)]
    found: list[Pressure] = []
    name = asked[0] if len(asked) == 1 else ""
    for line in passage.lines:
        row = _ROW.search(line[:500])
        if row is None:
            title = _NAME.search(line.strip())
            name = title[1] if title else name
            continue
        if len(asked) > 1 and row[2] == "some":
            # `cat cpu io memory`: each file begins with its `some` line.
            at = sum(1 for one in found if one.kind == "some")
            name = asked[at] if at < len(asked) else ""
        ten, minute, five = (float(part.replace(",", ".")) / 100 for part in row.group(3, 4, 5))
        found.append(
            Pressure(
                resource=row[1] or name,
                kind=row[2],
                avg10=ten,
                avg60=minute,
                avg300=five,
                line=line.strip()[:300],
            )
        )
    return Take(software=list(found)) if found else None
