"""What our own recording adds to a Case: how things were before, and who came and went."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weaklink.model.case import Case, grow
from weaklink.model.event import Event
from weaklink.model.fact import Process
from weaklink.model.series import Series
from weaklink.model.target import HOST_NETNS, parse_target
from weaklink.recorder.place import places
from weaklink.recorder.recording import Recording

PAST = 1800.0
"""Seconds of before: half an hour holds a few runs of what comes every ten minutes."""
EVERY = 10.0
"""Seconds between two readings that are kept of the past: rates lose nothing by it."""
SCHEDULED = ("cron", "unit")
JUST_BEFORE = 60.0
"""Seconds before the window within which a process that ended may still have to do with it."""
LEAST_CPU = 0.02
"""CPUs a process must have used in the past on average to be kept in it."""
LEAST_PAST = 45.0
"""Seconds without which a past is none."""


def folders(box: str) -> list[Path]:
    """Where recordings may lie: the folder that was named, else this user's own."""
    return [Path(box)] if box else places()


def with_past(case: Case, recording: Recording, until: float) -> Case:
    """The Case with half an hour before `until` from the recording."""
    found = recording.series(_is_kept, since=until - PAST, until=until)
    past = [_thinned(row) for row in found if _matters(row)]
    longest = max((row.times[-1] - row.times[0] for row in past), default=0.0)
    return grow(case, past=past) if longest >= LEAST_PAST else case


def with_events(
    case: Case, recording: Recording, since: float, until: float, *, lives: bool
) -> Case:
    """The Case with the recording's events; with `lives` also who came and went in its window.

    Of the time before, but for the last minute, only what a schedule started is told, and when that
    ended: who else came and went then is no news.
    """
    known = {(event.kind, event.target, round(event.at)) for event in case.events}
    fresh = [
        event
        for event in recording.events(since, until)
        if (event.kind, event.target, round(event.at)) not in known
    ]
    scheduled = {event.target for event in fresh if event.details.get("by") in SCHEDULED}
    begin = case.window[0]
    ended = {event.target: event.at for event in fresh if event.kind == "process-exit"}
    kept = [
        event
        for event in fresh
        if event.kind not in ("process-start", "process-exit")
        or event.target in scheduled
        or (lives and event.at >= begin - JUST_BEFORE)
    ]
    facts: dict[tuple[int, int], Process] = {}
    if lives:
        there = {(process.pid, process.start_ticks) for process in case.processes}
        for event in fresh:
            gone = ended.get(event.target, until) < begin - JUST_BEFORE
            fact = None if gone or event.kind != "process-start" else _fact(event)
            if fact is not None and (fact.pid, fact.start_ticks) not in there:
                facts[fact.pid, fact.start_ticks] = fact
    return grow(
        case,
        events=sorted([*case.events, *kept], key=lambda event: event.at),
        processes=[*case.processes, *facts.values()],
    )


def _is_kept(quantity: str, target: str) -> bool:
    return not target.startswith("agent:")


def _matters(row: Series) -> bool:
    """Of processes those that worked; of everything else what moved or is a level."""
    if len(row.times) < 2:
        return False
    if not row.target.startswith("process:") or row.quantity.startswith("cache_"):
        return True
    if row.quantity == "process_resident_bytes":
        return max(row.values) - min(row.values) > 16e6
    if row.quantity in ("process_cpu_seconds_total", "process_run_delay_seconds_total"):
        return row.values[-1] - row.values[0] >= LEAST_CPU * (row.times[-1] - row.times[0])
    return row.quantity.endswith("bytes_total") and row.values[-1] - row.values[0] > 1e6


def _thinned(row: Series) -> Series:
    """A reading every EVERY seconds, the first and the last included."""
    times: list[float] = []
    values: list[float] = []
    for at, value in zip(row.times, row.values, strict=True):
        if not times or at - times[-1] >= EVERY - 0.5:
            times.append(at)
            values.append(value)
    if times[-1] != row.times[-1]:
        times.append(row.times[-1])
        values.append(row.values[-1])
    return msgspec.structs.replace(row, times=times, values=values)


def _fact(event: Event) -> Process | None:
    """What an event tells of a process; libraries, groups and the like it does not."""
    pid, start = event.details.get("pid"), event.details.get("start_ticks")
    if not isinstance(pid, int) or not isinstance(start, int):
        return None
    try:
        target = parse_target(event.target)
    except ValueError:
        return None
    words = event.text.split(" ")
    parent = event.details.get("parent", 0)
    return Process(
        key=event.target,
        pid=pid,
        start_ticks=start,
        start=event.at,
        ppid=parent if isinstance(parent, int) else 0,
        name=words[0].rpartition("/")[2][:15],
        state="S",
        command=words,
        netns=target.netns or HOST_NETNS,
    )
