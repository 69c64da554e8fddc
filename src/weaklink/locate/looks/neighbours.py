"""Who answers on the local network: addresses without an answer, one address at two cards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.fact_net import Neighbour, RouteEntry
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.neigh.silent": "{count} of {all} neighbours do not answer: {names} on {device}",
        "finding.neigh.gateway": "the gateway {names} on {device} does not answer: nothing leaves "
        "by it",
        "finding.neigh.two": "{address} on {device} is claimed by two machines: {macs}",
        "finding.neigh.ok": "{count} neighbours resolved: {names}",
    }
)
SILENT = {"INCOMPLETE", "FAILED"}
"""STALE, DELAY, PROBE and PERMANENT are normal: an answer was had, or none is needed."""


@look("network")
def neighbours(view: View) -> Iterable[Judged]:
    """Addresses that were asked for and did not answer, worst where it is the gateway."""
    known = [fact for fact in view.case.hardware if isinstance(fact, Neighbour)]
    if not known:
        return
    host = view.case.host.name
    gateways = {
        fact.via
        for fact in view.case.hardware
        if isinstance(fact, RouteEntry) and fact.destination == "default"
    }
    yield from _claimed_twice(known, host)
    by_device: dict[str, list[Neighbour]] = defaultdict(list)
    for one in known:
        if one.state in SILENT:
            by_device[one.device].append(one)
    for device, silent in by_device.items():
        lost = [one for one in silent if one.address in gateways]
        shown = lost or silent
        names = ", ".join(one.address for one in shown[:8])
        more = len(shown) - 8
        verdict: Verdict = "critical" if lost else "warn"
        yield Finding(
            verdict=verdict,
            target=target_key("neighbour", shown[0].address, host=host),
            subject="network",
            message=say(
                "finding.neigh.gateway" if lost else "finding.neigh.silent",
                names=names + (f" and {more} more" if more > 0 else ""),
                device=device,
                count=len(silent),
                all=len(known),
            ),
            line="\n".join(one.line for one in shown[:2]),
            cause="neighbour-unresolved",
            sure=0.8,
            next=f"{_ask(shown[0].address, device)}; is that machine there and in this VLAN?",
        )
    if not by_device:
        names = ", ".join(one.address for one in known[:4])
        yield Finding(
            verdict="healthy",
            target=target_key("neighbour", known[0].address, host=host),
            subject="network",
            message=say("finding.neigh.ok", count=len(known), names=names),
            line=known[0].line,
            cause="neighbour-unresolved",
            sure=0.7,
        )


def _claimed_twice(known: list[Neighbour], host: str) -> Iterable[Finding]:
    macs: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for one in known:
        if one.mac:
            macs[one.address, one.device][one.mac.lower()] = one.line
    for (address, device), found in macs.items():
        if len(found) > 1:
            yield Finding(
                verdict="warn",
                target=target_key("neighbour", address, host=host),
                subject="network",
                message=say(
                    "finding.neigh.two", address=address, device=device, macs=" and ".join(found)
                ),
                line="\n".join(list(found.values())[:2]),
                cause="neighbour-wrong",
                sure=0.7,
                next=f"ip neigh show {address} dev {device}, several times: does its MAC change?",
            )


def _ask(address: str, device: str) -> str:
    """ARP is of IPv4; its neighbours of IPv6 are asked by the kernel itself."""
    return f"ping -6 -c 3 {address}%{device}" if ":" in address else f"arping -I {device} {address}"
