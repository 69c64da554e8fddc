"""Protocol counters since boot: `netstat -s` and `nstat -az`, by the kernel's names."""

from __future__ import annotations

import re

from weaklink.model.fact_net import NetCounters
from weaklink.model.take import Take
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

MAX_LINES = 5000
_SECTIONS = (
    "Ip:",
    "Icmp:",
    "Tcp:",
    "TcpExt:",
    "Udp:",
    "IpExt:",
    "UdpLite:",
    "IcmpMsg:",
    "MPTcpExt:",
)
_NAMED = re.compile(r"([A-Z][A-Za-z0-9]{2,40}): (-?\d{1,20})\s{0,4}$")
_WORDS: tuple[tuple[str, str], ...] = (
    ("segments sent out", "TcpOutSegs"),
    ("segments send out", "TcpOutSegs"),
    ("segments retransmitted", "TcpRetransSegs"),
    ("segments retransmited", "TcpRetransSegs"),
    ("segments received", "TcpInSegs"),
    ("bad segments received", "TcpInErrs"),
    ("active connection openings", "TcpActiveOpens"),
    ("active connections openings", "TcpActiveOpens"),
    ("passive connection openings", "TcpPassiveOpens"),
    ("failed connection attempts", "TcpAttemptFails"),
    ("connection resets received", "TcpEstabResets"),
    ("connections established", "TcpCurrEstab"),
    ("resets sent", "TcpOutRsts"),
    ("the listen queue of a socket overflowed", "TcpExtListenOverflows"),
    ("times the listen queue of a socket overflowed", "TcpExtListenOverflows"),
    ("SYNs to LISTEN sockets dropped", "TcpExtListenDrops"),
    ("SYNs to LISTEN sockets ignored", "TcpExtListenDrops"),
    ("packets pruned from receive queue because of socket buffer overrun", "TcpExtPruneCalled"),
    ("packets collapsed in receive queue", "TcpExtTCPRcvCollapsed"),
    ("connections aborted due to timeout", "TcpExtTCPAbortOnTimeout"),
    ("connections aborted due to memory pressure", "TcpExtTCPAbortOnMemory"),
    ("SYN cookies sent", "TcpExtSyncookiesSent"),
    ("fast retransmits", "TcpExtTCPFastRetrans"),
    ("packet receive errors", "UdpInErrors"),
    ("receive buffer errors", "UdpRcvbufErrors"),
    ("packets received", "UdpInDatagrams"),
    ("outgoing packets dropped because of missing route", "IpOutNoRoutes"),
    ("dropped because of missing route", "IpOutNoRoutes"),
)
_FIGURE = re.compile(r"(\d{1,20}) (.{3,120}?)\.?\s{0,4}$")


@tool(
    "netstat-s",
    heads=_SECTIONS,
    starts=lambda line: line.strip() in _SECTIONS,
    goes_on=lambda line: line.strip() in _SECTIONS or line.startswith((" ", "\t")),
    commands=("netstat",),
)
def netstat_s(passage: Passage) -> Take | None:
    """The counters that this version of netstat prints, under the kernel's names."""
    counters: dict[str, int] = {}
    kept: dict[str, str] = {}
    section = ""
    for raw in passage.lines[:MAX_LINES]:
        line = raw.strip()
        if line in _SECTIONS:
            section = line[:-1]
            continue
        named = _NAMED.match(line)
        if named:
            name = f"{'' if named.group(1).startswith(section) else section}{named.group(1)}"
            counters[name], kept[name] = int(named.group(2)), line
            continue
        figure = _FIGURE.match(line)
        value = whole(figure.group(1)) if figure else None
        if figure is None or value is None:
            continue
        name = _name(figure.group(2), section)
        if name:
            counters[name], kept[name] = value, line
    return Take(hardware=[NetCounters(counters=counters, lines=kept)]) if counters else None


def _name(words: str, section: str) -> str:
    for text, name in _WORDS:
        if words in (text, f"times {text}"):
            if name.startswith("Udp") and not section.startswith("Udp"):
                continue
            return name
    return ""


_NSTAT = re.compile(
    r"((?:Ip|Icmp|Tcp|Udp|TcpExt|IpExt|Ip6|Udp6)[A-Za-z0-9]{2,40})"
    r" {1,40}(\d{1,20}) {1,30}[\d.]{1,16}\s{0,4}$"
)


@tool(
    "nstat",
    heads=("#kernel", "Tcp", "Ip", "Udp"),
    starts=lambda line: line.startswith("#kernel") or _NSTAT.match(line.strip()) is not None,
    goes_on=lambda line: _NSTAT.match(line.strip()) is not None,
    commands=("nstat",),
)
def nstat(passage: Passage) -> Take | None:
    """Counters of nstat; without `-a` they are what came since its last call."""
    counters: dict[str, int] = {}
    kept: dict[str, str] = {}
    for raw in passage.lines[:MAX_LINES]:
        line = raw.strip()
        row = _NSTAT.match(line)
        if row:
            counters[row.group(1)], kept[row.group(1)] = int(row.group(2)), line
    return (
        Take(hardware=[NetCounters(counters=counters, lines=kept, tool="nstat")])
        if counters
        else None
    )
