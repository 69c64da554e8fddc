"""What `-v` adds: commands and undo of each step, every look and its cost, the other causes."""

from __future__ import annotations

from weaklink.model.message import say
from weaklink.model.plan import Step
from weaklink.report import human
from weaklink.report.block import Block, Item
from weaklink.report.safe import visible
from weaklink.report.sections import evidence_items
from weaklink.report.unseen import reason_of
from weaklink.report.view import View, target_name


def detail(seen: View) -> list[Block]:
    """The blocks of `-v`, those that have something to say."""
    found = [steps(seen), _against(seen), _others(seen), _looks(seen), _cost(seen)]
    return [block for block in found if block]


def steps(seen: View) -> Block | None:
    """Each step with its exact commands, what to expect, how to take it back."""
    plan = seen.diagnosis.plan if seen.diagnosis else None
    if plan is None or not plan.steps:
        return None
    items: list[Item] = []
    for step in plan.steps:
        items.extend(step_items(seen, step))
    return Block("label.steps", items, numbered=True)


def step_items(seen: View, step: Step) -> list[Item]:
    """One step: what, then its commands, what to expect, undo, and what it cannot do."""
    items = [Item(seen.say(step.what), right=seen.say(step.harm_note), tone="strong")]
    items += [Item(visible(line), command=True, indent=2) for line in step.preview]
    if step.expect:
        text = seen.say(step.expect)
        items.append(Item(seen.say(say("step.expect", text=text)), indent=2))
    if step.undo:
        items.append(Item(seen.say(say("step.undo")), indent=2))
        items += [Item(visible(line), command=True, indent=2) for line in step.undo]
    if step.cannot:
        text = seen.say(step.cannot)
        items.append(Item(seen.say(say("step.cannot", text=text)), indent=2, tone="dim"))
    return items


def _against(seen: View) -> Block | None:
    ids = [id_ for judged in seen.named for id_ in judged.against]
    items = evidence_items(seen, ids, 20)
    return Block("label.against", items) if items else None


def _others(seen: View) -> Block | None:
    items: list[Item] = []
    for judged in seen.candidates[:8]:
        name = visible(seen.name(judged.link), 60)
        sure = seen.say(say(f"sure.{judged.sure}"))
        items.append(Item(seen.say(say("other.line", id=judged.id, link=name, sure=sure))))
        for item in evidence_items(seen, judged.for_, 3):
            items.append(item._replace(text=f"+ {item.text}", indent=2, tone="dim"))
        for item in evidence_items(seen, judged.against, 3):
            items.append(item._replace(text=f"- {item.text}", indent=2, tone="dim"))
    return Block("label.others", items) if items else None


def _looks(seen: View) -> Block | None:
    items = []
    for look in sorted(seen.case.looks, key=lambda look: (look.name, look.target, look.at)):
        outcome = seen.say(say(f"outcome.{look.outcome}"))
        if look.outcome != "value" and look.reason:
            outcome = f"{outcome}: {reason_of(seen, look)}"
        about = f" {visible(target_name(seen.case, look.target), 40)}" if look.target else ""
        cost = human.seconds(look.seconds)
        if look.cpu_seconds:
            cost += f", {human.seconds(look.cpu_seconds)}{human.NBSP}CPU"
        items.append(Item(f"{visible(look.name, 40)}{about}: {outcome}", right=cost, tone="dim"))
    return Block("label.looks", items) if items else None


def _cost(seen: View) -> Block | None:
    looks = seen.case.looks
    if not looks:
        return None
    start, end = seen.case.window
    cpu = sum(look.cpu_seconds for look in looks)
    line = say("cost.summary", looks=len(looks), cpu=cpu, window=max(end - start, 0.0))
    items = [Item(seen.say(line))]
    touched = sorted({visible(text, 120) for look in looks for text in look.touched})
    items += [Item(seen.say(say("cost.touched", text=text))) for text in touched[:20]]
    return Block("label.cost", items)
