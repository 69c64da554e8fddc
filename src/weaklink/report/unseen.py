"""What was not seen, and the one command that would show it: never counted as healthy."""

from __future__ import annotations

from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.report.block import Block, Item
from weaklink.report.safe import visible
from weaklink.report.view import View

_SHOWN = 4
_FIRST = ("denied", "timeout", "failed")


def blind_looks(seen: View) -> list[Look]:
    """Looks that should have given a value and did not; what is not here is no blindness."""
    found = [look for look in seen.case.looks if look.outcome in _FIRST]
    return sorted(found, key=lambda look: (_FIRST.index(look.outcome), look.name, look.target))


def reason_of(seen: View, look: Look) -> str:
    """Why a look gave no value, in words."""
    return seen.say(look.reason) if look.reason else seen.say(say(f"outcome.{look.outcome}"))


def unseen(seen: View, *, everything: bool = False, not_filed: str = "") -> Block | None:
    """The block UNSEEN: reasons grouped, worst first; then where `before` comes from."""
    lines = unseen_lines(seen)
    shown = lines if everything else lines[:_SHOWN]
    if len(lines) > len(shown):
        shown = [*shown, seen.say(say("unseen.more", count=len(lines) - len(shown)))]
    pain = seen.pain
    if pain and pain.looked_at and pain.shape.id != "none" and not pain.shape.semantic_looked_at:
        shown = [*shown, seen.say(say("unseen.semantic"))]
    if pain and pain.impact.baseline and pain.shape.id != "none":
        text = seen.say(pain.impact.baseline)
        shown = [*shown, seen.say(say("unseen.baseline", text=text))]
    if not_filed:
        shown = [*shown, seen.say(say("unseen.not-filed", reason=not_filed))]
    return Block("label.unseen", [Item(line, tone="dim") for line in shown]) if shown else None


def unseen_lines(seen: View) -> list[str]:
    """One line for each reason, with the command that would help, if there is one."""
    groups: dict[tuple[str, str, str], int] = {}
    for look in blind_looks(seen):
        key = (look.name, reason_of(seen, look), look.remedy)
        groups[key] = groups.get(key, 0) + 1
    lines = []
    for (name, reason, remedy), count in groups.items():
        what = seen.say(
            say("unseen.look", name=name, reason=reason)
            if count == 1
            else say("unseen.look-count", name=name, count=count, reason=reason)
        )
        if remedy:
            what = seen.say(say("unseen.remedy", what=what, remedy=visible(remedy)))
        lines.append(what)
    return lines


def one_command(seen: View) -> str:
    """The command that would tell most: of the first look that was not allowed, else an entry."""
    for look in blind_looks(seen):
        if look.remedy:
            return visible(look.remedy)
    if not seen.case.host.privileged and any(look.outcome == "denied" for look in seen.case.looks):
        return "sudo weaklink"
    return "weaklink --entry http://HOST:PORT/PATH"
