"""The report as Markdown, to paste into a channel or a ticket; names in it stay harmless."""

from __future__ import annotations

from weaklink.model.case import Case
from weaklink.model.message import say
from weaklink.report.block import Block, Item
from weaklink.report.detail import steps
from weaklink.report.human import day_and_clock, offset_name
from weaklink.report.phrase import Voice, phrase
from weaklink.report.safe import markdown as safe
from weaklink.report.safe import plain
from weaklink.report.screen import Wish, blocks
from weaklink.report.view import view


def markdown(case: Case, wish: Wish) -> str:
    """The same blocks as the screen; the plan with its commands, since there is room for them."""
    voice = Voice(wish.language, case.host.utc_offset)
    found = blocks(case, wish)
    plan = steps(view(case, wish.language))
    if plan and not wish.verbose:
        found = [plan if block.label == "label.do-now" else block for block in found]
    offset = case.host.utc_offset
    moment = plain(day_and_clock(case.created, utc_offset=offset))
    lines = [f"**weaklink** {safe(case.host.name)}, {moment} {offset_name(offset)}", ""]
    for block in found:
        lines.extend(_block(block, phrase(say(block.label), voice)))
    return "\n".join(lines) + "\n"


def _block(block: Block, label: str) -> list[str]:
    if len(block.items) == 1 and not block.numbered:
        return [f"**{safe(label)}** {_words(block.items[0])}", ""]
    lines = [f"**{safe(label)}**", ""]
    number = 0
    fenced = False
    for item in block.items:
        pad = "   " if block.numbered else "  "
        if item.command != fenced:
            lines.append(f"{pad}```")
            fenced = item.command
        if item.command:
            lines.append(pad + plain(item.text).replace("```", "'''"))
        elif item.indent:
            lines.append(f"{pad}- {_words(item)}")
        elif block.numbered:
            number += 1
            lines.append(f"{number}. {_words(item)}")
        else:
            lines.append(f"- {_words(item)}")
    if fenced:
        lines.append("   ```" if block.numbered else "  ```")
    return [*lines, ""]


def _words(item: Item) -> str:
    text = safe(item.text)
    return f"{text} *({safe(item.right)})*" if item.right else text
