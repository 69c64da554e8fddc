"""The fewest causes that explain what hurts: the best first, a second only for what is left."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from weaklink.converge.weigh import PRESENT, Board, Weighed, probability, weigh
from weaklink.model.cause import Cause
from weaklink.model.chain import Chain
from weaklink.model.diagnosis import Onset
from weaklink.model.evidence import Evidence, signs

NAMED_FROM = 0.5
"""Probability from which on a cause is asserted: below, it is a candidate."""
MOST_CAUSES = 3
"""More causes at once than this is a sign that the catalogue, not the service, is broken."""


class Cover(NamedTuple):
    """Chosen causes, the other candidates best first, and abnormal evidence nobody explains.

    `everything` is each cause on each link, weighed on all evidence.
    """

    everything: list[Weighed]
    chosen: list[Weighed]
    others: list[Weighed]
    unexplained: list[Evidence]


def weigh_all(catalogue: Sequence[Cause], chain: Chain, board: Board) -> list[Weighed]:
    """Every cause on every link of the chain that it may sit on, best first, ties by id."""
    found = [
        weighed
        for cause in catalogue
        for link in chain.links
        if link.on_chain and (weighed := weigh(cause, link, board)) is not None
    ]
    return sorted(found, key=lambda w: (-w.log_odds, w.cause.id, w.link))


def cover(
    catalogue: Sequence[Cause], chain: Chain, evidence: Sequence[Evidence], onset: Onset | None
) -> Cover:
    """Choose causes one by one, best first; a further one needs a ground of its own.

    Each is weighed on all evidence: what two troubles share speaks for both. But one of the signs
    that a further cause cannot do without must be there and be explained by no chosen one.
    """
    chosen: list[Weighed] = []
    everything = weigh_all(catalogue, chain, Board(chain, evidence, onset))
    open_evidence = list(evidence)
    while len(chosen) < MOST_CAUSES:
        taken = {weighed.cause.id for weighed in chosen}
        still_open = {item.id for item in open_evidence}
        best = next(
            (
                weighed
                for weighed in everything
                if weighed.cause.id not in taken
                and probability(weighed.log_odds) >= NAMED_FROM
                and weighed.may_be_said
                and (not chosen or _has_own_ground(weighed, still_open))
            ),
            None,
        )
        if best is None:
            break
        chosen.append(best)
        open_evidence = [item for item in open_evidence if not explains(best, item, chain)]
    names = {weighed.cause.id for weighed in chosen}
    others = [weighed for weighed in everything if weighed.cause.id not in names]
    known = signs()
    unexplained = [
        item for item in open_evidence if item.strength >= 2 * PRESENT and known[item.sign].hurts
    ]
    return Cover(everything, chosen, others, unexplained)


def _has_own_ground(weighed: Weighed, still_open: set[str]) -> bool:
    """Whether a sign that the cause requires is seen and still unexplained."""
    return any(
        item.sign in weighed.cause.required and item.strength >= PRESENT and item.id in still_open
        for item in weighed.speaks_for
    )


def explains(weighed: Weighed, item: Evidence, chain: Chain) -> bool:
    """Whether a chosen cause accounts for a piece of evidence.

    Its own evidence; and the signs that it declares as its consequences, on its link, its peers,
    what is above and below them, and the host.
    """
    if item.strength < PRESENT:
        return False
    if any(item.id == own.id for own in weighed.speaks_for):
        return True
    if not any(_covers(pattern, item.sign) for pattern in weighed.cause.explains):
        return False
    place = item.link.rpartition(">")[2]
    return not place or place in neighbourhood(weighed.link, chain)


GROUNDS = frozenset(
    {
        *("stack.loop-blocked", "stack.locked", "stack.waits-for-names", "stack.in-logging"),
        *("stack.one-lock-for-all", "stack.prepares-on-cpu", "load.rose"),
    }
)
"""Signs that are a trouble of their own: a `prefix.*` does not explain them, only their name does.
What merely waits (a pool that is taken, a client that waits) follows from any slowness below."""


def _covers(pattern: str, sign: str) -> bool:
    if sign in GROUNDS and pattern != sign:
        return False
    return fnmatchcase(sign, pattern)


def neighbourhood(key: str, chain: Chain) -> set[str]:
    """A link, its peers, everything that reaches them and everything that they reach."""
    own = {key} | {peer.key for peer in chain.peers(key)}
    above = {link.key for link in chain.links if chain.below(link.key) & own}
    below = {name for one in own for name in chain.below(one)}
    return own | above | below


def place_of(weighed: Weighed, chain: Chain) -> str:
    """Key of the link or hop that a cause is said of."""
    if not weighed.cause.on_hop:
        return weighed.link
    owner = next((link for link in chain.links if weighed.culprit in link.processes), None)
    keys = {hop.key for hop in chain.hops}
    hop = f"{weighed.link}>{owner.key if owner else ''}"
    return hop if hop in keys else weighed.link


def members_of(weighed: Weighed, everything: Sequence[Weighed], chain: Chain) -> list[str]:
    """The links that a cause is about, best first.

    For a cause of a link: the link and those of its group on which it fits as well. For a cause
    of a hop: the links at its far end that its evidence is about.
    """
    if weighed.cause.on_hop:
        far = [item.link for item in weighed.speaks_for if item.strength >= PRESENT]
        below = {callee.key for callee in chain.callees(weighed.link)}
        return sorted({key for key in far if key in below}, key=far.index)
    group = {peer.key for peer in chain.peers(weighed.link)}
    fitting = [
        other.link
        for other in everything
        if other.cause.id == weighed.cause.id
        and other.link in group
        and probability(other.log_odds) >= NAMED_FROM
    ]
    return [weighed.link, *fitting]
