"""Whether packets are lost on one hop: what TCP had to send again, connection by connection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Hop
from weaklink.model.evidence import evidence
from weaklink.model.fact import Connection
from weaklink.model.target import target_key
from weaklink.stats.robust import ramp
from weaklink.words import sign

RESENT = sign(
    "net.resent-on-hop",
    "kernel-counters",
    "Segments of connections between two links had to be sent again.",
    "{resent} of {connections} connections to {address} had to send again"
    "[; on the other hops {others} of {compared}]",
    hurts=True,
)
RESENT_SHARE = (0.05, 0.25)
"""Of the connections that were seen. At 1 % loss and ten segments a request, one in ten resends;
a healthy network inside one site loses less than one segment in ten thousand."""
LEAST = 3
"""Connections that resent, and that were seen at all: fewer may be one hiccup."""
REAL_SHARE = 0.003
"""Segments sent again of all, less the loss probes, from which on it is loss: on loopback about
1 % are probes, which is no loss."""
APART = 0.5
"""Of this hop's share: where other hops resend as much, the whole network loses, not this hop."""


class Count(NamedTuple):
    """Connections of one hop: those that sent again in this window, and all."""

    resent: int
    connections: int

    @property
    def share(self) -> float:
        """0 to 1."""
        return self.resent / self.connections if self.connections else 0.0


@look("network")
def resent(view: View) -> Iterable[Judged]:
    """Per hop between two addresses: the share of connections that had to send again."""
    counts = {hop.key: (hop, _count(view, hop)) for hop in view.chain.hops}
    seen = {key: pair for key, pair in counts.items() if pair[1].connections >= LEAST}
    for key, (hop, count) in seen.items():
        rest = [other for name, (_, other) in seen.items() if name != key]
        others = Count(sum(o.resent for o in rest), sum(o.connections for o in rest))
        enough = count.resent >= LEAST and _is_loss(view, hop)
        strength = ramp(count.share, *RESENT_SHARE) if enough else 0.0
        if rest and others.share > APART * count.share:
            strength = min(strength, APART)
        compared = {"others": others.resent, "compared": others.connections} if rest else {}
        yield evidence(
            RESENT,
            target_key("hop", hop.address, host=view.case.host.name),
            strength,
            link=hop.key,
            value=round(count.share, 3),
            command=f"ss -tin dst {hop.address.rpartition(':')[0]}",
            resent=count.resent,
            connections=count.connections,
            address=hop.address,
            **compared,  # type: ignore[arg-type]
        )


def _count(view: View, hop: Hop) -> Count:
    caller, callee = view.chain.link(hop.source), view.chain.link(hop.dest)
    if caller is None or hop.address.startswith(("unix:", "127.", "[::1]")):
        return Count(0, 0)
    rows: dict[frozenset[str], dict[str, list[Connection]]] = defaultdict(lambda: defaultdict(list))
    ends = {end.key: end for end in (caller, callee) if end is not None}
    for end in ends.values():
        for one in view.connections(end):
            if hop.address in (one.local, one.remote) and one.state != "time-wait":
                pair = frozenset((one.local, one.remote))
                rows[pair][one.local].append(one)
    first = view.ticks[0] if view.ticks else 0.0
    again = 0
    for sides in rows.values():
        again += any(_grew(side, first) for side in sides.values())
    return Count(again, len(rows))


def _grew(side: list[Connection], first: float) -> bool:
    """Whether one end sent again in the window; what it did before is not known to be now."""
    ordered = sorted(side, key=lambda one: one.at)
    started = ordered[0].retransmits if ordered[0].at <= first else 0
    return ordered[-1].state != "syn-sent" and ordered[-1].retransmits > started


def _is_loss(view: View, hop: Hop) -> bool:
    """Whether one of the two namespaces resent more than its loss probes explain."""
    found = []
    for key in (hop.source, hop.dest):
        link = view.chain.link(key)
        if link is None or link.role == "external":
            continue
        tcp = target_key("netns", "tcp", host=view.case.host.name, netns=link.netns)
        again, sent = (
            view.grown("tcp_retransmits_total", tcp),
            view.grown("tcp_segments_sent_total", tcp),
        )
        probes = view.grown("tcp_loss_probes_total", tcp) or 0.0
        syns = view.grown("tcp_syn_retransmits_total", tcp) or 0.0
        if again is not None and sent:
            found.append((again - probes - syns) / sent >= REAL_SHARE)
    return any(found) if found else True
