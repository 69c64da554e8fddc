"""Whether what runs was changed just before users hurt: code, configuration, packages, model.

An old deploy is never the cause. A process that merely started again (a crash, a supervisor) is no
deploy: there must be a file that is newer, and a start or reload that took it in, near the onset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.members import LEAST_ROWS, Given, bad_share, proxy_logs, slow_over
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.event import Event
from weaklink.model.evidence import evidence
from weaklink.stats.robust import ramp
from weaklink.words import sign

JUST_BEFORE = sign(
    "deploy.just-before",
    "events",
    "A file that the link runs from was changed, and the link took it in, just before users hurt.",
    "{what} was changed, and it started with it {ago} s before users hurt",
)
PEERS_DIFFER = sign(
    "deploy.only-the-changed-ones",
    "access-logs",
    "Members that started anew just before users hurt fare badly, those that did not are fine.",
    "{bad} % of the requests to members that started anew are bad, {fine} % of the others'",
)
BEFORE, AFTER = 120.0, 8.0
"""Seconds before and after the onset within which a start belongs to it: a model needs its time to
load, and a clock its slack."""
FRESH = 3600.0
"""Seconds between a file's change and the start that takes it in, for one deploy."""
GOOD_ROWS, GOOD_SHARE = 40, 0.95
"""What serves so many requests well after the change was taken in has shown that it works."""
SETTLED = 3.0
"""Seconds before the onset that are left out of this: the onset has its own uncertainty."""
CLEAR = (0.1, 0.4)


@look("changes")
def just_before(view: View) -> Iterable[Judged]:
    """For every link: the change that it took in nearest to the onset."""
    onset = view.onset
    if onset is None or not any(look.name == "changes" for look in view.case.looks):
        return
    for link in view.on_chain():
        if not link.processes:
            continue
        found = sorted(_taken_in(view, link, onset), key=lambda pair: abs(onset - pair[0]))
        at, event = found[0] if found else (0.0, None)
        if event is not None and _served_well(view, link, at, onset):
            at, event = 0.0, None
        yield evidence(
            JUST_BEFORE,
            event.target if event else link.processes[0],
            _near(onset - at) if event else 0.0,
            link=link.key,
            onset=at if event else None,
            plus_minus=5.0,
            command=f"ls -l --time-sort {event.source}" if event else "",
            what=event.text if event else "-",
            ago=round(onset - at),
        )


def _served_well(view: View, link: Link, taken: float, onset: float) -> bool:
    """Whether it answered enough requests well between taking the change in and the onset."""
    end = onset - SETTLED
    rows = [
        status
        for log in proxy_logs(view)
        for address, given in log.before.items()
        for at, _, status in given
        if taken <= at <= end and view.book.serving(address, log.proxy.netns) == link
    ]
    for log in view.case.requests:
        # Who is not called by a proxy is judged by the entry's users: they all went through it.
        if not rows and link.on_chain:
            rows = [log.status[i] for i in range(len(log)) if taken <= log.end[i] <= end]
    good = sum(1 for status in rows if status < 500 and status != 499)
    return good >= GOOD_ROWS and good >= GOOD_SHARE * len(rows)


def _near(ago: float) -> float:
    return ramp(ago, BEFORE, 0.5 * BEFORE) if ago >= 0 else ramp(-ago, AFTER, 0.5 * AFTER)


def _taken_in(view: View, link: Link, onset: float) -> Iterator[tuple[float, Event]]:
    """(when it was taken in, the change) of a link's files."""
    own = set(link.processes)
    starts = [view.by_key[key].start for key in link.processes if key in view.by_key]
    for event in view.case.events:
        if event.target not in own:
            continue
        if event.kind == "code-change" and event.details.get("loaded") == 1:
            later = [at for at in starts if event.at - 2.0 <= at <= event.at + FRESH]
            taken = min(later, default=None, key=lambda at: abs(at - onset))
        elif event.kind == "config-change":
            reload = event.details.get("reload")
            taken = reload if isinstance(reload, float) else None
        else:
            continue
        if taken is not None and onset - BEFORE <= taken <= onset + AFTER:
            yield taken, event


@look("changes")
def only_the_changed(view: View) -> Iterable[Judged]:
    """Members that started anew against those that did not, by what the proxy's log says."""
    onset = view.onset
    if onset is None:
        return
    for log in proxy_logs(view):
        over = slow_over(log)
        new: list[Given] = []
        old: list[Given] = []
        links: list[Link] = []
        for address, rows in log.since.items():
            link = view.book.serving(address, log.proxy.netns)
            if link is None or not link.processes:
                continue
            starts = [view.by_key[key].start for key in link.processes if key in view.by_key]
            anew = bool(starts) and min(starts) >= onset - BEFORE
            (new if anew else old).extend(rows)
            if anew:
                links.append(link)
        if len(new) < LEAST_ROWS or len(old) < LEAST_ROWS:
            continue
        bad, fine = bad_share(new, over), bad_share(old, over)
        for link in links:
            yield evidence(
                PEERS_DIFFER,
                link.processes[0],
                ramp(bad - fine, *CLEAR),
                link=link.key,
                value=round(bad, 3),
                baseline=round(fine, 3),
                bad=round(100 * bad),
                fine=round(100 * fine),
            )
