"""The judgement of a Case: causes with evidence for and against, what is ruled out, open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weaklink.converge import catalogue
from weaklink.converge.cover import Cover, cover, members_of, place_of
from weaklink.converge.weigh import PRESENT, Weighed, probability, sureness
from weaklink.model.case import Case
from weaklink.model.cause import Cause
from weaklink.model.chain import Chain
from weaklink.model.diagnosis import Diagnosis, JudgedCause, Pain, Shape, Unexplained
from weaklink.model.evidence import Evidence
from weaklink.model.message import Argument, Message, say
from weaklink.words import texts

RULED_OUT = 0.05
"""Probability under which a cause that could be looked for is said to be ruled out."""
MOST_CANDIDATES = 6

texts(
    {
        "next.entry-log": "an access log of {link} with durations would tell most "
        "($request_time, $upstream_addr, $upstream_response_time)",
        "next.entry-url": "weaklink --entry URL: nothing here tells how users fare",
        "next.stacks": "stacks of {link} would tell most: run as root, or allow ptrace",
        "next.longer": "weaklink --for 15s: a longer look tells more of what comes and goes",
    }
)
NO_PAIN = Pain(shape=Shape(id="none", confidence=0.0), looked_at=False)


def judge(case: Case, at: float, changes: list[int]) -> Diagnosis:
    """Weigh the catalogue against a Case whose chain, pain and evidence are known."""
    pain = case.pain or NO_PAIN
    hurts = pain.shape.id != "none" and pain.looked_at
    found = catalogue()
    if not hurts:
        blind = not pain.looked_at and not case.chain.links
        return Diagnosis(
            at=at,
            pain=pain,
            changes=changes,
            too_blind=not pain.looked_at,
            next_look=say("next.entry-url") if not pain.looked_at and not blind else None,
        )
    result = cover(list(found.values()), case.chain, case.evidence, pain.onset)
    everything = result.everything
    named = [_judged(w, everything, case.chain, named=True) for w in result.chosen]
    candidates = [
        _judged(w, everything, case.chain, named=False)
        for w in _best_of_each(result.others)[:MOST_CANDIDATES]
        if probability(w.log_odds) >= RULED_OUT
    ]
    return Diagnosis(
        at=at,
        pain=pain,
        causes=named + candidates,
        ruled_out=_ruled_out(found, everything, case.evidence, named + candidates),
        unexplained=None if named else _unexplained(case, result),
        changes=changes,
        next_look=_next_look(case, named),
    )


def _best_of_each(others: Sequence[Weighed]) -> list[Weighed]:
    best: dict[str, Weighed] = {}
    for weighed in others:
        best.setdefault(weighed.cause.id, weighed)
    return list(best.values())


def _judged(
    weighed: Weighed, everything: Sequence[Weighed], chain: Chain, *, named: bool
) -> JudgedCause:
    chance = probability(weighed.log_odds)
    return JudgedCause(
        id=weighed.cause.id,
        link=place_of(weighed, chain),
        target=weighed.culprit,
        log_odds=weighed.log_odds,
        probability=round(chance, 3),
        sure=sureness(chance),
        members=members_of(weighed, everything, chain),
        for_=[item.id for item in weighed.speaks_for],
        against=[item.id for item in weighed.against],
        kinds=weighed.kinds,
        named=named,
        args=_arguments(weighed),
    )


def _arguments(weighed: Weighed) -> dict[str, Argument]:
    """Arguments of its evidence, as `<sign>_<argument>` with `.` and `-` of the sign as `_`."""
    return {
        f"{item.sign}_{name}".replace(".", "_").replace("-", "_"): value
        for item in weighed.speaks_for
        if item.strength >= PRESENT
        for name, value in item.message.args.items()
    }


def _ruled_out(
    found: Mapping[str, Cause],
    everything: Sequence[Weighed],
    evidence: Sequence[Evidence],
    said: Sequence[JudgedCause],
) -> list[str]:
    """Causes whose required signs were looked for, and that fit nowhere."""
    looked = {item.sign for item in evidence}
    best = {
        weighed.cause.id: weighed.log_odds for weighed in reversed(everything)
    }  # reversed: the best one is written last
    names = {cause.id for cause in said}
    return sorted(
        id_
        for id_, cause in found.items()
        if id_ not in names
        and set(cause.required) <= looked
        and cause.required
        and (id_ not in best or probability(best[id_]) < RULED_OUT)
    )


def _unexplained(case: Case, result: Cover) -> Unexplained | None:
    """The weakest link: most requests inside it; else the deepest one that got slower."""
    scores: dict[str, float] = {}
    near: dict[str, list[str]] = {}
    for item in result.unexplained or case.evidence:
        if item.strength < PRESENT or not item.link or item.sign.startswith("users."):
            continue
        place = item.link.rpartition(">")[2]
        own = 2.0 if item.sign == "link.requests-pile-up" else 1.0
        depth = 1 + 0.1 * len(
            [1 for link in case.chain.links if place in case.chain.below(link.key)]
        )
        scores[place] = scores.get(place, 0.0) + own * depth * item.strength
        near.setdefault(place, []).append(item.id)
    if not scores:
        return None
    key = max(scores, key=lambda key: (scores[key], key))
    return Unexplained(link=key, score=round(scores[key], 2), evidence=near[key])


def _next_look(case: Case, named: Sequence[JudgedCause]) -> Message | None:
    """The look that would tell most where the verdict is thin."""
    if named:
        return None
    denied = next(
        (look for look in case.looks if look.name == "python-stacks" and look.outcome == "denied"),
        None,
    )
    if denied is not None:
        return say("next.stacks", link="inference")
    if not case.requests:
        entry = next((link.name for link in case.chain.links if link.entry), "the entry")
        return say("next.entry-log", link=entry)
    return say("next.longer")
