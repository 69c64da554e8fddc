"""The network as the chain uses it: which way each real destination is reached, and over whom."""

from __future__ import annotations

import ipaddress
import time
from collections import defaultdict

from weaklink.model.case import Case
from weaklink.model.fact_hardware import Hardware
from weaklink.model.fact_net import Way
from weaklink.model.message import say
from weaklink.model.take import Take
from weaklink.parse.clean import clean_text
from weaklink.reach.host import NotAllowed, NotHere, Reach
from weaklink.reach.namespaces import in_netns
from weaklink.reach.registry import probe
from weaklink.reach.route_netlink import NeighbourRow, Surroundings, surroundings
from weaklink.words import texts

texts({"ways.none": "the chain calls nothing over an IP network"})

MAX_DESTINATIONS = 64
"""Of one namespace; each costs the kernel some microseconds."""
MAX_NAMESPACES = 16
SECONDS = 0.5
"""For one namespace, twice in a window."""
MAX_ENTRIES = 8


@probe(
    "ways",
    subject="network",
    phase="deep",
    about="for each address that the chain calls: the kernel's route, interface and next hop",
    frozen=False,
)
def look_at_ways(reach: Reach, case: Case) -> Take:
    """A Way for each namespace and destination, its next hop seen twice.

    Raises NotHere where the chain calls nothing by address, NotAllowed where none of its
    namespaces may be entered.
    """
    wanted = destinations(case)
    if not wanted:
        raise NotHere(say("ways.none"))
    first = _ask(reach, case, wanted)
    reach.pause_until_window_ends(before=1.0)
    second = _ask(reach, case, wanted)
    ways: list[Hardware] = []
    for netns, found in second.items():
        for address, process in wanted[netns].items():
            looks = [one for one in (first.get(netns), found) if one is not None]
            ways.append(way(netns, address, process, looks, reach.now()))
    return Take(hardware=ways)


def destinations(case: Case) -> dict[str, dict[str, str]]:
    """By namespace: addresses that a link of the chain calls, and the process that calls."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    owners = {key: link for link in case.chain.links if link.on_chain for key in link.processes}
    by_pid = {pid: link for link in case.chain.links if link.on_chain for pid in link.pids}

    def note(netns: str, address: str, process: str) -> None:
        host = plain_ip(address)
        if host and len(found[netns]) < MAX_DESTINATIONS:
            found[netns].setdefault(host, process)

    for upstream in case.upstreams:
        if link := owners.get(upstream.owner):
            for member in upstream.members:
                note(link.netns, member.address, upstream.owner)
    for hop in case.chain.hops:
        source = case.chain.link(hop.source)
        if source is not None and source.on_chain and source.processes:
            note(source.netns, hop.address, source.processes[0])
    for one in reversed(case.connections):
        link = by_pid.get(one.pid)
        if link is not None and link.processes and not link.serves(one.local):
            note(one.netns, one.remote, link.processes[0])
    return {netns: rows for netns, rows in list(found.items())[:MAX_NAMESPACES] if rows}


def plain_ip(address: str) -> str:
    """The IP address of `ip:port`; '' for names, unix sockets, loopback and wildcards."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        there = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(there, ipaddress.IPv6Address) and there.ipv4_mapped:
        there = there.ipv4_mapped
    usual = not (there.is_loopback or there.is_unspecified or there.is_link_local)
    return str(there) if usual else ""


def _ask(reach: Reach, case: Case, wanted: dict[str, dict[str, str]]) -> dict[str, Surroundings]:
    pids = {process.key: process.pid for process in case.processes}
    found = {}
    refused: NotAllowed | None = None
    for netns, rows in wanted.items():
        pid = pids.get(next(iter(rows.values())))
        if pid is None or reach.left() < SECONDS:
            continue
        addresses = list(rows)
        try:
            found[netns] = in_netns(
                pid,
                lambda addresses=addresses: surroundings(  # type: ignore[misc]
                    addresses, deadline=time.monotonic() + SECONDS
                ),
                seconds=2 * SECONDS,
            )
        except NotHere:
            continue
        except NotAllowed as error:
            refused = error
    if refused is not None and not found:
        raise refused
    return found


def way(netns: str, address: str, process: str, looks: list[Surroundings], at: float) -> Way:
    """What the looks at a namespace say of one destination; the last one decides."""
    now = looks[-1]
    answer = now.answers[address]
    link = now.links.get(answer.device)
    there = ipaddress.ip_address(address)
    homes = [now.links[index] for index, net in now.networks if there in net and index in now.links]
    hop = answer.via or address
    entries = [_entry(one, answer.device, hop) for one in looks]
    mac = entries[-1].mac if entries[-1] else ""
    return Way(
        netns=netns,
        destination=address,
        process=process,
        device=clean_text(link.name) if link else "",
        via=answer.via,
        source=answer.source,
        table=answer.table,
        kind=answer.kind,
        error=answer.error,
        next_hop=[entry.state if entry else "" for entry in entries],
        mac=mac,
        entries=[
            row.address
            for row in now.neighbours
            if mac and row.mac == mac and row.device == answer.device and row.address != hop
        ][:MAX_ENTRIES],
        up=link.up if link else None,
        carrier=link.carrier if link else None,
        mtu=link.mtu if link else 0,
        home=sorted({clean_text(one.name) for one in homes}),
        home_down=sorted(
            {clean_text(one.name) for one in homes if not one.up or one.carrier is False}
        ),
        at=at,
    )


def _entry(found: Surroundings, index: int, address: str) -> NeighbourRow | None:
    return next(
        (row for row in found.neighbours if row.device == index and row.address == address), None
    )
