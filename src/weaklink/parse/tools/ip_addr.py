"""Interfaces: `ip addr`, `ip link`, `ip -s link`, and ifconfig."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from weaklink.model.fact_net import Address, Nic
from weaklink.model.take import Take
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

MAX_LINES = 50_000
_HEAD = re.compile(
    r"\d{1,6}: ([\w.:-]{1,32})(?:@([\w.:-]{1,32}))?: <([A-Z0-9_,-]{0,200})> (.{0,300})$"
)
_MTU = re.compile(r"\bmtu (\d{1,6})")
_MASTER = re.compile(r"\bmaster (\S{1,32})")
_INET = re.compile(r"inet6? (\S{3,60})(.{0,200})$")
_IFCONFIG = re.compile(r"([\w.:-]{1,32}): flags=\d{1,6}<([A-Z0-9_,-]{0,200})>  mtu (\d{1,6})")
_IFCOUNT = re.compile(r"(RX|TX) (packets|errors) (\d{1,20})(.{0,200})$")
_PAIR = re.compile(r"(dropped|overruns|frame|carrier|collisions) (\d{1,20})")


@tool(
    "ip-addr",
    needles=(": <",),
    starts=lambda line: _HEAD.match(line.strip()[:600]) is not None,
    goes_on=lambda line: line.startswith("    ") or _HEAD.match(line.strip()[:600]) is not None,
    commands=("ip",),
)
def ip_addr(passage: Passage) -> Take | None:
    """Each interface with its flags, addresses and, with `-s`, its counters."""
    found: list[Any] = []
    for block in _blocks(passage.lines[:MAX_LINES], _HEAD):
        head = _HEAD.match(block[0].strip()[:600])
        if head is None:
            continue
        name, parent, flags_text, rest = head.groups()
        flags = flags_text.split(",")
        mtu, master = _MTU.search(rest), _MASTER.search(rest)
        kind = next((line.split()[0] for line in block[1:] if line.strip().startswith("link/")), "")
        found.append(
            Nic(
                name=name,
                up="UP" in flags,
                carrier=False if "NO-CARRIER" in flags else True if "LOWER_UP" in flags else None,
                mtu=int(mtu.group(1)) if mtu else None,
                master=master.group(1) if master else parent or "",
                kind=kind.removeprefix("link/"),
                counters=_counters(block),
                tool="ip",
                lines={"carrier": block[0].strip()},
            )
        )
        found += _addresses(name, block)
    return Take(hardware=found) if found else None


def _blocks(lines: list[str], head: re.Pattern[str]) -> list[list[str]]:
    blocks: list[list[str]] = []
    for line in lines:
        if head.match(line.strip()[:600]):
            blocks.append([line])
        elif blocks:
            blocks[-1].append(line)
    return blocks


def _addresses(device: str, block: list[str]) -> list[Address]:
    found = []
    for line in block[1:]:
        row = _INET.match(line.strip())
        if row:
            words = row.group(2).split()
            state = next((w for w in ("dadfailed", "tentative", "deprecated") if w in words), "")
            found.append(
                Address(device=device, address=row.group(1), state=state, line=line.strip())
            )
    return found


def _counters(block: list[str]) -> dict[str, int]:
    """`RX: bytes packets errors dropped …` and the figures on the line below."""
    found: dict[str, int] = {}
    for names, figures in pairwise(block):
        words = names.split()
        if not words or words[0] not in {"RX:", "TX:"} or len(words) < 4:
            continue
        values = [whole(word) for word in figures.split()]
        side = words[0][:2].lower()
        if len(values) == len(words) - 1:
            for name, value in zip(words[1:], values, strict=True):
                if value is not None:
                    found[f"{side}_{name}"] = value
    return found


@tool(
    "ifconfig",
    needles=(": flags=",),
    starts=lambda line: _IFCONFIG.match(line.strip()) is not None,
    goes_on=lambda line: line.startswith("        ") or _IFCONFIG.match(line.strip()) is not None,
    commands=("ifconfig",),
)
def ifconfig(passage: Passage) -> Take | None:
    """The same from ifconfig."""
    found: list[Any] = []
    for block in _blocks(passage.lines[:MAX_LINES], _IFCONFIG):
        head = _IFCONFIG.match(block[0].strip())
        if head is None:
            continue
        name, flags_text, mtu = head.groups()
        flags = flags_text.split(",")
        counters: dict[str, int] = {}
        for line in block[1:]:
            row = _IFCOUNT.match(line.strip())
            if row:
                side = row.group(1).lower()
                counters[f"{side}_{row.group(2)}"] = int(row.group(3))
                if row.group(2) == "errors":
                    for word, number in _PAIR.findall(row.group(4)):
                        counters[f"{side}_{word}"] = int(number)
        found.append(
            Nic(
                name=name,
                up="UP" in flags,
                carrier="RUNNING" in flags if "UP" in flags else None,
                mtu=int(mtu),
                counters=counters,
                tool="ifconfig",
                lines={"carrier": block[0].strip()},
            )
        )
    return Take(hardware=found) if found else None


_INTERFACE = re.compile(
    r"([\w.:-]{1,32}) {1,24}(\d{1,6})((?: {1,20}\d{1,20}){8}) {1,12}[A-Z]{1,8}$"
)


@tool(
    "netstat-i",
    heads=("Kernel Interface table", "Iface "),
    starts=lambda line: "Interface table" in line or ("RX-OK" in line and "TX-OK" in line),
    goes_on=lambda line: "RX-OK" in line or _INTERFACE.match(line.strip()) is not None,
    commands=("netstat",),
)
def netstat_i(passage: Passage) -> Take | None:
    """Counters of each interface from `netstat -i`."""
    names = ("packets", "errors", "dropped", "overruns")
    found: list[Any] = []
    for line in passage.lines[:MAX_LINES]:
        row = _INTERFACE.match(line.strip())
        if row is None:
            continue
        values = [int(value) for value in row.group(3).split()]
        counters = {f"rx_{name}": value for name, value in zip(names, values[:4], strict=True)}
        counters |= {f"tx_{name}": value for name, value in zip(names, values[4:], strict=True)}
        found.append(
            Nic(
                name=row.group(1),
                mtu=int(row.group(2)),
                counters=counters,
                tool="netstat -i",
                lines={"rx_errors": line.strip(), "rx_dropped": line.strip()},
            )
        )
    return Take(hardware=found) if found else None
