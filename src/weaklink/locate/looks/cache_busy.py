"""What keeps a cache from answering: expensive commands, told by its slow log and its clocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.cache import LEAST_LOOKUPS, lookups
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact import Process
from weaklink.model.finding import Finding
from weaklink.model.message import Argument, say
from weaklink.stats.robust import ramp
from weaklink.words import sign, texts

SLOW_COMMANDS = sign(
    "cache.slow-commands",
    "other-logs",
    "The cache's own slow log holds commands that blocked it since the pain began.",
    "{count} slow commands in {name}, up to {longest} ms: {command_}[, sent by {client}]",
    hurts=True,
)
SCANS = sign(
    "cache.busy-with-scans",
    "app-metrics",
    "The cache spends its one thread on commands whose cost grows with what it holds.",
    "{name} spends {percent} % of its time in commands such as {command_}",
    hurts=True,
)
ANSWERS_LATE = sign(
    "cache.answers-late",
    "kernel-counters",
    "The cache takes long to answer a PING: its one thread is busy with something else.",
    "a PING to {name} took {ms} ms",
)
texts(
    {
        "finding.cache.fine": "{name} (PING {ms} ms, hits {ratio})",
        "finding.cache.late": "{name} took {ms} ms to answer a PING",
    }
)

SCAN_SHARE = (0.15, 0.5)
"""Share of the wall clock spent in slow commands: one thread at 15 % delays one call in six."""
SLOW_COMMAND = 0.01
"""Seconds: the server's own default threshold of its slow log."""
LATE = (0.02, 0.2)
"""Seconds for a PING on one host: 0.1 ms is normal, 20 ms means that something blocks."""


@look("cache")
def busy(view: View) -> Iterable[Judged]:
    """For every cache on the chain: slow commands, time spent in them, and how late it answers."""
    for link in view.on_chain():
        if link.role != "cache":
            continue
        for key in link.processes:
            yield from _busy(view, link, key)


def _busy(view: View, link: Link, key: str) -> Iterable[Judged]:
    since = (view.onset or view.case.window[0]) - 5.0
    rows = [
        row
        for row in view.case.slow_commands
        if row.cache in (key, link.key) and row.at >= since and row.duration >= SLOW_COMMAND
    ]
    longest = max(rows, key=lambda row: row.duration, default=None)
    spent = sum(row.duration for row in rows)
    looked_at = any(
        "SLOWLOG" in touched
        for row in view.case.looks
        if row.name == "redis" and row.target == key
        for touched in row.touched
    )
    # The slow log is short: when it is full, it covers only the time since its oldest entry.
    since = max(since, min((row.at for row in rows), default=since))
    length = max(1.0, view.case.window[1] - since)
    if rows or looked_at:
        sender = _sender(view, [row.client for row in rows])
        extra: dict[str, Argument] = (
            {"client": f"{sender.name} (pid {sender.pid})"} if sender else {}
        )
        yield evidence(
            SLOW_COMMANDS,
            sender.key if sender else key,
            max(ramp(spent / length, 0.03, 0.25), 0.0),
            link=link.key,
            value=round(spent / length, 3),
            onset=None,
            command="redis-cli slowlog get 20",
            name=link.name,
            count=len(rows),
            longest=round(1000 * longest.duration) if longest else 0,
            command_=longest.command if longest else "-",
            **extra,  # type: ignore[arg-type]
        )
    share = view.rate("cache_slow_scan_seconds_total", key)
    if share is not None:
        yield evidence(
            SCANS,
            key,
            ramp(share, *SCAN_SHARE),
            link=link.key,
            value=round(share, 3),
            command="redis-cli info commandstats",
            name=link.name,
            percent=round(100 * share),
            command_=longest.command.split(" ")[0] if longest else "KEYS",
        )
    yield from _ping(view, link, key)


def _sender(view: View, clients: list[str]) -> Process | None:
    """The process on this machine that sent most of the slow commands, by its address."""
    owners = {
        connection.local: connection.pid
        for connection in view.case.connections
        if connection.pid in view.processes
    }
    pids = Counter(owners[client] for client in clients if client in owners)
    return view.processes[pids.most_common(1)[0][0]] if pids else None


def _ping(view: View, link: Link, key: str) -> Iterable[Judged]:
    row = view.series("cache_ping_seconds", key)
    if row is None or not row.values:
        return
    slowest = max(row.values)
    late = ramp(slowest, *LATE)
    yield evidence(
        ANSWERS_LATE,
        key,
        late,
        link=link.key,
        value=slowest,
        command="redis-cli --latency -i 1",
        name=link.name,
        ms=round(1000 * slowest, 1),
    )
    seen = lookups(view, key)
    ratio = seen.ratio if seen and seen.hits + seen.misses >= LEAST_LOOKUPS else None
    yield Finding(
        verdict="warn" if late else "healthy",
        target=key,
        subject="cache",
        message=say(
            "finding.cache.late" if late else "finding.cache.fine",
            name=link.name,
            ms=round(1000 * slowest, 2),
            ratio=round(ratio, 2) if ratio is not None else "?",
        ),
    )
