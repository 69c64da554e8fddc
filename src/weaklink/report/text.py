"""The screen of an incident: 80 columns, sentence and action first, colour only where asked."""

from __future__ import annotations

from weaklink.model.case import Case
from weaklink.model.message import say
from weaklink.report.block import Block, Item, Tone
from weaklink.report.phrase import Voice, phrase
from weaklink.report.safe import plain
from weaklink.report.screen import Wish, blocks
from weaklink.report.wrap import pad, width, wrap

COLUMNS = 80
PLAIN = Wish()
_MARGIN = 11
"""Columns of the label; a label that is longer gets a line of its own."""
_COLOURS: dict[Tone, str] = {"bad": "1;31", "good": "32", "strong": "1", "dim": "2"}


def screen(case: Case, wish: Wish = PLAIN, *, colour: bool = False, columns: int = COLUMNS) -> str:
    """The report as lines of at most `columns` (at least 40), with a newline after each."""
    voice = Voice(wish.language, case.host.utc_offset)
    return laid_out(blocks(case, wish), voice, colour=colour, columns=columns)


def laid_out(found: list[Block], voice: Voice, *, colour: bool, columns: int = COLUMNS) -> str:
    """Blocks as lines of at most `columns` (at least 40), with a newline after each."""
    lines: list[str] = []
    for block in found:
        lines.extend(_block(block, voice, max(columns, 40), colour=colour))
    return "".join(f"{plain(line).rstrip(' ')}\n" for line in lines)


def _block(block: Block, voice: Voice, columns: int, *, colour: bool) -> list[str]:
    label = phrase(say(block.label), voice)
    room = columns - _MARGIN
    apart = _right_column(block, room)
    body: list[str] = []
    number = 0
    for item in block.items:
        lead = " " * item.indent
        if block.numbered and not item.indent:
            number += 1
            lead = f"{number} "
        body.extend(
            _tinted(line, item.tone, colour=colour) for line in _item(item, lead, room, apart)
        )
    first = pad(label, _MARGIN)
    margin = " " * _MARGIN
    lines = []
    if width(label) >= _MARGIN:
        lines.append(_tinted(label, "strong", colour=colour))
        first = margin
    for index, line in enumerate(body):
        start = _tinted(first, "strong", colour=colour) if index == 0 else margin
        lines.append(start + line)
    return lines


def _right_column(block: Block, room: int) -> int:
    """Where the right-hand notes of a block start: one column for all that leave room for it."""
    extra = 2 if block.numbered else 0
    sizes = [
        (width(item.text) + extra + item.indent, width(item.right))
        for item in block.items
        if item.right
    ]
    fitting = [left for left, right in sizes if left + 2 + right <= room]
    if not fitting:
        return 0
    apart = max(fitting) + 2
    widest = max(right for left, right in sizes if left + 2 + right <= room)
    return apart if apart + widest <= room else 0


def _item(item: Item, lead: str, room: int, apart: int) -> list[str]:
    if item.command:
        return [lead + item.text]  # copied as it stands, so never broken
    lines = wrap(lead + item.text, room, hang=" " * len(lead))
    if not item.right:
        return lines
    last = lines[-1]
    fits = apart + width(item.right) <= room
    if len(lines) == 1 and apart and fits and width(last) + 2 <= apart:
        return [pad(last, apart) + item.right]
    if width(last) + 2 + width(item.right) <= room:
        return [*lines[:-1], f"{last}  {item.right}"]
    return [*lines, *wrap(" " * len(lead) + item.right, room, hang=" " * len(lead))]


def _tinted(text: str, tone: Tone, *, colour: bool) -> str:
    if not colour or tone not in _COLOURS:
        return text
    return f"\x1b[{_COLOURS[tone]}m{text}\x1b[0m"
