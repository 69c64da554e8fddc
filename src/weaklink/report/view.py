"""What a report needs from a Case, found once: the last diagnosis, its causes, names of things."""

from __future__ import annotations

from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.cause import Cause, causes
from weaklink.model.chain import Link
from weaklink.model.diagnosis import Diagnosis, JudgedCause, Pain
from weaklink.model.evidence import Evidence
from weaklink.model.message import Argument, Message
from weaklink.model.target import parse_target
from weaklink.report import labels, labels_felt  # noqa: F401 - they register the fixed words
from weaklink.report.names import shown_names
from weaklink.report.phrase import Voice, phrase, settled
from weaklink.words import placeholders, text_of, texts

CAUSE_TEXTS = ("title", "because", "explanation", "converges", "wrong_if", "next_danger")
"""Fields of a Cause that are texts; their keys are `cause.<id>.<field>`."""


class View(NamedTuple):
    """A Case as the reports read it. `named` are the causes that may be said."""

    case: Case
    diagnosis: Diagnosis | None
    pain: Pain | None
    named: list[JudgedCause]
    candidates: list[JudgedCause]
    evidence: dict[str, Evidence]
    catalogue: dict[str, Cause]
    voice: Voice
    names: dict[str, str]

    def name(self, key: str) -> str:
        """What a link, an edge or a target is called on the screen."""
        if key in self.names:
            return self.names[key]
        source, arrow, dest = key.partition(">")
        if arrow and self.case.chain.link(source):
            return f"{self.name(source)} to {self.name(dest)}"
        return target_name(self.case, key)

    def say(self, message: Message) -> str:
        """The Message in words."""
        return phrase(message, self.voice)


def view(case: Case, language: str = "en") -> View:
    """The Case as the reports read it, by its last diagnosis."""
    enter_causes()
    diagnosis = case.diagnoses[-1] if case.diagnoses else None
    judged = diagnosis.causes if diagnosis else []
    return View(
        case=case,
        diagnosis=diagnosis,
        pain=diagnosis.pain if diagnosis else case.pain,
        named=[cause for cause in judged if cause.named],
        candidates=[cause for cause in judged if not cause.named],
        evidence={item.id: item for item in case.evidence},
        catalogue=causes(),
        names=shown_names(case.chain),
        voice=Voice(language, case.host.utc_offset, diagnosis.at if diagnosis else case.created),
    )


def enter_causes() -> None:
    """Put the English texts of all loaded causes into the catalogue of texts."""
    for cause in causes().values():
        texts(cause_texts(cause))


def cause_texts(cause: Cause) -> dict[str, str]:
    """A cause's texts by key; those that it does not have are left out."""
    fields = {
        "title": cause.title,
        "because": cause.because,
        "explanation": cause.explanation,
        "converges": cause.converges,
        "wrong_if": cause.wrong_if,
        "next_danger": cause.next_danger,
    }
    return {f"cause.{cause.id}.{field}": text for field, text in fields.items() if text}


def cause_says(seen: View, judged: JudgedCause, field: str, *, whole: bool = False) -> str:
    """One text of a judged cause, filled in; '' where the cause has none or is not known here.

    `whole`: also '' where an argument that it needs is not known, instead of a `?`.
    """
    cause = seen.catalogue.get(judged.id)
    key = f"cause.{judged.id}.{field}"
    if cause is None or key not in cause_texts(cause):
        return ""
    args: dict[str, Argument] = {
        "link": seen.name(judged.link),
        "target": seen.name(judged.target),
        **judged.args,
    }
    text = settled(text_of(key, seen.voice.language), args)
    if whole and not placeholders(text) <= args.keys():
        return ""
    return seen.say(Message(key=key, args=args)).strip(" ;,")


def cause_title(seen: View, judged: JudgedCause) -> str:
    """What the link does wrong; the cause's id where this version does not know it."""
    return cause_says(seen, judged, "title") or judged.id


def link_at(case: Case, key: str) -> Link | None:
    """The link with this key, or the one that an edge `a>b` leads to."""
    return case.chain.link(key) or case.chain.link(key.partition(">")[2])


def target_name(case: Case, key: str) -> str:
    """A target as a person would say it: `worker (pid 4121)`, `redis:6379/preview`."""
    for process in case.processes:
        if process.key == key:
            return f"{process.name} (pid {process.pid})"
    try:
        target = parse_target(key)
    except ValueError:
        return key
    if target.kind == "host":
        return target.host
    return target.name.split("@")[0] if target.kind == "process" else target.name


def members_of(case: Case, judged: JudgedCause) -> list[Link]:
    """The members of the link's group that the cause sits on; the link alone where none is said."""
    links = [case.chain.link(key) for key in judged.members or [judged.link]]
    found = [link for link in links if link is not None]
    own = link_at(case, judged.link)
    return found or ([own] if own else [])
