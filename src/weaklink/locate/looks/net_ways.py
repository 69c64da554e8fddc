"""Whether the addresses that the chain calls can be reached: route, interface, next hop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Hop, Link
from weaklink.model.evidence import evidence
from weaklink.model.fact_net import Way
from weaklink.model.finding import Finding
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.stats.robust import ramp
from weaklink.words import sign, texts

NO_ROUTE = sign(
    "net.no-route",
    "kernel-counters",
    "The kernel has no way from the caller to the address that it calls.",
    "the kernel's answer for {destination}, asked where {caller} runs: {answer}",
    hurts=True,
)
LINK_DOWN = sign(
    "net.link-down",
    "kernel-counters",
    "The interface towards the address that is called is down.",
    "{device}, by which {caller} reaches {destination}, is down{partner}",
    hurts=True,
)
SILENT = sign(
    "net.neighbour-silent",
    "kernel-counters",
    "The next hop towards the address that is called does not answer ARP or neighbour discovery.",
    "{next_hop} on {device}, the next hop from {caller} to {destination}, does not answer: {state}",
    hurts=True,
)
ELSEWHERE = sign(
    "net.egress-elsewhere",
    "configuration",
    "Packets to an address leave by another interface than the one that is in its network.",
    "packets to {destination} leave by {device}{via}, though it lies in the network of {home}",
)
UNANSWERED = sign(
    "net.connect-unanswered",
    "kernel-counters",
    "Connections that were begun are neither accepted nor refused: no packet comes back.",
    "{count} connections of {caller} to {address} got no answer yet (SYN-SENT)",
)
texts(
    {
        "finding.way.none": "no way to {destination} from namespace {netns}: {error}",
        "finding.way.silent": "the next hop {next_hop} on {device} does not answer",
        "finding.way.down": "{device} is down, and {destination} is behind it",
    }
)
ANSWERS = {
    "ENETUNREACH": "no route (network is unreachable)",
    "EHOSTUNREACH": "its route says unreachable",
    "EACCES": "its route says prohibit",
    "EINVAL": "its route is a black hole",
}
"""What the kernel's refusal of a route lookup means, net/ipv4/fib_semantics.c (fib_props)."""
DEAD = {"FAILED", "INCOMPLETE"}
"""STALE, DELAY and PROBE are normal. A first question is INCOMPLETE for a millisecond, so both
looks of a window must find it."""
SPARE = 0.2
"""Strength for a member that the proxy does not use now (backup, down): no sign by itself."""
UNANSWERED_TICKS = 2
"""A SYN that is answered is never seen twice, a second apart."""


def called(view: View) -> Iterator[tuple[Link, Hop, Way]]:
    """Every hop of the chain that has a Way: who calls, the hop, the kernel's answers."""
    ways = {
        (fact.netns, fact.destination): fact for fact in view.case.hardware if isinstance(fact, Way)
    }
    if not ways:
        return
    for hop in view.chain.hops:
        caller = view.chain.link(hop.source)
        if caller is None or not caller.on_chain:
            continue
        way = ways.get((caller.netns, _host(hop.address)))
        if way is not None:
            yield caller, hop, way


def _host(address: str) -> str:
    return address.rpartition(":")[0].strip("[]")


def _spares(view: View) -> set[str]:
    return {
        member.address
        for upstream in view.case.upstreams
        for member in upstream.members
        if member.backup or member.down
    }


def _key(view: View, way: Way, kind: str, name: str) -> str:
    return target_key(kind, name, host=view.case.host.name, netns=way.netns)


@look("network")
def ways(view: View) -> Iterable[Judged]:
    """Each hop's way: no route, an interface that is down, a next hop that is silent."""
    spares = _spares(view)
    for caller, hop, way in called(view):
        full = SPARE if hop.address in spares else 1.0
        down = _down(way)
        yield evidence(
            LINK_DOWN,
            _key(view, way, "nic", down or way.device or "-"),
            full if down else 0.0,
            link=hop.key,
            command=f"{_inside(view, way)}ip -s link show {down or way.device}",
            device=down or way.device,
            caller=caller.name,
            destination=way.destination,
            partner="" if down not in way.home_down or way.up is not True else " (no partner)",
        )
        yield evidence(
            NO_ROUTE,
            _key(view, way, "route", way.destination),
            full if way.error in ANSWERS else 0.0,
            link=hop.key,
            command=f"{_inside(view, way)}ip route get {way.destination}",
            destination=way.destination,
            caller=caller.name,
            answer=ANSWERS.get(way.error, "there is one"),
        )
        if not way.error:
            yield from _next_hop(view, caller, hop, way, full)
            yield from _egress(view, hop, way)
        yield from _told(view, way, down)


