"""The users' requests as rows in order of their start, with what counts as an error or as shed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.chain import Chain
from weaklink.model.requests import Requests

GAVE_UP = 499
"""nginx: the client closed the connection before an answer came."""
GAVE_UP_AFTER = 1.0
"""Seconds: a client that leaves earlier has changed its mind, later it has lost patience."""
OURS_WITHIN = 1.0
"""Seconds between our sending a GET and its start in a log that may write whole seconds."""
SHED_WITHIN = 0.05
"""Seconds: a 503 without upstream and this quick is a limiter's word, not a failure."""


class Ask(NamedTuple):
    """One request. `at` is its start, or its end where the log has no duration."""

    at: float
    end: float
    duration: float | None
    status: int
    route: str
    path: str
    client: str
    upstream: str
    sent: int
    error: bool
    shed: bool


def is_shed(status: int, duration: float | None, upstream: str) -> bool:
    """A refusal on purpose: 429, or a 503 that the proxy gave by itself at once."""
    if status == 429:
        return True
    return status == 503 and not upstream and duration is not None and duration <= SHED_WITHIN


def is_error(status: int, duration: float | None, upstream: str) -> bool:
    """Users got no answer: 5xx that is not shed, or they lost patience."""
    if status == GAVE_UP:
        return duration is not None and duration >= GAVE_UP_AFTER
    return status >= 500 and not is_shed(status, duration, upstream)


def asks_of(logs: Iterable[Requests], since: float = 0.0, until: float = 0.0) -> list[Ask]:
    """Rows of all logs, ordered by start; `since` and `until` (0: open) bound the start."""
    rows: list[Ask] = []
    for log in logs:
        for i in range(len(log)):
            start, end = log.start[i], log.end[i]
            at = end if start is None else start
            if at < since or (until and at > until):
                continue
            duration, status, upstream = log.duration[i], log.status[i], log.upstream[i]
            rows.append(
                Ask(
                    at,
                    end,
                    duration,
                    status,
                    log.route[i],
                    log.path[i],
                    log.client[i],
                    upstream,
                    log.sent[i],
                    is_error(status, duration, upstream),
                    is_shed(status, duration, upstream),
                )
            )
    rows.sort(key=lambda ask: ask.at)
    return rows


def without_ours(case: Case, entry: str, asks: list[Ask]) -> list[Ask]:
    """The same rows without the few GETs that we sent ourselves, from the entry's own address."""
    link = case.chain.link(entry)
    sent = sorted(answer.at for answer in case.answers if answer.link == entry)
    if link is None or not sent:
        return asks
    hosts = {address.rpartition(":")[0].strip("[]") for address in link.listen}
    hosts |= {"127.0.0.1", "::1"}
    return [
        ask
        for ask in asks
        if ask.client not in hosts or not any(abs(ask.at - at) < OURS_WITHIN for at in sent)
    ]


def logs_by_entry(case: Case) -> dict[str, list[Requests]]:
    """For each entry the logs that tell how its users fare: its own, else of the first below it.

    Without a chain, all logs together under the key "".
    """
    filled = [log for log in case.requests if len(log)]
    if not case.chain.links:
        return {"": filled} if filled else {}
    found: dict[str, list[Requests]] = {}
    for entry in case.chain.links:
        if not entry.entry:
            continue
        for key in walk(case.chain, entry.key):
            logs = [log for log in filled if log.link == key]
            if logs:
                found[entry.key] = logs
                break
    return found


def walk(chain: Chain, entry: str) -> list[str]:
    """Keys of the links from an entry down, breadth first, the entry included."""
    todo = [entry]
    seen: list[str] = []
    while todo:
        key = todo.pop(0)
        if key not in seen:
            seen.append(key)
            todo.extend(link.key for link in chain.callees(key))
    return seen
