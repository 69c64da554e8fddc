"""Whether users are hurt again and again at a steady period, and which program starts each time.

Told from our own recording's triggers and starts; without one nobody could look. That something
ran before one incident says little; before each of four it says much, if it does not run as often
without hurting anybody.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.event import Event
from weaklink.model.evidence import evidence
from weaklink.model.fact import Process
from weaklink.stats.period import LEAST, Period, period_of
from weaklink.stats.robust import ramp
from weaklink.words import sign

RETURNS = sign(
    "users.pain-returns",
    "users",
    "Users were hurt several times, at a steady period.",
    "users were hurt {count} times in {span:seconds}, every {period:seconds}",
)
RUNS_BEFORE = sign(
    "schedule.runs-before-each",
    "events",
    "The same program starts just before each time that users are hurt.",
    "{name} began {lag:seconds} before {matched} of {count} times[, as {by} runs it: {job}]",
)
FELT = frozenset({"slow", "errors", "goodput", "progress"})
"""Triggers that tell what users feel."""
ONE_BURST = 45.0
"""Seconds within which triggers tell of one and the same pain."""
STEADY = (0.2, 0.02)
"""Share of made-up moments that are as steady: one in five is nothing, one in fifty is enough."""
BEFORE, AFTER = 180.0, 2.0
"""Seconds before pain is felt within which its cause began; a trigger itself takes a few."""
MATCHED = (0.6, 0.9)
"""Share of the bursts that a start came before."""
HARMLESS = (0.4, 0.8)
"""Share of a program's starts that hurt: what runs each minute starts before everything."""
BY_CHANCE = 0.01
"""Chance, at most, that starts at random would come before as many bursts as closely."""
TOLD_TO = 4.0
"""Seconds added to the spread of lags: a trigger holds for some seconds first."""
LONGEST = 160
"""Characters of a command that an event keeps."""
_DIGITS = re.compile(r"\d+")


class Match(NamedTuple):
    """A program and how its starts go with the bursts."""

    starts: list[Event]
    matched: int
    lag: float
    strength: float


@look("changes")
def returning(view: View) -> Iterable[Judged]:
    """The period of users' pain, and the program that begins it."""
    bursts = bursts_of(view)
    if len(bursts) < LEAST:
        return
    period = period_of(bursts, slack=2.0)
    steady = ramp(period.chance, *STEADY) if period else 0.0
    yield evidence(
        RETURNS,
        view.host_key,
        steady,
        value=round(period.seconds, 1) if period else None,
        command="weaklink case list",
        count=len(bursts),
        period=round(period.seconds) if period else 0,
        span=round(bursts[-1] - bursts[0]),
    )
    own = {_DIGITS.sub("#", " ".join(p.command)[:LONGEST]) for p in _served_by(view)}
    found = matches(view.case.events, bursts)
    others = [match for match in found if _DIGITS.sub("#", match.starts[-1].text) not in own]
    best = max(others, key=_order, default=None)
    if best is None or period is None or steady <= 0:
        yield evidence(
            RUNS_BEFORE, view.host_key, 0.0, name="-", lag=0, matched=0, count=len(bursts)
        )
        return
    yield _told(view, best, bursts, period, min(steady, best.strength))


def _told(
    view: View, best: Match, bursts: Sequence[float], period: Period, strength: float
) -> Judged:
    last = _hardest(view, [event for event in best.starts if event.at >= bursts[-1] - BEFORE])
    last = last or best.starts[-1]
    by, job = str(last.details.get("by", "")), str(last.details.get("origin", ""))
    next_run = best.starts[-1].at + period.seconds
    while next_run < view.case.window[1]:
        next_run += period.seconds
    return evidence(
        RUNS_BEFORE,
        last.target,
        strength,
        value=round(best.lag, 1),
        command=f"ps -o pid,ppid,lstart,cmd -p {last.details.get('pid', '')}; crontab -l",
        name=program_of(last),
        pid=int(last.details.get("pid", 0)),
        lag=max(0, round(best.lag)),
        matched=best.matched,
        count=len(bursts),
        period=round(period.seconds),
        next=round(next_run),
        **({"by": by, "job": job[:80]} if by and job else {}),  # type: ignore[arg-type]
    )


