"""A kernel's log in which nothing is wrong: said, with how much of it was read."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.kernel_lines import kernel_lines, spans
from weaklink.locate.look import Judged, look
from weaklink.locate.looks.kernel_disk import kernel_disk
from weaklink.locate.looks.kernel_machine import kernel_machine
from weaklink.locate.looks.kernel_net import kernel_net
from weaklink.locate.looks.xid import xid
from weaklink.locate.view import View
from weaklink.model.finding import Finding
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.kernel.quiet": "{count} lines of the kernel's log: nothing of a failing disk, "
        "GPU, link or machine in them",
    }
)
MEMORY_WORDS = ("oom", "Out of memory", "Killed process", "page allocation failure")


@look("kernel")
def kernel_quiet(view: View) -> Iterable[Judged]:
    """Healthy only where a log was read and no look at it found anything."""
    read = list(spans(view))
    if not read:
        return
    for other in (kernel_disk, kernel_machine, kernel_net, xid):
        if any(isinstance(one, Finding) for one in other(view)):
            return
    if any(word in line.text for line in kernel_lines(view) for word in MEMORY_WORDS):
        return
    yield Finding(
        verdict="healthy",
        target=target_key("host", "-", host=view.case.host.name),
        subject="kernel",
        message=say("finding.kernel.quiet", count=sum(span.lines for span in read)),
        line=read[-1].last,
        sure=0.7,
    )