def _down(way: Way) -> str:
    """The interface whose being down cuts this way, '' for none."""
    if way.device and (way.up is False or way.carrier is False):
        return way.device
    if way.error and way.home_down:
        return way.home_down[0]
    return ""


def _inside(view: View, way: Way) -> str:
    process = view.by_key.get(way.process)
    return f"nsenter -t {process.pid} -n " if process and way.netns != "-" else ""


def _next_hop(view: View, caller: Link, hop: Hop, way: Way, full: float) -> Iterable[Judged]:
    if way.kind not in ("", "unicast") or not way.device:
        return
    states = [state for state in way.next_hop if state]
    if not states:
        return
    dead = len(states) >= 2 and all(state in DEAD for state in states)
    next_hop = way.via or way.destination
    yield evidence(
        SILENT,
        _key(view, way, "neighbour", next_hop),
        full if dead else 0.0,
        link=hop.key,
        command=f"{_inside(view, way)}ip neigh show {next_hop}",
        next_hop=next_hop,
        device=way.device,
        caller=caller.name,
        destination=way.destination,
        state=states[-1],
    )


def _egress(view: View, hop: Hop, way: Way) -> Iterable[Judged]:
    """Asked only where one of the own networks holds the destination: then there is a right one."""
    alive = [name for name in way.home if name not in way.home_down]
    if not alive or way.kind != "unicast" or not way.device:
        return
    yield evidence(
        ELSEWHERE,
        _key(view, way, "route", way.destination),
        0.0 if way.device in alive else 1.0,
        link=hop.key,
        command=f"{_inside(view, way)}ip route get {way.destination}; ip rule",
        destination=way.destination,
        device=way.device,
        via=f" via {way.via}" if way.via else "",
        home=", ".join(alive),
    )


def _told(view: View, way: Way, down: str) -> Iterable[Finding]:
    next_hop = way.via or way.destination
    dead = len(way.next_hop) >= 2 and all(state in DEAD for state in way.next_hop)
    kind = "down" if down else "none" if way.error in ANSWERS else "silent" if dead else ""
    if kind:
        yield Finding(
            verdict="critical",
            target=_key(view, way, "route", way.destination),
            subject="network",
            cause={"down": "link-down", "none": "no-route"}.get(kind, "neighbour-unresolved"),
            message=say(
                f"finding.way.{kind}",
                destination=way.destination,
                netns=way.netns,
                error=ANSWERS.get(way.error, way.error),
                next_hop=next_hop,
                device=down or way.device,
            ),
        )


@look("network")
def unanswered(view: View) -> Iterable[Judged]:
    """Connections that hang in SYN-SENT, by the address that they go to."""
    if not view.ticks:
        return
    for hop in view.chain.hops:
        caller = view.chain.link(hop.source)
        if caller is None or not caller.on_chain or hop.address.startswith("unix:"):
            continue
        waiting: dict[float, int] = defaultdict(int)
        for one in view.connections(caller):
            if one.state == "syn-sent" and one.remote == hop.address:
                waiting[one.at] += 1
        most = max(waiting.values(), default=0)
        yield evidence(
            UNANSWERED,
            _listener(view, caller, hop),
            ramp(len(waiting) - UNANSWERED_TICKS + 1, 0.0, 2.0),
            link=hop.key,
            value=float(most),
            command=f"ss -tnp state syn-sent dst {_host(hop.address)}",
            count=most,
            caller=caller.name,
            address=hop.address,
        )


def _listener(view: View, caller: Link, hop: Hop) -> str:
    return target_key("listener", hop.address, host=view.case.host.name, netns=caller.netns)
