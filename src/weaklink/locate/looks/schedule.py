"""A job that a schedule began just before users hurt, and that takes what the chain needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.event import Event
from weaklink.model.evidence import evidence
from weaklink.model.fact import Process
from weaklink.stats.robust import ramp
from weaklink.words import sign

BATCH = sign(
    "schedule.batch-began",
    "events",
    "A scheduled job that uses much CPU or disk began just before users hurt.",
    "{name} (pid {pid}) was started by a schedule {ago:seconds} before users hurt[: {job}]",
    hurts=True,
)
BEFORE = (180.0, 20.0)
"""Seconds between its start and the onset: a job reads and plans before it hurts, not for long."""
AFTER = 3.0
LEAST_CPUS = 0.3
LEAST_BYTES = 5e6
SCHEDULERS = frozenset({"cron", "crond", "anacron", "atd", "fcron", "supercronic"})
MOST_PARENTS = 12


@look("changes")
def batches(view: View) -> Iterable[Judged]:
    """Processes off the chain below a scheduler that began then and work hard now."""
    if view.onset is None:
        return
    chained = {pid for link in view.chain.links if link.on_chain for pid in link.pids}
    runs = {
        int(event.details["pid"]): event
        for event in view.case.events
        if event.kind == "cron-run" and str(event.details.get("pid", "")).isdigit()
    }
    rows = list(_jobs(view, chained, runs))
    if not rows:
        return
    strength, process, run = max(rows, key=lambda row: (row[0], row[1].pid))
    command = str(run.details.get("command", "")) if run else ""
    yield evidence(
        BATCH,
        process.key,
        strength,
        value=view.onset - process.start,
        onset=process.start,
        plus_minus=1.0,
        command=f"ps -o pid,ppid,lstart,cmd -p {process.pid}; crontab -l",
        name=process.name,
        pid=process.pid,
        ago=round(max(0.0, view.onset - process.start), 1),
        **({"job": command[:80]} if command else {}),  # type: ignore[arg-type]
    )


def _jobs(
    view: View, chained: set[int], runs: dict[int, Event]
) -> Iterator[tuple[float, Process, Event | None]]:
    for process in view.processes.values():
        if process.pid in chained or process.kernel_thread:
            continue
        began, run = _began(view, process, runs)
        if began is None:
            continue
        before = (view.onset or 0.0) - began
        if before < -AFTER:
            continue
        busy = max(
            (view.rate("process_cpu_seconds_total", process.key) or 0.0) / LEAST_CPUS,
            (view.rate("process_read_bytes_total", process.key) or 0.0) / LEAST_BYTES,
            (view.rate("process_written_bytes_total", process.key) or 0.0) / LEAST_BYTES,
        )
        yield ramp(before, *BEFORE) if busy >= 1 else 0.0, process, run


def _began(
    view: View, process: Process, runs: dict[int, Event]
) -> tuple[float | None, Event | None]:
    """When the scheduled job that a process belongs to began; None where no schedule did it."""
    one: Process | None = process
    run: Event | None = None
    for _ in range(MOST_PARENTS):
        if one is None:
            return None, None
        run = run or runs.get(one.pid)
        parent = view.processes.get(one.ppid)
        if run is not None or (parent is not None and parent.name in SCHEDULERS):
            return (run.at if run else one.start), run
        one = parent
    return None, None
