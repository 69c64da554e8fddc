"""The blocks of the screen about the cause: weak link, because, do now, for, wrong if."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.model.chain import Link
from weaklink.model.diagnosis import JudgedCause
from weaklink.model.evidence import Evidence
from weaklink.model.message import Message, say
from weaklink.model.plan import Step
from weaklink.report.block import Block, Item
from weaklink.report.safe import visible
from weaklink.report.view import View, cause_says, cause_title, link_at, members_of

ABSENT = 0.3
"""Strength below which a sign counts as not seen, as in converge (PRESENT)."""
MAX_EVIDENCE = 4
MAX_STEPS = 4
MAX_CHANGES = 2
MAX_RULED_OUT = 12
CHANGE_NEAR = 900.0
"""Seconds around the onset in which a change is worth a line on the first screen."""


def weak_and_because(seen: View) -> list[Block]:
    """WEAK LINK and BECAUSE, once for each cause that may be said."""
    blocks = []
    for judged in seen.named:
        title = cause_title(seen, judged)
        text = seen.say(say("link.cause", name=where(seen, judged), title=title))
        blocks.append(Block("label.weak-link", [Item(text, tone="bad")]))
        sure = seen.say(say(f"sure.{judged.sure}"))
        because = cause_says(seen, judged, "because") or judged.id
        blocks.append(Block("label.because", [Item(because, right=sure)]))
    return blocks


def where(seen: View, judged: JudgedCause) -> str:
    """The link by name, how many of its members it is, and for a single one its address and pid."""
    members = members_of(seen.case, judged)
    own = link_at(seen.case, judged.link)
    if own is None or not members:
        return visible(seen.name(judged.link))
    if seen.case.chain.link(judged.link) is None:
        return visible(seen.name(judged.link))
    return members_words(seen, own, members)


def members_words(seen: View, own: Link, members: list[Link]) -> str:
    """`inference (3 of 3 members)`, `worker (1 of 3 members) at 10.1.0.3:8001, pid 412`."""
    group = [own, *seen.case.chain.peers(own.key)]
    name = seen.name(own.key)
    if len(group) > 1:
        name = seen.say(say("link.members", name=name, some=len(members), all=len(group)))
    if len(members) != 1:
        return name
    place = [visible(member) for member in members[0].listen[:1]]
    if members[0].pids:
        place.append(seen.say(say("link.pid", pid=str(members[0].pids[0]))))
    if not place:
        return name
    return f"{name} " + seen.say(say("link.where", where=", ".join(place)))


def unexplained(seen: View) -> list[Block]:
    """The weakest link where no cause fits, and what is furthest off near it."""
    diagnosis = seen.diagnosis
    if diagnosis is None or diagnosis.unexplained is None:
        return []
    odd = diagnosis.unexplained
    blocks = []
    if not seen.named:
        link = link_at(seen.case, odd.link)
        name = members_words(seen, link, [link]) if link else seen.name(odd.link)
        text = seen.say(say("link.unexplained", name=name))
        blocks.append(Block("label.weak-link", [Item(text, tone="bad")]))
    items = evidence_items(seen, odd.evidence, MAX_EVIDENCE)
    if items:
        blocks.append(Block("label.stands-out", items))
    return blocks


def evidence_items(seen: View, ids: Iterable[str], limit: int) -> list[Item]:
    """What evidence says, each statement once."""
    texts: list[str] = []
    for item in known(seen, ids):
        text = statement(seen, item)
        if text not in texts:
            texts.append(text)
    return [Item(text) for text in texts[:limit]]


def statement(seen: View, item: Evidence) -> str:
    """What a piece of evidence says; where the sign is absent, that it is."""
    if item.strength >= ABSENT:
        return seen.say(item.message)
    return seen.say(say("evidence.absent", what=seen.say(say(f"about.{item.sign}"))))


def known(seen: View, ids: Iterable[str]) -> list[Evidence]:
    """The evidence with these ids, in their order; ids that the Case lacks are left out."""
    return [seen.evidence[id_] for id_ in ids if id_ in seen.evidence]


def evidence_for(seen: View, limit: int = MAX_EVIDENCE) -> Block | None:
    """FOR: the strongest evidence for the named causes; the pain itself stands under FELT."""
    ids = [
        id_
        for judged in seen.named
        for id_ in judged.for_
        if not (id_ in seen.evidence and seen.evidence[id_].sign.startswith("users."))
    ]
    items = evidence_items(seen, ids, limit * max(1, len(seen.named)))
    return Block("label.for", items) if items else None


def do_now(seen: View, command: str) -> Block | None:
    """DO NOW: steps, least harm first, and where their commands and undo are."""
    steps = seen.diagnosis.plan.steps if seen.diagnosis else []
    if not steps:
        return None
    items = [Item(seen.say(step.what), right=_harm(seen, step)) for step in steps[:MAX_STEPS]]
    note = seen.say(say("step.not-applied", command=command))
    items.append(Item(note, tone="dim", indent=2))
    return Block("label.do-now", items, numbered=True)


def _harm(seen: View, step: Step) -> str:
    text = seen.say(step.harm_note)
    if step.expires_after:
        text += ", " + seen.say(say("step.until", time=step.expires_after))
    return text


def changed(seen: View) -> Block | None:
    """CHANGED: what happened around the onset, nearest first."""
    diagnosis = seen.diagnosis
    onset = seen.pain.onset if seen.pain else None
    if diagnosis is None or onset is None:
        return None
    items = []
    for index in diagnosis.changes:
        if not 0 <= index < len(seen.case.events):
            continue
        event = seen.case.events[index]
        if abs(event.at - onset.at) <= CHANGE_NEAR:
            at = seen.voice.clock(event.at)
            line = say("event.line", at=at, kind=event.kind, text=visible(event.text, 160))
            items.append(Item(seen.say(line)))
    return Block("label.changed", items[:MAX_CHANGES]) if items else None


def ruled_out(seen: View) -> Block | None:
    """RULED OUT: ids that `weaklink explain` takes."""
    ids = seen.diagnosis.ruled_out if seen.diagnosis else []
    if not ids or not (seen.named or (seen.diagnosis and seen.diagnosis.unexplained)):
        return None
    text = ", ".join(visible(id_, 40) for id_ in ids[:MAX_RULED_OUT])
    if len(ids) > MAX_RULED_OUT:
        text += ", " + seen.say(say("ruled.more", count=len(ids) - MAX_RULED_OUT))
    return Block("label.ruled-out", [Item(text)])


def wrong_if(seen: View) -> Block | None:
    """WRONG IF: what would refute the verdict, with one check."""
    return _texts_of(seen, "wrong_if", "label.wrong-if")


def next_danger(seen: View) -> Block | None:
    """NEXT: what will hurt again, and when."""
    return _texts_of(seen, "next_danger", "label.next")


def _texts_of(seen: View, field: str, label: str) -> Block | None:
    lines: list[str] = []
    for judged in seen.named:
        text = cause_says(seen, judged, field, whole=True)
        if text and text not in lines:
            lines.append(text)
    return Block(label, [Item(line) for line in lines]) if lines else None


def look_next(seen: View) -> Block | None:
    """LOOK NEXT: the look that would tell most."""
    look: Message | None = seen.diagnosis.next_look if seen.diagnosis else None
    return Block("label.look-next", [Item(seen.say(look))]) if look else None
