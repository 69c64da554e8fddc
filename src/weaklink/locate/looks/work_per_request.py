"""How much CPU a request takes now, held against the process's own life."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.evidence import evidence
from weaklink.stats.robust import log_ramp
from weaklink.words import sign

MORE = sign(
    "cpu.more-per-request",
    "kernel-counters",
    "Each request takes the link several times the CPU that it took over its life.",
    "{name} uses {times} times the CPU for a request that it used over its life",
)
TIMES = (1.8, 5.0)
"""Times: caches warm up and routes change, but not by five."""
LEAST_LIFE = 30.0
"""Seconds that a process must have served before the window."""
LEAST_CPUS = 0.25


@look("cpu")
def work_per_request(view: View) -> Iterable[Judged]:
    """For each link with a past, where the log tells how many requests came then and come now."""
    felt = view.pain.impact if view.pain else None
    if felt is None or not felt.rate_now or not felt.rate_before:
        return
    for link in view.on_chain():
        now = view.cpu(link)
        lives = []
        for key in link.processes:
            row = view.series("process_cpu_seconds_total", key)
            process = view.by_key.get(key)
            if row is None or process is None or row.times[0] - process.start < LEAST_LIFE:
                continue
            lives.append(row.values[0] / (row.times[0] - process.start))
        if now is None or not lives or sum(lives) <= 0:
            continue
        times = (now / felt.rate_now) / (sum(lives) / felt.rate_before)
        yield evidence(
            MORE,
            link.processes[0],
            log_ramp(times, *TIMES) if now >= LEAST_CPUS else 0.0,
            link=link.key,
            value=round(times, 2),
            command=f"ps -o pid,etimes,cputimes,cmd -p {link.pids[0]}",
            name=link.name,
            times=round(times, 1),
        )
