"""`ethtool IF` (the link) and `ethtool -S IF` (the driver's counters)."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_net import Nic
from weaklink.model.take import Take
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

MAX_COUNTERS = 20_000
_SPEED = re.compile(r"(\d{1,7})(Mb|Gb)/s")
_MODE = re.compile(r"\b(\d{2,7})base")
_COUNTER = re.compile(r"(?:([\w.\[\]-]{1,32}): )?([\w.\[\]/ -]{1,80}?): {1,40}(\d{1,20})\s{0,4}$")


@tool(
    "ethtool",
    heads=("Settings for ",),
    goes_on=lambda line: line.startswith((" ", "\t")),
    commands=("ethtool",),
)
def ethtool(passage: Passage) -> Take | None:
    """The link of each interface in the text."""
    found: list[Any] = []
    blocks: list[list[str]] = []
    for line in passage.lines:
        if line.lstrip().startswith("Settings for "):
            blocks.append([line])
        elif blocks:
            blocks[-1].append(line)
    for block in blocks:
        nic = _link(block)
        if nic is not None:
            found.append(nic)
    return Take(hardware=found) if found else None


def _link(lines: list[str]) -> Nic | None:
    name = lines[0].strip().removeprefix("Settings for ").rstrip(":")[:32]
    fields: dict[str, Any] = {}
    kept: dict[str, str] = {}
    for raw in lines[1:]:
        line = raw.strip()
        key, colon, value = line.partition(":")
        value = value.strip()
        modes = [int(mode) for mode in _MODE.findall(line[:400])]
        if modes and "link partner" not in key.lower():
            fields["speed_best"] = max([fields.get("speed_best", 0.0), *(m * 1e6 for m in modes)])
        if not colon:
            continue
        if key == "Speed":
            speed = _SPEED.match(value)
            kept["speed"] = line
            if speed:
                fields["speed"] = int(speed.group(1)) * (1e9 if speed.group(2) == "Gb" else 1e6)
        elif key == "Duplex":
            fields["duplex"] = value.split("!")[0][:12]
            kept["duplex"] = line
        elif key == "Link detected":
            fields["carrier"] = {"yes": True, "no": False}.get(value.split(" ")[0])
            kept["carrier"] = line
    if not kept:
        return None
    return Nic(name=name, tool="ethtool", lines=kept, **fields)


@tool(
    "ethtool-S",
    heads=("NIC statistics:",),
    goes_on=lambda line: line.startswith((" ", "\t")) and ":" in line,
    commands=("ethtool",),
)
def ethtool_statistics(passage: Passage) -> Take | None:
    """The driver's counters by name; those of queues as `queue.name`. Cut ones are left out."""
    words = passage.command.split()
    name = words[-1][:32] if len(words) > 1 and not words[-1].startswith("-") else ""
    counters: dict[str, int] = {}
    kept: dict[str, str] = {}
    for raw in passage.lines[1 : MAX_COUNTERS + 1]:
        line = raw.strip()
        row = _COUNTER.match(line)
        if row is None:
            continue
        queue, counter, number = row.groups()
        value = whole(number)
        if value is None:
            continue
        key = f"{queue}.{counter}" if queue else counter.strip()
        counters[key] = value
        kept[key] = line
    if not counters:
        return None
    worth = {
        key: line
        for key, line in kept.items()
        if counters[key] and not key.endswith(("bytes", "octets"))
    }
    return Take(
        hardware=[
            Nic(name=name, counters=counters, lines=dict(list(worth.items())[:400]),
                tool="ethtool -S")
        ]
    )  # fmt: skip
