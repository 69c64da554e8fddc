"""An action of the catalogue: what it does, whom it harms, its commands, its undo.

Commands and texts have `{placeholders}` that `contain.arguments` fills from the Case's facts,
never from a log's words. In a command each value is quoted for a shell. A recipe of which a
value is unknown is left out whole; an action that lacks one of its `needs`, or a value of its
`what`, is not offered.
"""

from __future__ import annotations

import importlib
import pkgutil

from weaklink.model.base import Record
from weaklink.model.plan import Harm
from weaklink.words import texts


class Action(Record, frozen=True):
    """One action. Texts are English here and enter the catalogue as `action.<id>.<field>`."""

    id: str
    title: str
    """For lists: what it does, without names."""
    harm: Harm
    harm_note: str
    """After the step: who is harmed and how."""
    what: str
    """The step as a command to a person, names filled in."""
    expect: str
    cannot: str
    needs: tuple[str, ...] = ()
    preview: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()
    expires_after: float | None = None
    """Seconds after which it should be taken back."""
    after: tuple[str, ...] = ()
    """Actions that come first where the plan has them."""


_actions: dict[str, Action] = {}


def action(new: Action) -> Action:
    """Put an action into the catalogue; raises ValueError on a second, different one of that id."""
    if _actions.setdefault(new.id, new) != new:
        raise ValueError(f"action {new.id} is in the catalogue twice, differently")
    texts(action_texts(new))
    return new


def action_texts(one: Action) -> dict[str, str]:
    """An action's texts by key."""
    fields = ("title", "harm_note", "what", "expect", "cannot")
    return {f"action.{one.id}.{name.replace('_', '-')}": getattr(one, name) for name in fields}


def actions() -> dict[str, Action]:
    """All actions by id."""
    from weaklink.contain import actions as room

    for found in pkgutil.iter_modules(room.__path__):
        importlib.import_module(f"{room.__name__}.{found.name}")
    return {name: _actions[name] for name in sorted(_actions)}
