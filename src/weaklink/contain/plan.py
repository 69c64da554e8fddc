"""Which steps to take, least harm first: the actions that the named causes ask for."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.contain.action import Action, actions
from weaklink.contain.arguments import arguments
from weaklink.contain.shell import fill
from weaklink.model.case import Case
from weaklink.model.cause import causes as catalogue
from weaklink.model.diagnosis import JudgedCause, Pain, Shape
from weaklink.model.message import Argument, Message
from weaklink.model.plan import HARMS, Plan, Step
from weaklink.words import placeholders

__all__ = ["actions", "plan"]

OPTIONAL = "? "
"""Before a command that may be missing from its recipe."""
_NO_PAIN = Pain(shape=Shape(id="none", confidence=0.0), looked_at=False)


def plan(case: Case, causes: Iterable[JudgedCause]) -> Plan:
    """Steps for the named causes, least harm first; previews only, nothing is applied."""
    known = actions()
    pain = case.pain or (case.diagnoses[-1].pain if case.diagnoses else _NO_PAIN)
    chosen: dict[str, tuple[Action, JudgedCause]] = {}
    for judged in causes:
        entry = catalogue().get(judged.id)
        for id_ in entry.contained_by if judged.named and entry else ():
            if id_ in known and id_ not in chosen:
                chosen[id_] = (known[id_], judged)
    steps = []
    for id_ in _ordered({id_: one for id_, (one, _) in chosen.items()}):
        one, judged = chosen[id_]
        values = arguments(case, judged, pain)
        if {*one.needs, *placeholders(one.what)} <= values.keys():
            steps.append(_step(one, judged, values))
    return Plan(steps=steps)


def _ordered(chosen: dict[str, Action]) -> list[str]:
    """By harm, then as the cause lists them; one that comes after another never precedes it."""
    order = list(chosen)

    def rank(id_: str, seen: frozenset[str] = frozenset()) -> tuple[int, int]:
        one = chosen[id_]
        own = (HARMS.index(one.harm), 0)
        before = [
            rank(other, seen | {id_})
            for other in one.after
            if other in chosen and other not in seen
        ]
        latest = max(before, default=(-1, 0))
        return max(own, (latest[0], latest[1] + 1))

    return sorted(order, key=lambda id_: (rank(id_), order.index(id_)))


def _step(one: Action, judged: JudgedCause, values: dict[str, Argument]) -> Step:
    def text(field: str, words: str) -> Message:
        wanted = placeholders(words)
        args = {name: value for name, value in values.items() if name in wanted}
        return Message(key=f"action.{one.id}.{field}", args=args)

    preview, undo = commands(one, values)
    return Step(
        action=one.id,
        cause=judged.id,
        what=text("what", one.what),
        harm=one.harm,
        harm_note=text("harm-note", one.harm_note),
        target=judged.target or judged.link,
        preview=preview,
        expect=text("expect", one.expect),
        undo=undo,
        expires_after=one.expires_after,
        cannot=text("cannot", one.cannot),
    )


def commands(one: Action, values: dict[str, Argument]) -> tuple[list[str], list[str]]:
    """Preview and undo with their values: all of it, or none where a value is unknown.

    Half a recipe is worse than none. A line that begins with `? ` may be left out.
    """
    preview = _filled(one.preview, values)
    undo = _filled(one.undo, values)
    return ([], []) if preview is None or undo is None else (preview, undo)


def _filled(templates: tuple[str, ...], values: dict[str, Argument]) -> list[str] | None:
    lines = []
    for template in templates:
        line = fill(template.removeprefix(OPTIONAL), values)
        if line is not None:
            lines.extend(line.split("\n"))
        elif not template.startswith(OPTIONAL):
            return None
    return lines
