"""Signs and evidence: what kinds of observation there are, and one instance of one.

A sign is registered where it is produced (observe, locate), with its text: `words.sign()`.
Evidence with `strength` 0 says that the sign was looked for and is absent; no evidence at all
says that nobody could look. The two are never the same.
"""

from __future__ import annotations

from typing import Literal

from weaklink.model.base import Record
from weaklink.model.message import Argument, Message, say

EvidenceKind = Literal[
    "users",
    "kernel-counters",
    "process-stacks",
    "app-metrics",
    "access-logs",
    "other-logs",
    "configuration",
    "events",
]
"""Two independent kinds are needed before a cause is named; `users` is their pain itself."""


class Sign(Record, frozen=True):
    """A registered kind of observation; its text has the key `sign.<id>`."""

    id: str
    kind: EvidenceKind
    about: str
    """One plain sentence: what is seen when this sign is there."""
    hurts: bool = False
    """Abnormal by itself: if no chosen cause explains it, it is reported as unexplained."""


_signs: dict[str, Sign] = {}


def sign(id_: str, kind: EvidenceKind, about: str, *, hurts: bool = False) -> str:
    """Register a sign and return its id; raises ValueError on a second, different one."""
    new = Sign(id=id_, kind=kind, about=about, hurts=hurts)
    if _signs.setdefault(id_, new) != new:
        raise ValueError(f"sign {id_} is registered twice, differently")
    return id_


def signs() -> dict[str, Sign]:
    """All signs registered so far, by id. Import the rooms that produce them first."""
    return dict(_signs)


class Evidence(Record, frozen=True):
    """One instance of a sign.

    `strength` runs from 0 (looked for, absent) to 1 (as clear as it gets). `onset` is when it
    began, epoch seconds, None where unknown (never "now"). `command` shows it to a person.
    """

    id: str
    sign: str
    target: str
    strength: float
    message: Message
    link: str = ""
    """Key of the link or hop that it is about; '' for the host as a whole or the users."""
    value: float | None = None
    baseline: float | None = None
    onset: float | None = None
    plus_minus: float = 0.0
    command: str = ""
    readings: list[tuple[str, str]] = []
    """(quantity, target) of what it was read from."""


TRACE = 0.05
"""Strength under which a sign is said to be absent: a trace is no sign."""


def evidence(  # noqa: PLR0913 - the fields of Evidence
    sign: str,
    target: str,
    strength: float,
    *,
    link: str = "",
    value: float | None = None,
    baseline: float | None = None,
    onset: float | None = None,
    plus_minus: float = 0.0,
    command: str = "",
    readings: list[tuple[str, str]] | None = None,
    **args: Argument,
) -> Evidence:
    """Evidence of a sign; its Message is `sign.<id>` filled with the keyword arguments.

    Strength under TRACE is said to be absent (0).
    """
    clear = round(min(1.0, strength), 3) if strength >= TRACE else 0.0
    return Evidence(
        id=f"{sign}@{link or target}@{target}" if link and link != target else f"{sign}@{target}",
        sign=sign,
        target=target,
        strength=clear,
        link=link,
        value=value,
        baseline=baseline,
        onset=onset,
        plus_minus=plus_minus,
        command=command,
        readings=readings or [],
        message=say(f"sign.{sign}", **args),
    )
