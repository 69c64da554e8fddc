"""Routes: `ip route` (any table, IPv6, `-d`), `ip route get`, `route -n`, `netstat -rn`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from weaklink.model.fact_net import RouteAnswer, RouteEntry
from weaklink.model.take import Take
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 20_000
_ADDRESS = r"(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f.]{0,15}){2,8})"
_PREFIX = rf"(?:default|{_ADDRESS}(?:/\d{{1,3}})?)"
_KINDS = (
    "unicast",
    "broadcast",
    "local",
    "unreachable",
    "blackhole",
    "prohibit",
    "throw",
    "anycast",
    "multicast",
    "nat",
)
_ROUTE = re.compile(rf"\s{{0,8}}(?:({'|'.join(_KINDS)}) )?({_PREFIX})(?= |$)(.{{0,400}})$")
_NEXTHOP = re.compile(r"\s{1,8}nexthop ")
_GET = re.compile(
    rf"(?:local |broadcast )?({_ADDRESS}) (?:from ({_ADDRESS}) )?"
    rf"(?:via ({_ADDRESS}) )?dev (\S{{1,32}})"
    rf"(?: table \S{{1,32}})?(?: (?:src|from) ({_ADDRESS}))?.{{0,60}}(?: uid \d{{1,10}})"
)
_CLASSIC = re.compile(
    r"(default|\d{1,3}(?:\.\d{1,3}){3}) {1,40}(\d{1,3}(?:\.\d{1,3}){3}|\*|\S{1,40}) {1,40}"
    r"(\d{1,3}(?:\.\d{1,3}){3}) {1,20}([UGHDMACR!]{1,6}) {1,12}(\d{1,10}) {1,12}(\d{1,10}) {1,12}"
    r"(\d{1,10}) {1,12}(\S{1,32})\s{0,8}$"
)


def _is_route(line: str) -> bool:
    found = _ROUTE.match(line)
    if found is None:
        return False
    rest = found.group(3)
    return " dev " in f"{rest} " or " via " in f"{rest} " or bool(found.group(1))


def _goes_on(line: str) -> bool:
    if _is_route(line) or _NEXTHOP.match(line):
        return True
    return line.startswith(("    cache", "\tcache", "    error", "        "))


@tool(
    "ip-route",
    heads=("default ", *(f"{kind} " for kind in _KINDS)),
    needles=(" dev ",),
    starts=lambda line: _is_route(line) and " lladdr " not in line and not _is_answer(line),
    goes_on=lambda line: _goes_on(line) and " lladdr " not in line,
    commands=("ip",),
)
def ip_route(passage: Passage) -> Take | None:
    """Every route of the listing; the table of a line that names none is the asked one, or main."""
    asked = re.search(r"\btable (\S{1,32})", passage.command)
    table = asked.group(1) if asked and asked.group(1) not in {"all", "0"} else "main"
    found: list[RouteEntry] = []
    for line in passage.lines:
        if _NEXTHOP.match(line):
            if found:
                found.append(_hop(found, line))
            continue
        row = _ROUTE.match(line)
        if row is None or not _is_route(line) or len(found) >= MAX_ROWS:
            continue
        found.append(_entry(row, line, table))
    if found and all(not one.device and not one.via and one.kind == "unicast" for one in found):
        return None
    return Take(hardware=list(found)) if found else None


def _words(rest: str) -> dict[str, str]:
    words = rest.split()
    pairs = pairwise(words)
    keys = {"via", "dev", "metric", "table", "src", "proto", "scope"}
    return {name: value for name, value in pairs if name in keys}


def _entry(row: re.Match[str], line: str, table: str) -> RouteEntry:
    kind, destination, rest = row.groups()
    named = _words(rest)
    via = named.get("via", "")
    if via in {"inet", "inet6"}:
        following = re.search(rf"via inet6? ({_ADDRESS})", rest)
        via = following.group(1) if following else ""
    six = ":" in destination or ":" in via or ":" in named.get("src", "")
    # `unreachable default dev lo metric 4294967295 error -101` is the kernel's IPv6 placeholder.
    six = six or (" error -" in rest and "pref" not in rest and named.get("dev") == "lo")
    flags = [word for word in rest.split() if word in {"linkdown", "dead", "onlink"}]
    return RouteEntry(
        destination=destination,
        device=named.get("dev", ""),
        via=via,
        metric=whole(named.get("metric", "")),
        table=named.get("table", table),
        kind=kind or "unicast",
        source=named.get("src", ""),
        family=6 if six else 4,
        scope=named.get("scope", ""),
        protocol=named.get("proto", ""),
        flags=flags,
        line=line.strip(),
    )


def _hop(found: list[RouteEntry], line: str) -> RouteEntry:
    import msgspec

    named = _words(line)
    base = found[-1]
    return msgspec.structs.replace(
        base, via=named.get("via", ""), device=named.get("dev", ""), flags=["nexthop"],
        line=line.strip(),
    )  # fmt: skip


def _is_answer(line: str) -> bool:
    return _GET.match(line.strip()) is not None


@tool(
    "ip-route-get",
    needles=(" uid ", "RTNETLINK answers"),
    starts=lambda line: _is_answer(line) or line.startswith("RTNETLINK answers"),
    goes_on=lambda line: line.startswith(("    cache", "\tcache")),
    commands=("ip",),
)
def ip_route_get(passage: Passage) -> Take | None:
    """Which way the kernel would send to one address, or its error."""
    line = passage.lines[0].strip()
    found = _GET.match(line)
    if found:
        destination, source, via, device, source2 = found.groups()
        answer = RouteAnswer(
            destination=destination, device=device, via=via or "", source=source2 or source or "",
            line=line,
        )  # fmt: skip
        return Take(hardware=[answer])
    if not line.startswith("RTNETLINK answers") or " get " not in f"{passage.command} ":
        return None
    asked = passage.command.partition(" get ")[2].split()
    destination = asked[0] if asked else ""
    error = line.partition(":")[2].strip()[:80]
    return Take(hardware=[RouteAnswer(destination=destination, error=error, line=line)])


@tool(
    "route",
    heads=("Kernel IP routing table", "Destination "),
    starts=lambda line: "routing table" in line or ("Genmask" in line and "Flags" in line),
    goes_on=lambda line: _CLASSIC.match(line.strip()) is not None or "Genmask" in line,
    commands=("route", "netstat"),
)
def route(passage: Passage) -> Take | None:
    """The classic table; `netstat -rn` has MSS, window, irtt where `route` has metric, ref, use."""
    found: list[Any] = []
    with_metric = any("Metric" in line for line in passage.lines[:3])
    for line in passage.lines[:MAX_ROWS]:
        row = _CLASSIC.match(line.strip())
        if row is None:
            continue
        destination, gateway, mask, flags, first, _, _, device = row.groups()
        bits = _mask_bits(mask)
        if bits is None:
            continue
        default = destination in {"0.0.0.0", "default"} and bits == 0
        reject = "!" in flags
        found.append(
            RouteEntry(
                destination="default" if default else f"{destination}/{bits}",
                device=device,
                via=gateway if "G" in flags else "",
                metric=int(first) if with_metric else None,
                kind="unreachable" if reject else "unicast",
                scope="" if "G" in flags else "link",
                flags=[flags],
                line=line.strip(),
            )
        )
    return Take(hardware=found) if found else None


def _mask_bits(mask: str) -> int | None:
    value = 0
    for part in mask.split("."):
        if not part.isdigit() or int(part) > 255:
            return None
        value = value << 8 | int(part)
    bits = bin(value).count("1")
    return bits if value == (0xFFFFFFFF << (32 - bits)) & 0xFFFFFFFF else None