def _served_by(view: View) -> list[Process]:
    """Processes of the chain: that they start again is no schedule."""
    return [process for link in view.on_chain() for process in view.members(link)]


def bursts_of(view: View) -> list[float]:
    """When users began to be hurt, each time; this time included."""
    told = spells(view.case.events)
    bursts = [first for first, _ in told]
    if told and view.onset is not None and view.onset > told[-1][1] + ONE_BURST:
        bursts.append(view.onset)
    return bursts


def spells(events: Iterable[Event]) -> list[tuple[float, float]]:
    """First and last trigger of each time that users were hurt, oldest first."""
    told: list[tuple[float, float]] = []
    for at in sorted(
        event.at
        for event in events
        if event.kind == "trigger" and event.details.get("trigger") in FELT
    ):
        if told and at - told[-1][1] <= ONE_BURST:
            told[-1] = told[-1][0], at
        else:
            told.append((at, at))
    return told


def matches(events: Iterable[Event], bursts: Sequence[float]) -> list[Match]:
    """Programs that began before nearly all bursts, and seldom otherwise."""
    groups: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        if event.kind == "process-start":
            groups[_group(event)].append(event)
    found = (_match(sorted(group, key=_at), bursts) for group in groups.values())
    return [match for match in found if match is not None]


def _match(starts: list[Event], bursts: Sequence[float]) -> Match | None:
    times = sorted({round(event.at) for event in starts})
    if len(times) < LEAST - 1:
        return None
    lags, used = [], set()
    for burst in bursts:
        begin, end = bisect_left(times, burst - BEFORE), bisect_right(times, burst + AFTER)
        if end > begin:
            lags.append(burst - times[end - 1])
            used.update(times[begin:end])
    if not lags:
        return None
    lag = sorted(lags)[(len(lags) - 1) // 2]
    close = [one for one in lags if abs(one - lag) <= max(TOLD_TO, lag / 2)]
    spread = max(close) - min(close) + TOLD_TO
    runs = _runs([at for at in times if bursts[0] - BEFORE <= at <= bursts[-1] + AFTER])
    span = bursts[-1] - bursts[0] + BEFORE
    chance = min(1.0, runs * spread / span) ** len(close)
    if chance > BY_CHANCE:
        return None
    strength = min(ramp(len(close) / len(bursts), *MATCHED), ramp(len(close) / runs, *HARMLESS))
    return Match(starts, len(close), lag, strength) if strength > 0 else None


def _runs(times: Sequence[float]) -> int:
    """How often it ran: what one run starts within seconds counts once."""
    return 1 + sum(1 for a, b in pairwise(times) if b - a > 2 * TOLD_TO)


def _order(match: Match) -> tuple[float, bool, float]:
    return match.strength, "origin" in match.starts[-1].details, -match.lag


def _group(event: Event) -> str:
    """What a schedule started goes by its line; else by its command, numbers left out."""
    if event.details.get("by") in ("cron", "unit"):
        return str(event.details.get("origin", ""))
    return _DIGITS.sub("#", event.text)


def _hardest(view: View, starts: Sequence[Event]) -> Event | None:
    """Of the processes of one run the one that worked most, else the one that began last."""
    return max(
        starts,
        key=lambda event: (
            view.rate("process_cpu_seconds_total", event.target) or 0.0,
            event.at,
        ),
        default=None,
    )


def program_of(event: Event) -> str:
    """The program, or the script that an interpreter runs."""
    words = event.text.split(" ")
    first = words[0].rpartition("/")[2]
    if len(words) > 1 and first.rstrip("0123456789.") in ("python", "sh", "bash", "perl", "node"):
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        return script.rpartition("/")[2][:60] or first
    return first[:60]


def _at(event: Event) -> float:
    return event.at
