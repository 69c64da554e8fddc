"""What `weaklink check` shows: accesses that are there, those that are not, and what is touched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weaklink.model.base import Record, Whole
from weaklink.model.message import Message, say
from weaklink.report import labels_explain  # noqa: F401 - it registers the words used here
from weaklink.report.block import Block, Item
from weaklink.report.phrase import Voice, phrase
from weaklink.report.safe import visible
from weaklink.words import texts

LookRow = tuple[str, str, str, str]
"""Name, subject, what it looks at, what it touches ('' for reading only)."""

texts(
    {
        "check.what": "{what}: {why}",
        "check.loses": "without it: {loses}",
        "check.nothing": "everything that a look can use",
    }
)


class Access(Record, frozen=True):
    """One thing that looks need. `remedy` is the command that would allow it."""

    name: str
    allowed: bool
    what: Message
    loses: Message
    why: Message | None = None
    remedy: str = ""


class AccessOut(Whole, frozen=True):
    """The same for programs."""

    name: str
    allowed: bool
    what: str
    why: str
    loses: str
    remedy: str


class LookOut(Whole, frozen=True):
    """One look: what it reads, and what it touches beyond reading."""

    name: str
    subject: str
    about: str
    touches: str


class CheckOut(Whole, frozen=True):
    """`weaklink check --json`."""

    accesses: list[AccessOut]
    looks: list[LookOut]
    command: str


def one_remedy(found: Iterable[Access]) -> str:
    """The one command that allows most of what is missing; '' where nothing is, or none helps."""
    remedies = [access.remedy for access in found if not access.allowed and access.remedy]
    return max(sorted(set(remedies)), key=remedies.count) if remedies else ""


def check_report(found: Sequence[Access], looks: Iterable[LookRow]) -> CheckOut:
    """For programs, in English."""
    voice = Voice()
    return CheckOut(
        accesses=[
            AccessOut(
                name=access.name,
                allowed=access.allowed,
                what=phrase(access.what, voice),
                why=phrase(access.why, voice) if access.why else "",
                loses=phrase(access.loses, voice),
                remedy=access.remedy,
            )
            for access in found
        ],
        looks=[
            LookOut(name=name, subject=subject, about=about, touches=touches)
            for name, subject, about, touches in looks
        ],
        command=one_remedy(found),
    )


def check_blocks(found: Sequence[Access], looks: Iterable[LookRow], voice: Voice) -> list[Block]:
    """For the terminal."""
    can = [Item(phrase(access.what, voice)) for access in found if access.allowed]
    cannot: list[Item] = []
    for access in found:
        if access.allowed:
            continue
        text = phrase(access.what, voice)
        if access.why:
            text = phrase(say("check.what", what=text, why=phrase(access.why, voice)), voice)
        cannot.append(Item(text, tone="strong"))
        lost = phrase(say("check.loses", loses=phrase(access.loses, voice)), voice)
        cannot.append(Item(lost, indent=2, tone="dim"))
    remedy = one_remedy(found)
    rows = sorted(looks)
    touching = [Item(visible(f"{row[0]}: {row[3]}")) for row in rows if row[3]]
    reading = [Item(visible(f"{row[0]}: {row[2]}"), tone="dim") for row in rows if not row[3]]
    blocks = [
        Block("label.can", can),
        Block("label.cannot", cannot),
        Block("label.allow", [Item(remedy, command=True)] if remedy else []),
        Block("label.touches", touching),
        Block("label.reads", reading),
    ]
    return [block for block in blocks if block.items]
