"""Whether a namespace ran out of local ports towards one destination, or of tracked connections."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact_net import NetRoom
from weaklink.model.finding import Finding
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.stats.robust import ramp
from weaklink.words import sign, texts

PORTS = sign(
    "net.ports-used-up",
    "kernel-counters",
    "The local ports for new connections to one address are all in use.",
    "{used} of {all} local ports towards {destination} are taken, {time_wait} in TIME_WAIT",
    hurts=True,
)
TRACKED = sign(
    "net.conntrack-full",
    "kernel-counters",
    "The kernel's table of tracked connections is full, and packets of new ones are dropped.",
    "{tracked} of at most {most} connections are tracked; {dropped} packets were dropped for it",
    hurts=True,
)
texts(
    {
        "finding.ports": "{used} of {all} local ports towards {destination} are taken",
        "finding.conntrack": "{tracked} of at most {most} connections are tracked",
    }
)
PORT_SHARE = (0.9, 0.98)
"""Of the range. The kernel tries ports at random and then all: it fails at the very end only."""
TRACKED_SHARE = 0.95
"""Under it a drop has another reason (a race of two inserts, a broken packet)."""


@look("network")
def port_room(view: View) -> Iterable[Judged]:
    """The fullest destination of each namespace, said of a link that calls it from there."""
    for room in _rooms(view):
        span = room.port_high - room.port_low + 1
        if not room.port_high:
            continue
        caller = _caller(view, room)
        if caller is None:
            continue
        strength = ramp(room.ports_used / span, *PORT_SHARE)
        target = caller.processes[0] if caller.processes else caller.key
        yield evidence(
            PORTS,
            target,
            strength,
            link=caller.key,
            value=round(room.ports_used / span, 3),
            command=f"ss -tan dst {room.destination} | wc -l; sysctl net.ipv4.ip_local_port_range",
            used=room.ports_used,
            all=span,
            destination=room.destination or "-",
            time_wait=room.time_wait,
        )
        if strength:
            yield Finding(
                verdict="critical",
                target=target,
                subject="network",
                cause="port-exhaustion",
                message=say(
                    "finding.ports", used=room.ports_used, all=span, destination=room.destination
                ),
            )


@look("network")
def conntrack_room(view: View) -> Iterable[Judged]:
    """How full the table of tracked connections is, for the links that live there."""
    for room in _rooms(view):
        if room.tracked is None or not room.tracked_most:
            continue
        share = room.tracked / room.tracked_most
        full = share >= TRACKED_SHARE and bool(room.dropped)
        for link in view.on_chain():
            if link.netns != room.netns or link.role == "external":
                continue
            yield evidence(
                TRACKED,
                target_key("netns", "conntrack", host=view.case.host.name, netns=room.netns),
                1.0 if full else 0.0,
                link=link.key,
                value=round(share, 3),
                command="sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max",
                tracked=room.tracked,
                most=room.tracked_most,
                dropped=room.dropped or 0,
            )
        if full:
            yield Finding(
                verdict="critical",
                target=target_key("netns", "conntrack", host=view.case.host.name, netns=room.netns),
                subject="network",
                cause="conntrack-full",
                message=say("finding.conntrack", tracked=room.tracked, most=room.tracked_most),
            )


def _rooms(view: View) -> list[NetRoom]:
    return [fact for fact in view.case.hardware if isinstance(fact, NetRoom)]


def _caller(view: View, room: NetRoom) -> Link | None:
    """A link of the chain that calls this destination from that namespace; None: not the chain."""
    for hop in view.chain.hops:
        caller = view.chain.link(hop.source)
        if caller is None or not caller.on_chain or caller.netns != room.netns:
            continue
        callee = view.chain.link(hop.dest)
        called = {hop.address, *(callee.listen if callee else [])}
        if room.destination in called or not room.destination:
            return caller
    return None
