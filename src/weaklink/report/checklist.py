"""What `weaklink checklist` shows: commands in order, what each must show, which can hurt."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from weaklink.model.base import Whole
from weaklink.model.case import Case
from weaklink.model.message import say
from weaklink.report.block import Block, Item
from weaklink.report.checklist_steps import CheckStep, steps_for
from weaklink.report.phrase import Voice, phrase
from weaklink.report.safe import plain
from weaklink.words import texts

texts(
    {
        "label.steps-of": "CHECK",
        "label.careful": "CAREFUL",
        "checklist.shows": "{what}",
        "checklist.hurts": "can hurt: {how}",
        "checklist.missing": "not installed: {tool}",
        "checklist.here": "filled in from this machine's chain: {what}",
        "checklist.nothing": "no chain was found here: words in capitals are yours to fill in",
    }
)
EVERYWHERE = ("0.0.0.0", "*", "[::]")
_WORD = re.compile(r"\{([a-z]+)\}")


class StepOut(Whole, frozen=True):
    """One command for programs. `installed` is null where nobody looked."""

    id: str
    subject: str
    command: str
    shows: str
    can_hurt: str
    installed: bool | None


class ChecklistOut(Whole, frozen=True):
    """`weaklink checklist --json`."""

    shape: str
    steps: list[StepOut]


class Here(Whole, frozen=True):
    """What this machine has: values by word, and programs that are missing."""

    values: dict[str, str]
    missing: list[str]


def filled(step: CheckStep, values: Mapping[str, str]) -> str:
    """The command with what is known; the rest in capitals."""
    return _WORD.sub(
        lambda word: shlex.quote(values[word[1]]) if word[1] in values else word[1].upper(),
        step.command,
    )


def checklist_report(shape: str, here: Here | None) -> ChecklistOut:
    """For programs, in English."""
    voice = Voice()
    return ChecklistOut(
        shape=shape,
        steps=[
            StepOut(
                id=step.id,
                subject=step.subject,
                command=filled(step, here.values if here else {}),
                shows=phrase(say(f"check.{step.id}.shows"), voice),
                can_hurt=phrase(say(f"check.{step.id}.hurts"), voice) if step.hurts else "",
                installed=None if here is None else step.tool not in here.missing,
            )
            for step in steps_for(shape)
        ],
    )


def checklist_blocks(shape: str, here: Here | None, voice: Voice) -> list[Block]:
    """For people: the command as it is typed, below it what it must show."""
    items: list[Item] = []
    for step in steps_for(shape):
        items.append(Item(filled(step, here.values if here else {}), command=True))
        items.append(Item(phrase(say(f"check.{step.id}.shows"), voice), tone="dim", indent=2))
        if step.hurts:
            how = phrase(say(f"check.{step.id}.hurts"), voice)
            items.append(Item(phrase(say("checklist.hurts", how=how), voice), tone="bad", indent=2))
        if here is not None and step.tool in here.missing:
            text = phrase(say("checklist.missing", tool=step.tool), voice)
            items.append(Item(text, tone="dim", indent=2))
    blocks = [Block("label.steps-of", items, numbered=True)]
    if here is not None:
        what = ", ".join(f"{name} {value}" for name, value in sorted(here.values.items()))
        message = say("checklist.here", what=what) if what else say("checklist.nothing")
        blocks.append(Block("label.careful", [Item(phrase(message, voice))]))
    return blocks


def checklist_markdown(report: ChecklistOut) -> str:
    """The list to paste into a channel or a runbook."""
    lines = [f"# {report.shape or 'all shapes'}", ""]
    for number, step in enumerate(report.steps, 1):
        careful = f" **Can hurt: {step.can_hurt}.**" if step.can_hurt else ""
        missing = " (not installed)" if step.installed is False else ""
        lines += [f"{number}. `{step.command}`{missing}: {step.shows}.{careful}"]
    return plain("\n".join(lines)) + "\n"


def values_of(case: Case) -> dict[str, str]:
    """Words for the commands from a chain: of its entry, and of the first link that works."""
    values: dict[str, str] = {}
    links = [link for link in case.chain.links if link.on_chain and link.pids]
    entry = next((link for link in links if link.entry), None)
    works = next((link for link in links if link.role in ("inference", "app")), entry)
    address = next((one for one in entry.listen if ":" in one), "") if entry else ""
    if address and not address.startswith("unix:"):
        host, _, port = address.rpartition(":")
        values["address"] = f"{'127.0.0.1' if host in EVERYWHERE else host}:{port}"
        values["port"] = port
    if works is not None:
        values["pid"] = str(works.pids[0])
        remote = next((one.remote for one in case.connections if one.pid in works.pids), "")
        if remote and not remote.startswith("unix:"):
            values["destination"] = remote.rpartition(":")[0].strip("[]")
    if case.devices:
        values["device"] = min(device.name for device in case.devices)
    return values
