"""The network in the kernel's own words: full tables, links that go down, cards that hang."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.locate.kernel_lines import kernel_lines
from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.fact_hardware import KernelLine
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.knet.neighbours": "the neighbour table is full ({count} lines): new addresses "
        "are not resolved for seconds; its limits are gc_thresh 1 to 3 of net.ipv4.neigh.default",
        "finding.knet.conntrack": "the connection tracking table is full: new connections are "
        "dropped ({count} lines)",
        "finding.knet.syn": "port {where}: more connections arrive than are accepted; the kernel "
        "answers with SYN cookies",
        "finding.knet.down": "{where} lost its link{back}",
        "finding.knet.hang": "{where}: the card's transmit queue hung and was reset ({count} "
        "lines)",
        "finding.knet.firmware": "{where}: the card or its firmware no longer answers ({count} "
        "lines): what leaves or comes through it stands still",
        "finding.knet.memory": "TCP is out of memory: sockets are cut off",
        "finding.knet.duplicate": "two machines use the address {where}",
    }
)


class _Says(NamedTuple):
    verdict: Verdict
    cause: str
    next: str


_SAYS = {
    "neighbours": _Says(
        "critical",
        "neighbour-unresolved",
        "ip -s neigh | wc -l; sysctl net.ipv4.neigh.default.gc_thresh3",
    ),
    "conntrack": _Says(
        "critical",
        "conntrack-full",
        "sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max",
    ),
    "syn": _Says("warn", "listen-overflow", "ss -ltn: Recv-Q against Send-Q of that port"),
    "down": _Says("critical", "link-down", "ethtool and ip -s link on it; the switch's port"),
    "hang": _Says("critical", "nic-errors", "ethtool -i and -S on it; firmware and driver"),
    "firmware": _Says(
        "critical", "nic-errors", "lspci -vvs on it; firmware and driver; reset or replace the card"
    ),
    "memory": _Says("critical", "packet-loss", "sysctl net.ipv4.tcp_mem; ss -s"),
    "duplicate": _Says("critical", "neighbour-wrong", "arping -D on that address"),
}
_OF_A_CARD = {"down", "hang", "firmware"}
_LINK_DOWN = re.compile(
    r"(?:^|\s)([a-z][\w.-]{0,31}): (?:NIC Link is Down|[Ll]ink is [Dd]own|Link down|"
    r"NIC link is down|carrier lost)|link status definitely down for interface ([\w.-]{1,32})"
)
_LINK_UP = re.compile(
    r"(?:^|\s)([a-z][\w.-]{0,31}): (?:NIC Link is Up|[Ll]ink is [Uu]p|Link up|NIC link is up|"
    r"link becomes ready)|link status definitely up for interface ([\w.-]{1,32})"
)
_WATCHDOG = re.compile(
    r"NETDEV WATCHDOG: ([\w.-]{1,32})|(?<![\w.-])([\w.-]{1,32}): (?:.{0,40}(?:Tx Unit Hang|"
    r"(?:TX|tx) timeout (?:on queue|detected))|initiating reset due to tx timeout)"
)
_FIRMWARE = re.compile(
    r"(?:mlx[45]_core|ixgbe|igb|igc|ice|i40e|bnxt_en|e1000e|qede?|ena|virtio_net) "
    r"([\da-f]{4}:[\da-f]{2}:[\da-f]{2}\.\d)(?: [\w.-]{1,32})?: .{0,60}?(?:Fatal error \d|"
    r"health compromised|PCI slot is unavailable|Adapter removed|PCIe link lost|"
    r"[Ff]irmware (?:is )?not responding|ARQ Critical Error|CmdQ timeout)"
)
"""Said of the device, before any of its interfaces: mlx5's health poll, a lost PCIe link."""
_SYN = re.compile(r"[Pp]ossible SYN flooding on port ([\d.:\[\]a-f]{1,60}?)\. ")


@look("network")
def kernel_net(view: View) -> Iterable[Judged]:
    """One finding a sort and place; a link that came back is a warning, not an outage."""
    host = view.case.host.name
    groups: dict[tuple[str, str], list[KernelLine]] = {}
    last: dict[str, str] = {}
    for line in kernel_lines(view):
        up = _LINK_UP.search(line.text)
        if up:
            last[up.group(1) or up.group(2)] = "up"
            continue
        found = _sort(line.text)
        if found is not None:
            groups.setdefault(found, []).append(line)
            if found[0] == "down":
                last[found[1]] = "down"
    for (key, where), lines in groups.items():
        says = _SAYS[key]
        back = last.get(where) == "up"
        verdict: Verdict = "warn" if key == "down" and back else says.verdict
        yield Finding(
            verdict=verdict,
            target=target_key(
                "interface" if key in {"down", "hang", "firmware"} else "host", where, host=host
            )
            if where
            else target_key("host", "-", host=host),
            subject="network",
            message=say(
                f"finding.knet.{key}",
                where=where,
                count=len(lines),
                back=f" {len(lines)} times, and has it again" if back else "",
            ),
            line=lines[0].raw if len(lines) == 1 else f"{lines[0].raw}\n{lines[-1].raw}",
            cause=says.cause,
            next=says.next,
        )


def _sort(text: str) -> tuple[str, str] | None:
    lower = text.lower()
    if "neighbour table overflow" in lower or "neighbor table overflow" in lower:
        return "neighbours", ""
    if "table full, dropping packet" in lower:
        return "conntrack", ""
    if "out of memory -- consider tuning tcp_mem" in lower:
        return "memory", ""
    syn = _SYN.search(text)
    if syn:
        return "syn", syn.group(1)
    hang = _WATCHDOG.search(text)
    if hang:
        return "hang", hang.group(1) or hang.group(2)
    firmware = _FIRMWARE.search(text)
    if firmware:
        return "firmware", firmware.group(1)
    down = _LINK_DOWN.search(text)
    if down:
        return "down", down.group(1) or down.group(2)
    if "duplicate address detected" in lower or "is already in use by" in lower:
        return "duplicate", ""
    return None
