"""Who gave many keys of a cache their end: the burst of commands, and who ran at that moment.

Keys that are gone cannot be asked. What is left, in a recording, is the moment at which the cache
was told to change so many ends, and the program whose life goes with that moment.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.periods import program_of
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.event import Event
from weaklink.model.evidence import evidence
from weaklink.stats.robust import log_ramp
from weaklink.words import sign

SET_BY = sign(
    "cache.expiry-set-by",
    "events",
    "A program ran just when the cache was told to change the end of many keys, before they went.",
    "{name} (pid {pid}) ran {ago:seconds} before users hurt, when {keys} keys of {cache} were "
    "given an end[, as {by} runs it: {job}]",
)
COMMANDS = ("cache_expire_commands_total", "cache_set_commands_total")
LEAST_KEYS = 100
TIMES = (5.0, 20.0)
"""Times the usual rate of such commands."""
USUAL = 0.5
"""Commands a second that are usual at least: one key set in a quiet minute is no rate."""
BEGAN_BEFORE = 60.0
"""Seconds that a program may run before its commands begin: it looks for the keys first."""
SLACK = 2.0
LEAST_ALONE = 0.5
"""One of two programs may be said, one of three is a guess."""


class Burst(NamedTuple):
    """Commands between two readings; `times` the usual rate."""

    begin: float
    end: float
    keys: float
    times: float


@look("cache")
def expiry_setters(view: View) -> Iterable[Judged]:
    """For every cache of the chain whose recording goes back before users hurt."""
    if view.onset is None:
        return
    for link in view.on_chain():
        if link.role != "cache":
            continue
        for key in link.processes:
            bursts = [burst for name in COMMANDS for burst in _bursts(view, name, key)]
            if bursts:
                yield from _told(view, link, max(bursts, key=lambda burst: burst.keys))


def _told(view: View, link: Link, burst: Burst) -> Iterator[Judged]:
    found = _who(view, burst, link)
    if found is None or found[1] < LEAST_ALONE:
        return
    event, alone = found
    by, job = str(event.details.get("by", "")), str(event.details.get("origin", ""))
    yield evidence(
        SET_BY,
        event.target,
        alone * log_ramp(burst.times, *TIMES),
        link=link.key,
        value=round(burst.keys),
        command="redis-cli info commandstats; crontab -l",
        name=program_of(event),
        pid=int(event.details.get("pid", 0)),
        ago=max(0, round((view.onset or 0.0) - event.at)),
        keys=round(burst.keys),
        cache=link.name,
        **({"by": by, "job": job[:80]} if by and job else {}),  # type: ignore[arg-type]
    )


def _bursts(view: View, quantity: str, key: str) -> Iterator[Burst]:
    """Stretches before users hurt in which far more such commands came than usual."""
    rows = list(_readings(view, quantity, key))
    if len(rows) < 4:
        return
    onset = view.onset or 0.0
    steps = [
        (a, b, counted - before)
        for (a, before), (b, counted) in pairwise(rows)
        if b > a and counted >= before
    ]
    rates = sorted(grown / (b - a) for a, b, grown in steps)
    if not rates:
        return
    usual = max(USUAL, rates[len(rates) // 2])
    for begin, end, grown in steps:
        late = begin >= onset if quantity == COMMANDS[0] else end > onset + SLACK
        if grown >= LEAST_KEYS and not late:
            yield Burst(begin, end, grown, grown / (end - begin) / usual)


def _readings(view: View, quantity: str, key: str) -> Iterator[tuple[float, float]]:
    """What it counted, from the half hour before on."""
    last = 0.0
    for row in (view.remembered(quantity, key), view.series(quantity, key)):
        if row is None:
            continue
        for at, value in zip(row.times, row.values, strict=True):
            if at > last:
                last = at
                yield at, value


def _who(view: View, burst: Burst, link: Link) -> tuple[Event, float] | None:
    """The program off the chain whose life goes with the burst, and how alone it stands there.

    Whose command names the cache comes first, then what a schedule began. Of several that are alike
    each is as likely.
    """
    chained = {process for one in view.on_chain() for process in one.processes}
    ended = {event.target: event.at for event in view.case.events if event.kind == "process-exit"}
    tiers: dict[tuple[bool, bool], list[Event]] = defaultdict(list)
    for event in view.case.events:
        if (
            event.kind == "process-start"
            and event.target not in chained
            and burst.begin - BEGAN_BEFORE <= event.at <= burst.end + SLACK
            and ended.get(event.target, burst.end) >= burst.begin - SLACK
        ):
            scheduled = event.details.get("by") in ("cron", "unit")
            tiers[_names_it(event, link), scheduled].append(event)
    if not tiers:
        return None
    best = tiers[max(tiers)]
    programs = {program_of(event) for event in best}
    return max(best, key=lambda event: event.at), 1 / len(programs)


def _names_it(event: Event, link: Link) -> bool:
    """Whether its command names the cache's address or port."""
    words = {word for text in event.text.split() for word in re.split(r"[:/@=]", text)}
    ports = {address.rpartition(":")[2] for address in link.listen}
    return bool(words & ports) or any(address in event.text for address in link.listen)
