"""A program that is started again and again: each time it dies, somebody brings it back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact import Process
from weaklink.stats.robust import ramp
from weaklink.words import sign

STARTS_AGAIN = sign(
    "process.starts-again",
    "events",
    "Processes of the link die and are started again while users hurt.",
    "since users hurt {started} processes of it were started[, {ended} ended while we looked]; the "
    "oldest that is left runs for {oldest:seconds}",
    hurts=True,
)

BEGAN = sign(
    "process.began-as-it-hurt",
    "events",
    "A process of the link, younger than the service, started just before or since users hurt.",
    "pid {pid} of it started {ago:seconds} ago, as users began to hurt",
)
JUST_BEFORE = (120.0, 40.0)
"""Seconds between the start and the onset: what has run for two minutes is as warm as it gets."""
AGAIN = (1.0, 3.0)
"""Starts since users hurt plus deaths within the window: one may be a deploy or a recycled worker,
three are a habit. What peers do counts half: a loop seldom stays with one member."""
UNSEEN = 0.6
"""Strength where no death was seen: a deploy starts each member once as well."""
SETTLED = 10.0
"""Seconds that the service's oldest process is older than a start that counts as another one."""
PER_REQUEST = 20
"""Starts within the window from which on it is one process a request (CGI, a database's sessions)
and no crash: no interpreter with a service in it starts three times a second."""


@look("process")
def began(view: View) -> Iterable[Judged]:
    """Whether a process of a link came to life as users began to hurt."""
    if view.onset is None:
        return
    for link in view.on_chain():
        members = view.members(link)
        if not members:
            continue
        youngest = max(members, key=lambda process: (process.start, process.pid))
        again = youngest.start >= _since(view, link, at=0.0)
        before = max(0.0, view.onset - youngest.start)
        yield evidence(
            BEGAN,
            youngest.key,
            ramp(before, *JUST_BEFORE) if again else 0.0,
            link=link.key,
            value=view.case.window[1] - youngest.start,
            command=f"ps -o pid,lstart,cmd -p {youngest.pid}",
            pid=youngest.pid,
            ago=round(view.case.window[1] - youngest.start),
        )


@look("process")
def restarts(view: View) -> Iterable[Judged]:
    """Deaths and births among the processes that are, or are like, a link's."""
    ended = Counter(event.target for event in view.case.events if event.kind == "process-exit")
    families: dict[tuple[str, ...], list[Process]] = defaultdict(list)
    for process in view.by_key.values():
        families[_family(process)].append(process)
    window = view.case.window
    lives: dict[str, Lives] = {}
    for link in view.on_chain():
        kin = _kin(view, link, families)
        if kin:
            since = _since(view, link)
            lives[link.key] = Lives(
                [process for process in kin if process.start >= since],
                [process for process in kin if ended[process.key]],
                [process for process in kin if not ended[process.key]],
            )
    for link in view.on_chain():
        if link.key not in lives:
            continue
        own = lives[link.key]
        peers = [lives[peer.key] for peer in view.chain.peers(link.key) if peer.key in lives]
        count = own.turns + sum(peer.turns for peer in peers) / 2
        strength = ramp(count, *AGAIN) if own.turns <= PER_REQUEST and own.births else 0.0
        youngest = max(own.births or own.living or own.deaths, key=lambda process: process.start)
        yield evidence(
            STARTS_AGAIN,
            youngest.key,
            strength if own.deaths else strength * UNSEEN,
            link=link.key,
            value=float(count),
            command="ps -eo pid,ppid,lstart,cmd --sort=-start_time | head",
            started=len(own.births),
            oldest=round(max((window[1] - one.start for one in own.living), default=0.0)),
            **({"ended": len(own.deaths)} if own.deaths else {}),  # type: ignore[arg-type]
        )


class Lives(NamedTuple):
    """What a link's processes went through: born since users hurt, dead in the window, alive."""

    births: list[Process]
    deaths: list[Process]
    living: list[Process]

    @property
    def turns(self) -> int:
        """Starts and deaths."""
        return len(self.births) + len(self.deaths)


def _since(view: View, link: Link, at: float | None = None) -> float:
    """From when on a start is a start again: since `at` (else since users hurt), and not as the
    service came up."""
    hurt = min(view.onset or view.case.window[0], view.case.window[0]) - 1.0 if at is None else at
    others = [
        process.start
        for other in view.on_chain()
        if other.key != link.key
        for process in view.members(other)
    ]
    return max(hurt, min(others) + SETTLED) if others else hurt


def _family(process: Process) -> tuple[str, ...]:
    """What is started again is the same program with the same arguments."""
    return (process.exe or process.name, *process.command)


def _kin(view: View, link: Link, families: dict[tuple[str, ...], list[Process]]) -> list[Process]:
    """Processes that are, or were within the window, what the link's are."""
    names = {_family(process) for process in view.members(link)}
    names |= {_family(view.by_key[key]) for key in link.processes if key in view.by_key}
    found = {process.key: process for name in names for process in families[name]}
    return [found[key] for key in sorted(found)]
