"""The kernel's own words in a Case, wherever they were read: a pasted log or the live one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from weaklink.locate.view import View
from weaklink.model.fact_hardware import KernelLine, KernelLogSpan

_PCI = re.compile(r"\b((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?)\b", re.IGNORECASE)


def kernel_lines(view: View) -> list[KernelLine]:
    """Lines of the kernel's log, in order."""
    pasted = [fact for fact in view.case.hardware if isinstance(fact, KernelLine)]
    live = [
        KernelLine(text=event.text, at=event.at, number=number, raw=event.text)
        for number, event in enumerate(view.case.events)
        if event.kind == "kernel"
    ]
    return pasted + live


def spans(view: View) -> Iterator[KernelLogSpan]:
    """How much of which pasted logs was read."""
    for fact in view.case.hardware:
        if isinstance(fact, KernelLogSpan):
            yield fact


def pci_address(text: str) -> str:
    """The first PCI address in a text, as printed: `0000:9b:00`, `b3:00.0`; '' for none."""
    found = _PCI.search(text)
    return found.group(1) if found else ""
