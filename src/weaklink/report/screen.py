"""Which blocks make up a report, in which order: the sentence and what to do come first."""

from __future__ import annotations

from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.report.block import Block, Item
from weaklink.report.calm import calm_verdict, findings, looked_at
from weaklink.report.chain_line import chain_line
from weaklink.report.detail import detail
from weaklink.report.felt import felt
from weaklink.report.safe import visible
from weaklink.report.sections import (
    changed,
    do_now,
    evidence_for,
    look_next,
    next_danger,
    ruled_out,
    unexplained,
    weak_and_because,
    wrong_if,
)
from weaklink.report.unseen import unseen
from weaklink.report.verdict import verdict
from weaklink.report.view import View, view


class Wish(NamedTuple):
    """How the reader wants it. `filed` is the case file's path, `not_filed` why there is none."""

    language: str = "en"
    verbose: bool = False
    filed: str = ""
    not_filed: str = ""
    steps_command: str = "weaklink -v"
    """What shows the steps' commands and undo."""


def blocks(case: Case, wish: Wish) -> list[Block]:
    """The whole report as blocks, top to bottom; only what has a source appears."""
    seen = view(case, wish.language)
    if verdict(case) == "hurts" and (seen.named or (seen.diagnosis and seen.diagnosis.unexplained)):
        found = _sick(seen, wish)
    else:
        found = _calm(seen, wish)
    found = [_note(case), *found]
    if wish.verbose:
        found += detail(seen)
    if wish.filed and wish.verbose:
        found.append(Block("label.filed", [Item(visible(wish.filed))]))
    return [block for block in found if block is not None]


def _note(case: Case) -> Block | None:
    return Block("label.note", [Item(visible(case.note), tone="strong")]) if case.note else None


def weak_links(seen: View) -> set[str]:
    """Keys of the links that are shown as guilty."""
    keys = set()
    for judged in seen.named:
        keys.update([judged.link, judged.link.partition(">")[2], *judged.members])
    if not seen.named and seen.diagnosis and seen.diagnosis.unexplained:
        keys.add(seen.diagnosis.unexplained.link)
    return keys


def _chain(seen: View) -> Block | None:
    if not seen.case.chain.links:
        return None
    return Block("label.chain", [Item(chain_line(seen, weak_links(seen)))])


def _sick(seen: View, wish: Wish) -> list[Block | None]:
    return [
        *weak_and_because(seen),
        *([] if seen.named else unexplained(seen)),
        do_now(seen, wish.steps_command),
        felt(seen),
        _chain(seen),
        evidence_for(seen, 20) if wish.verbose else evidence_for(seen),
        *(unexplained(seen) if seen.named else []),
        changed(seen),
        ruled_out(seen),
        wrong_if(seen),
        next_danger(seen),
        look_next(seen),
        findings(seen, everything=wish.verbose, label="label.findings", most=2),
        unseen(seen, everything=wish.verbose, not_filed=wish.not_filed),
    ]


def _calm(seen: View, wish: Wish) -> list[Block | None]:
    hurts = verdict(seen.case) == "hurts"
    look_only = seen.diagnosis is None and seen.pain is None
    return [
        calm_verdict(seen),
        felt(seen) if seen.diagnosis else None,
        _chain(seen),
        changed(seen) if hurts else None,
        findings(seen, everything=wish.verbose or look_only, label=_findings_label(look_only)),
        None if verdict(seen.case) == "too-blind" else look_next(seen),
        looked_at(seen),
        unseen(seen, everything=wish.verbose, not_filed=wish.not_filed),
    ]


def _findings_label(look_only: bool) -> str:
    return "label.findings" if look_only else "label.latent"
