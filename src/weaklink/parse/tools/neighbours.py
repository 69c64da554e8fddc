"""Who answers at which hardware address: `ip neigh`, `arp`, `arp -n`, `arp -a`."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_net import Neighbour
from weaklink.model.take import Take
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 20_000
STATES = "REACHABLE STALE DELAY PROBE FAILED INCOMPLETE PERMANENT NOARP NONE".split()  # noqa: SIM905
_NEIGHBOUR = re.compile(
    r"(\S{2,45}) dev (\S{1,32})\s{1,4}(?:lladdr ([0-9a-fA-F:]{11,60})\s{1,4})?"
    rf"(.{{0,120}}?)\b({'|'.join(STATES)})\b\s{{0,4}}(?:proto \w{{1,12}})?\s{{0,4}}$"
)
_ARP = re.compile(
    r"(\S{1,64})\s{1,40}(?:(ether|loop|infiniband|ax25)\s{1,16}([0-9a-fA-F:]{11,60})\s{1,8}"
    r"([CMP]{0,4})\s{1,24}(?:\S{1,20}\s{1,8})?|\((incomplete)\)\s{1,40})(\S{1,32})\s{0,8}$"
)
_BSD = re.compile(
    r"(\S{1,64}) \((\S{2,45})\) at (<incomplete>|[0-9a-fA-F:]{11,60})(?: \[\w{1,12}\])? "
    r"(?:(?:PERM|PUB) ){0,2}on (\S{1,32})"
)


@tool(
    "ip-neigh",
    needles=(" dev ",),
    starts=lambda line: " dev " in line[:120] and _NEIGHBOUR.match(line.strip()[:300]) is not None,
    goes_on=lambda line: _NEIGHBOUR.match(line.strip()[:300]) is not None,
    commands=("ip",),
)
def ip_neigh(passage: Passage) -> Take | None:
    """One Neighbour a line."""
    found: list[Any] = []
    for raw in passage.lines[:MAX_ROWS]:
        line = raw.strip()
        row = _NEIGHBOUR.match(line[:300])
        if row:
            address, device, mac, _, state = row.groups()
            found.append(
                Neighbour(address=address, device=device, mac=mac or "", state=state, line=line)
            )
    return Take(hardware=found) if found else None


@tool(
    "arp",
    heads=("Address ",),
    needles=(" at <incomplete>", "] on ", "(incomplete)", " ether "),
    starts=lambda line: (
        ("HWtype" in line and "HWaddress" in line)
        or _BSD.match(line.strip()[:300]) is not None
        or _ARP.match(line.strip()[:300]) is not None
    ),
    goes_on=lambda line: (
        _ARP.match(line.strip()[:300]) is not None or _BSD.match(line.strip()[:300]) is not None
    ),
    commands=("arp",),
)
def arp(passage: Passage) -> Take | None:
    """One Neighbour a line; its state only where the tool says that it is not resolved."""
    found: list[Any] = []
    for raw in passage.lines[:MAX_ROWS]:
        line = raw.strip()
        bsd = _BSD.match(line[:300])
        if bsd:
            name, address, mac, device = bsd.groups()
            missing = mac.startswith("<")
            found.append(
                Neighbour(
                    address=address if name == "?" else f"{name} ({address})",
                    device=device,
                    mac="" if missing else mac,
                    state="INCOMPLETE" if missing else "",
                    line=line,
                )
            )
            continue
        row = _ARP.match(line[:300])
        if row and not line.startswith("Address"):
            address, _, mac, flags, missing_word, device = row.groups()
            found.append(
                Neighbour(
                    address=address,
                    device=device,
                    mac=mac or "",
                    state="INCOMPLETE" if missing_word else "PERMANENT" if "M" in (flags or "")
                    else "",
                    line=line,
                )
            )  # fmt: skip
    return Take(hardware=found) if found else None
