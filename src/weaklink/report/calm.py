"""The screens without a weak link: nothing hurts, a finding only, not known, too blind."""

from __future__ import annotations

from weaklink.model.diagnosis import Pain
from weaklink.model.finding import VERDICTS, Finding
from weaklink.model.message import say
from weaklink.report.block import Block, Item, Tone
from weaklink.report.felt import figures
from weaklink.report.safe import visible
from weaklink.report.unseen import one_command
from weaklink.report.verdict import verdict
from weaklink.report.view import View, target_name

_SHOWN = 6
_TONES: dict[str, Tone] = {"critical": "bad", "warn": "strong", "healthy": "good", "unknown": "dim"}


def calm_verdict(seen: View) -> Block:
    """One sentence; `nothing hurts` only where something told how users fare."""
    pain = seen.pain
    felt_known = pain is not None and pain.looked_at
    match verdict(seen.case):
        case "nothing-hurts" if pain is None:
            item = Item(seen.say(say("verdict.no-look-wrong")), tone="good")
        case "nothing-hurts" if pain is not None:
            told = _figures(seen, pain)
            untimed = bool(pain.impact.slices) and pain.impact.p99_now is None
            text = seen.say(say(f"verdict.nothing-hurts{'-untimed' if untimed else ''}"))
            item = Item(f"{text}: {told}" if told else text, tone="good")
        case "critical-finding":
            key = "verdict.critical" if felt_known else "verdict.critical-unfelt"
            item = Item(seen.say(say(key)), tone="bad")
        case "hurts":
            item = Item(seen.say(say("verdict.no-link")), tone="bad")
        case _:
            return _blind(seen)
    return Block("label.verdict", [item])


def _figures(seen: View, pain: Pain) -> str:
    told = ", ".join(figures(seen, pain))
    if not told or not pain.impact.window:
        return told
    start, end = pain.impact.window
    return seen.say(say("felt.over-last", figures=told, span=max(end - start, 0.0)))


def _blind(seen: View) -> Block:
    unfelt = seen.pain is None or not seen.pain.looked_at
    key = "verdict.unknown" if unfelt else "verdict.too-blind"
    items = [Item(seen.say(say(key)), tone="strong")]
    items.append(Item(seen.say(say("blind.command", command=one_command(seen)))))
    return Block("label.verdict", items)


def findings(
    seen: View, *, everything: bool = False, label: str = "label.latent", most: int = _SHOWN
) -> Block | None:
    """Findings, worst first; healthy ones only where all are asked for."""
    kept = [
        found for found in seen.case.findings if everything or found.verdict in ("warn", "critical")
    ]
    kept.sort(key=lambda found: -VERDICTS.index(found.verdict))
    items: list[Item] = []
    for found in kept if everything else kept[:most]:
        items.extend(_finding(seen, found))
    if len(kept) > most and not everything:
        items.append(Item(seen.say(say("unseen.more", count=len(kept) - most)), tone="dim"))
    return Block(label, items) if items else None


def _finding(seen: View, found: Finding) -> list[Item]:
    word = seen.say(say(f"verdict-word.{found.verdict}"))
    text = seen.say(found.message)
    name = visible(target_name(seen.case, found.target), 60)
    if name and name.split(" (")[0] not in text and not found.target.startswith("host:"):
        text = f"{name}: {text}"
    items = [
        Item(
            seen.say(say("finding.line", verdict=word, text=text)),
            tone=_TONES[found.verdict],
        )
    ]
    items.extend(
        Item(visible(line, 300), tone="dim", indent=2)
        for line in found.line.split("\n")[:2]
        if line
    )
    if found.next:
        items.append(Item(seen.say(say("finding.next", text=visible(found.next))), indent=2))
    return items


def looked_at(seen: View) -> Block | None:
    """What was looked at, so that `nothing hurts` can be judged."""
    looks = seen.case.looks
    seen_looks = [look for look in looks if look.outcome == "value"]
    if not seen_looks:
        return None
    names = ", ".join(sorted({visible(look.name, 40) for look in seen_looks}))
    start, end = seen.case.window
    cpu = sum(look.cpu_seconds for look in looks)
    line = say(
        "looked.summary", looks=len(looks), window=max(end - start, 0.0), cpu=cpu, names=names
    )
    return Block("label.looked-at", [Item(seen.say(line), tone="dim")])
