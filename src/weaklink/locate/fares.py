"""How each link of the chain fares: its state, and where a request spends its time.

States come from the evidence. Times come from the logs of those who call it (what a typical request
took there), split by the sockets: what of it waits for a link below is not its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import structs

from weaklink.locate.looks.pileup import PILES_UP, WAITS_BELOW, inside
from weaklink.locate.looks.progress import STOPPED
from weaklink.locate.view import View
from weaklink.model.chain import Chain, Hop, Link, LinkState
from weaklink.model.evidence import Evidence
from weaklink.stats.quantiles import quantile_of

SEEN = 0.5
"""Strength from which on a state is said in one word."""
RECENT = 60.0
"""Seconds before the end that `now` is taken from, or since the onset where that is shorter."""
LEAST = 5
LONG, MOSTLY = 0.5, 0.8
"""Seconds and share of its time from which on a link that piles up nothing is said to wait."""


def fared(view: View, evidence: Sequence[Evidence]) -> Chain:
    """The chain with `state`, `own_seconds` and `wait_seconds` of links, `seconds` of hops."""
    strengths: dict[tuple[str, str], float] = {}
    for item in evidence:
        key = (item.link.rpartition(">")[2], item.sign)
        strengths[key] = max(item.strength, strengths.get(key, 0.0))
    times = _typical(view)
    links = [_link(view, link, strengths, times) for link in view.chain.links]
    hops = [_hop(hop, times) for hop in view.chain.hops]
    return Chain(links=links, hops=hops)


def _typical(view: View) -> dict[tuple[str, str], float]:
    """Seconds by (caller, callee); the caller is '' for an entry's own users.

    The median where nobody hurts; the 95th percentile where users do, which is what hurts them.
    """
    hurts = view.pain is not None and view.pain.shape.id != "none"
    since = max(view.onset or 0.0, view.case.window[1] - RECENT)
    rows: dict[tuple[str, str], list[float]] = defaultdict(list)
    for link in view.on_chain():
        for log in view.logs_of(link):
            for i in range(len(log)):
                start, duration = log.start[i], log.duration[i]
                if (log.end[i] if start is None else start) < since:
                    continue
                if duration is not None and link.entry:
                    rows["", link.key].append(duration)
                waited, address = log.upstream_duration[i], log.upstream[i]
                if waited is not None and address:
                    callee = view.book.serving(address, link.netns)
                    if callee is not None:
                        rows[link.key, callee.key].append(waited)
    return {
        pair: found
        for pair, values in rows.items()
        if len(values) >= LEAST
        and (found := quantile_of(values, 0.95 if hurts else 0.5)) is not None
    }


def _link(
    view: View,
    link: Link,
    strengths: dict[tuple[str, str], float],
    times: dict[tuple[str, str], float],
) -> Link:
    state = _state(link, strengths)
    spent = [seconds for (_, callee), seconds in times.items() if callee == link.key]
    if not spent:
        return structs.replace(link, state=state)
    typical = max(spent)
    below = _share_below(view, link, typical, times)
    if below is None:
        return structs.replace(link, state=state)
    wait = typical * below
    if state == "fine" and wait >= LONG and below >= MOSTLY:
        state = "waits"
    return structs.replace(
        link,
        state=state,
        own_seconds=round(typical * (1 - below), 4),
        wait_seconds=round(wait, 4),
    )


def _share_below(
    view: View, link: Link, typical: float, times: dict[tuple[str, str], float]
) -> float | None:
    """Share of a request's time that a link waits for those it calls; None where nothing tells."""
    if not view.chain.callees(link.key):
        return 0.0
    logged = [seconds for (caller, _), seconds in times.items() if caller == link.key]
    if logged and typical > 0:
        return min(1.0, max(logged) / typical)
    held = inside(view, link)
    if held is None or held.owed <= 0:
        return None
    return min(1.0, held.awaited / held.owed)


def _state(link: Link, strengths: dict[tuple[str, str], float]) -> LinkState:
    def seen(sign: str) -> bool:
        return strengths.get((link.key, sign), 0.0) >= SEEN

    if seen(STOPPED):
        return "stopped"
    if seen("member.not-listening"):
        return "down"
    if seen(PILES_UP):
        return "busy"
    if seen(WAITS_BELOW):
        return "waits"
    return "fine" if (link.key, PILES_UP) in strengths else ""


def _hop(hop: Hop, times: dict[tuple[str, str], float]) -> Hop:
    seconds = times.get((hop.source, hop.dest))
    return hop if seconds is None else structs.replace(hop, seconds=round(seconds, 4))
