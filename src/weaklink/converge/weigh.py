"""How well one cause fits on one link: log odds, a prior plus what each sign says.

For a sign with weights `present` and `absent` and evidence of strength s, the score changes by
s * present + (1 - s) * absent. A sign without evidence (nobody could look) changes nothing. Of
several instances of a sign the strongest counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.model.cause import Cause, Weighs
from weaklink.model.chain import Chain, Link
from weaklink.model.diagnosis import Onset, Sureness
from weaklink.model.evidence import Evidence, signs

TEMPERATURE = 1.0
"""Divides log odds before they become a probability; to be fitted on drills, leave one out."""
PRESENT = 0.3
"""Strength from which on a sign counts as seen, for kinds, requirements and decisive signs."""
SLACK = 2.0
"""Seconds added to the uncertainty of two onsets before one is said to be later."""


class Weighed(NamedTuple):
    """One cause on one link."""

    cause: Cause
    link: str
    log_odds: float
    speaks_for: list[Evidence]
    against: list[Evidence]
    culprit: str
    kinds: list[str]
    decisive: bool

    @property
    def may_be_said(self) -> bool:
        """Two independent kinds of evidence, or one decisive sign."""
        return self.decisive or len(self.kinds) >= 2


class Board:
    """Evidence by sign, and which of it counts where."""

    def __init__(self, chain: Chain, evidence: Iterable[Evidence], onset: Onset | None) -> None:
        self.chain = chain
        self._by_sign: dict[str, list[Evidence]] = {}
        for item in evidence:
            if not _too_late(item, onset):
                self._by_sign.setdefault(item.sign, []).append(item)
        self._entries = {link.key for link in chain.links if link.entry}

    def best(self, weight: Weighs, link: Link) -> Evidence | None:
        """The strongest instance of a sign as seen from a link; None if nobody could look."""
        found = [
            item for item in self._by_sign.get(weight.sign, []) if self._counts(item, weight, link)
        ]
        return max(found, key=lambda item: (item.strength, item.id), default=None)

    def _counts(self, item: Evidence, weight: Weighs, link: Link) -> bool:
        place = item.link.rpartition(">")[2]
        match weight.where:
            case "any":
                return True
            case "host":
                return item.link == ""
            case "users":
                return item.link == "" or place in self._entries
            case "self":
                return place == link.key
            case "peer":
                return place in {peer.key for peer in self.chain.peers(link.key)}
            case "caller":
                return place in {caller.key for caller in self.chain.callers(link.key)}
            case "callee":
                return place in {callee.key for callee in self.chain.callees(link.key)}
            case "below":
                return place in self.chain.below(link.key)


def _too_late(item: Evidence, onset: Onset | None) -> bool:
    """What began clearly after the users' pain does not explain it: the intervals are disjoint."""
    if onset is None or item.onset is None:
        return False
    margin = item.plus_minus + onset.plus_minus_seconds + SLACK
    return item.onset > onset.at + margin


def weigh(cause: Cause, link: Link, board: Board) -> Weighed | None:
    """The cause on this link; None where the link's role or a required sign rules it out."""
    if cause.roles and link.role not in cause.roles:
        return None
    score = cause.prior
    speaks_for: list[tuple[float, Evidence]] = []
    against: list[tuple[float, Evidence]] = []
    seen: set[str] = set()
    decisive = False
    culprit = ""
    for weight in cause.signs:
        item = board.best(weight, link)
        if item is None:
            continue
        change = item.strength * weight.present + (1 - item.strength) * weight.absent
        score += change
        if change > 0:
            speaks_for.append((change, item))
        elif change < 0:
            against.append((change, item))
        if item.strength >= PRESENT and weight.present > 0:
            seen.add(weight.sign)
            decisive = decisive or weight.decisive
            if weight.names_culprit and not culprit:
                culprit = item.target
    if cause.required and not seen & set(cause.required):
        return None
    speaks_for.sort(key=lambda pair: (-pair[0], pair[1].id))
    against.sort(key=lambda pair: (pair[0], pair[1].id))
    known = signs()
    kinds = {
        known[item.sign].kind
        for _, item in speaks_for
        if item.strength >= PRESENT and known[item.sign].kind != "users"
    }
    fallback = link.processes[0] if link.processes else link.key
    return Weighed(
        cause=cause,
        link=link.key,
        log_odds=round(score, 3),
        speaks_for=[item for _, item in speaks_for],
        against=[item for _, item in against],
        culprit=culprit or fallback,
        kinds=sorted(kinds),
        decisive=decisive,
    )


def probability(log_odds: float) -> float:
    """Logistic of the log odds over the temperature, 0 to 1."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, log_odds / TEMPERATURE))))


def sureness(chance: float) -> Sureness:
    """Words for a probability; the text says how often such a word is right in drills."""
    if chance >= 0.98:
        return "certain"
    if chance >= 0.85:
        return "very-likely"
    return "likely" if chance >= 0.6 else "possible"
