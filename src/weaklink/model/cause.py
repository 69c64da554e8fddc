"""An entry of the catalogue of causes: what speaks for it, against it, and what it explains.

A cause's file in `converge/causes/` holds all of it: title and explanation, signs with weight
and reason, what it explains, how far it converges, which actions contain it, what prevents it.
"""

from __future__ import annotations

from typing import Literal

from weaklink.model.base import Record

Layer = Literal[
    "entry", "app", "cache", "store", "inference", "cpu", "memory", "disk", "network", "time"
]
Where = Literal["self", "peer", "caller", "callee", "below", "host", "users", "any"]
"""Whose evidence counts, seen from the candidate link: its own (or its hop's), its peers', that
of the links that call it, those that it calls, everything below it, the host's, the users', any."""


class Weighs(Record, frozen=True):
    """How much one sign says about a cause.

    `present` is the log likelihood ratio at strength 1 (negative: speaks against), `absent` the
    one when the sign was looked for and is not there. A sign that could not be looked at adds 0.
    """

    sign: str
    present: float
    absent: float = 0.0
    where: Where = "self"
    reason: str = ""
    decisive: bool = False
    """Enough with users' pain alone: ENOSPC, an OOM line of the kernel, no route."""
    names_culprit: bool = False
    """The evidence's target is the culprit."""


class Cause(Record, frozen=True):
    """One cause. Texts are English here, beside the cause, and enter the catalogue of texts."""

    id: str
    layer: Layer
    title: str
    """Under WEAK LINK, after the link's name: what it does wrong, as a short clause."""
    because: str
    """The sentence after BECAUSE; may use {link}, {target} and the culprit's arguments."""
    explanation: str
    """For `explain`: what happens, and how it fools people."""
    roles: tuple[str, ...]
    """Roles of links that it can sit on; empty: any."""
    signs: tuple[Weighs, ...]
    prior: float = -4.0
    """Log odds before anything was seen, given that users hurt."""
    required: tuple[str, ...] = ()
    """At least one of these signs must be present, else the cause is not considered."""
    explains: tuple[str, ...] = ()
    """Ids of signs (or `prefix.*`) that are its consequences: chosen, it covers them."""
    on_hop: bool = False
    """It sits between two links: the hop from the candidate link to the culprit's is named."""
    converges: str = ""
    """How far it leads: process, function, key prefix, group …"""
    wrong_if: str = ""
    """What would refute it, with one check."""
    contained_by: tuple[str, ...] = ()
    prevented_by: tuple[str, ...] = ()
    next_danger: str = ""


_causes: dict[str, Cause] = {}


def cause(new: Cause) -> Cause:
    """Put a cause into the catalogue; raises ValueError on a second, different one of that id."""
    if _causes.setdefault(new.id, new) != new:
        raise ValueError(f"cause {new.id} is in the catalogue twice, differently")
    return new


def causes() -> dict[str, Cause]:
    """The catalogue as loaded so far, by id; `converge.catalogue()` loads all of it."""
    return dict(_causes)
