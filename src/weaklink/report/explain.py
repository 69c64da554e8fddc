"""The catalogue of causes for people and programs: what each means, and what speaks for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from weaklink.model.base import Whole
from weaklink.model.cause import Cause, Weighs
from weaklink.model.evidence import signs
from weaklink.model.message import say
from weaklink.report import labels_explain  # noqa: F401 - it registers the words used here
from weaklink.report.block import Block, Item
from weaklink.report.phrase import Voice, phrase
from weaklink.report.safe import plain
from weaklink.report.wrap import pad, width


class SignOut(Whole, frozen=True):
    """How much one sign says: natural log of the likelihood ratio when present and when absent."""

    sign: str
    about: str
    kind: str
    present: float
    absent: float
    where: str
    decisive: bool
    reason: str


class CauseEntry(Whole, frozen=True):
    """One cause of the catalogue. `contained_by` are ids of actions."""

    id: str
    layer: str
    title: str
    because: str
    explanation: str
    roles: list[str]
    prior: float
    required: list[str]
    signs_for: list[SignOut]
    signs_against: list[SignOut]
    explains: list[str]
    converges: str
    wrong_if: str
    next_danger: str
    contained_by: list[str]
    prevented_by: list[str]


def entry(cause: Cause) -> CauseEntry:
    """One cause for programs."""
    return CauseEntry(
        id=cause.id,
        layer=cause.layer,
        title=cause.title,
        because=cause.because,
        explanation=cause.explanation,
        roles=list(cause.roles),
        prior=cause.prior,
        required=list(cause.required),
        signs_for=[_sign(weighs) for weighs in cause.signs if weighs.present >= 0],
        signs_against=[_sign(weighs) for weighs in cause.signs if weighs.present < 0],
        explains=list(cause.explains),
        converges=cause.converges,
        wrong_if=cause.wrong_if,
        next_danger=cause.next_danger,
        contained_by=list(cause.contained_by),
        prevented_by=list(cause.prevented_by),
    )


def _sign(weighs: Weighs) -> SignOut:
    known = signs().get(weighs.sign)
    return SignOut(
        sign=weighs.sign,
        about=known.about if known else "",
        kind=known.kind if known else "",
        present=weighs.present,
        absent=weighs.absent,
        where=weighs.where,
        decisive=weighs.decisive,
        reason=weighs.reason,
    )


def entries(catalogue: Mapping[str, Cause]) -> list[CauseEntry]:
    """The whole catalogue, by id."""
    return [entry(catalogue[id_]) for id_ in sorted(catalogue)]


def overview(catalogue: Mapping[str, Cause]) -> list[Block]:
    """Every cause in one line, by layer."""
    layers: dict[str, list[Item]] = {}
    widest = max(map(width, catalogue), default=0)
    for id_ in sorted(catalogue):
        cause = catalogue[id_]
        text = pad(id_, widest)
        layers.setdefault(cause.layer, []).append(Item(text, right=cause.title))
    return [Block(f"layer.{layer}", items) for layer, items in sorted(layers.items())]


def explained(cause: Cause, actions: Mapping[str, str], voice: Voice) -> list[Block]:
    """One cause in full. `actions` gives the title of each action by id."""
    speaks = [weighs for weighs in cause.signs if weighs.present >= 0]
    against = [weighs for weighs in cause.signs if weighs.present < 0]
    blocks = [
        Block("label.cause", [Item(cause.id, right=cause.title, tone="strong")]),
        Block("label.what", [Item(phrase(say(f"cause.{cause.id}.explanation"), voice))]),
        Block("label.leads-to", _lines([cause.converges])),
        Block("label.for", [_weighs(one, voice) for one in speaks]),
        Block("label.against", [_weighs(one, voice) for one in against]),
        Block("label.explains", _lines([", ".join(cause.explains)])),
        Block("label.wrong-if", _lines([phrase(say(f"cause.{cause.id}.wrong_if"), voice)])),
        Block(
            "label.contain",
            [Item(id_, right=actions.get(id_, "")) for id_ in cause.contained_by],
            numbered=True,
        ),
        Block("label.prevent", _lines(cause.prevented_by)),
    ]
    return [block for block in blocks if block.items]


def _lines(texts: Iterable[str]) -> list[Item]:
    return [Item(text) for text in texts if text]


def _weighs(one: Weighs, voice: Voice) -> Item:
    weight = f"{one.present:+.1f}"
    if one.absent:
        weight = phrase(say("explain.absent", weight=weight, absent=f"{one.absent:+.1f}"), voice)
    if one.decisive:
        weight = phrase(say("explain.decisive", weight=weight), voice)
    reason = f": {one.reason}" if one.reason else ""
    return Item(f"{one.sign}{reason}", right=weight)


def catalogue_markdown(
    catalogue: Mapping[str, Cause], actions: Mapping[str, str], recorded: Sequence[str] = ()
) -> str:
    """The catalogue as one Markdown page; `recorded` are names of recorded injections."""
    lines = [
        "# The catalogue of causes",
        "",
        "Generated from `converge/causes/` by `weaklink explain --markdown`; do not edit.",
        "A weight is the natural logarithm of a likelihood ratio, at full strength of the sign.",
        "",
    ]
    for one in entries(catalogue):
        lines += [f"## {one.id}", "", f"*{one.layer}*: the link {one.title}.", ""]
        lines += [one.explanation, "", f"Leads to: {one.converges}.", ""]
        lines += ["| sign | present | absent | why |", "| --- | --- | --- | --- |"]
        for weighs in [*one.signs_for, *one.signs_against]:
            decisive = " (decisive)" if weighs.decisive else ""
            absent = f"{weighs.absent:+.1f}" if weighs.absent else ""
            row = f"| {weighs.sign}{decisive} | {weighs.present:+.1f} | {absent} |"
            lines.append(f"{row} {weighs.reason or weighs.about} |")
        lines += ["", f"Wrong if: {one.wrong_if}.", ""]
        steps = [f"`{id_}` ({actions.get(id_, id_)})" for id_ in one.contained_by]
        lines += [f"Contained by: {', '.join(steps) or 'nothing yet'}.", ""]
        lines += [f"Prevented by: {', '.join(one.prevented_by) or 'nothing yet'}.", ""]
        if recorded:
            lines += [_proved(one.id, recorded), ""]
    return plain("\n".join(lines)).rstrip("\n") + "\n"


def _proved(cause: str, recorded: Sequence[str]) -> str:
    """A recording's name is the cause and a number: `hot-key-expiry-52`."""
    real = [name for name in recorded if name.rstrip("0123456789").rstrip("-") == cause]
    if not real:
        return "Tried on: chains made by hand."
    return f"Tried on: {', '.join(real)} (recorded from real injections), and chains made by hand."
