"""A young process that still reads what it needs: a model, its weights, its code."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.evidence import evidence
from weaklink.stats.robust import log_ramp
from weaklink.words import sign

LOADS = sign(
    "process.loads-from-disk",
    "kernel-counters",
    "A young process of the link reads megabytes from a disk each second: it is still loading.",
    "pid {pid}, {age:seconds} old, reads {rate} MB/s from a disk, {total:bytes} so far",
    hurts=True,
)
YOUNG = 900.0
"""Seconds: weights of hundreds of gigabytes take a quarter of an hour from a network disk."""
READS = (2.0, 30.0)
"""MB/s: a slow disk gives tens of megabytes, a process that serves reads next to nothing."""


@look("disk")
def loading(view: View) -> Iterable[Judged]:
    """The youngest process of each link whose reading could be counted."""
    end = view.case.window[1]
    for link in view.on_chain():
        members = [
            one for one in view.members(link) if view.series("process_read_bytes_total", one.key)
        ]
        if not members:
            continue
        young = max(members, key=lambda one: (one.start, one.pid))
        rate = (view.rate("process_read_bytes_total", young.key) or 0.0) / 1e6
        age = end - young.start
        yield evidence(
            LOADS,
            young.key,
            log_ramp(rate, *READS) if age <= YOUNG else 0.0,
            link=link.key,
            value=round(rate, 2),
            command=f"cat /proc/{young.pid}/io; sleep 1; cat /proc/{young.pid}/io",
            pid=young.pid,
            age=round(age),
            rate=round(rate, 1),
            total=view.last("process_read_bytes_total", young.key) or 0.0,
        )
