"""Logs of the chain's own processes: what they say of failed calls, and requests they answered.

Found by descriptors, tailed when the window is over. How large each was at every tick is kept, so
that lines without a time (uvicorn writes none) can be placed within the window at least.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.chain import Link
from weaklink.model.fact import LogFile, Process
from weaklink.model.fact_software import Software
from weaklink.model.look import Look, Outcome
from weaklink.model.message import Message, say
from weaklink.model.requests import Requests
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.model.target import target_key
from weaklink.parse.access_log import Columns, guess, to_requests
from weaklink.parse.app_access import unit_of
from weaklink.parse.app_log import AppLogReader, Origin
from weaklink.parse.app_log_tools import report_in, tables_for
from weaklink.parse.log_clock import LogClock, clock_for
from weaklink.parse.log_dress import form_of, undress
from weaklink.parse.routes import Routes
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.log_tail import BLOCK, Tail
from weaklink.reach.memory import memory
from weaklink.reach.open_logs import OpenLog, open_logs
from weaklink.reach.registry import probe
from weaklink.reach.root import Root
from weaklink.words import texts

texts(
    {
        "app-logs.none": "no process of the chain holds a log open that could be read",
        "app-logs.pipe": "the output of {name} goes to a pipe: only who reads it knows it "
        "(journalctl, docker logs)",
        "app-logs.hidden": "logs of {name}: its open files may not be seen",
        "app-logs.denied": "log {path}: may not be read",
        "app-logs.failed": "log {path}: {reason}",
    }
)

PAST = 900.0
"""Seconds before the window that are wanted: enough for a baseline and for most onsets."""
MAX_BYTES = 2 << 20
"""Of one log; and of all together:"""
MAX_ALL_BYTES = 8 << 20
MAX_CPU = 1.0
"""Thread CPU seconds for all logs together."""
MAX_LINKS, MAX_PIDS = 24, 12
MAX_SEGMENT = 1 << 20
MAX_REPORTS = 120
ROLES = frozenset({"app", "inference", "proxy", "store", "unknown", "job"})
"""Caches and databases have sources of their own."""
OTHERS = frozenset({"nginx", "redis-server", "postgres"})
GAUGES = {
    "running": "engine_requests_running",
    "waiting": "engine_requests_waiting",
    "kv_used": "engine_kv_used_ratio",
    "output_rate": "engine_output_tokens_rate",
}


@dataclass
class Sizes:
    """Logs of the chain, and how large each was at each tick, by identity."""

    logs: dict[tuple[int, int], tuple[OpenLog, str, str]] = field(default_factory=dict)
    """(log, key of its link, key of its process)."""
    sizes: dict[tuple[int, int], list[tuple[float, int]]] = field(default_factory=dict)
    pipes: dict[str, str] = field(default_factory=dict)
    """Names of links whose output goes where we cannot read it, by process key."""
    hidden: dict[str, str] = field(default_factory=dict)
    """Names of links whose descriptors we may not see."""
    found: bool = False


@probe(
    "app-log-sizes",
    subject="app",
    phase="tick",
    about="logs that processes of the chain hold open, and how they grow",
)
def app_log_sizes(reach: Reach, case: Case) -> Take:
    """Nothing but what the last look needs: where the logs lie and how large they were."""
    kept = memory(reach.root, "app-logs", Sizes)
    if not kept.found:
        _find(reach, case, kept)
        kept.found = True
    if not kept.logs and not kept.pipes and not kept.hidden:
        raise NotHere(say("app-logs.none"))
    at = reach.now()
    for identity, (log, _, _) in kept.logs.items():
        try:
            size = _stat(reach.root, log)
        except OSError:
            continue
        kept.sizes.setdefault(identity, []).append((at, size))
    return Take()


def _stat(root: Root, log: OpenLog) -> int:
    import os

    return os.stat(log.where).st_size  # noqa: PTH116 - a path of /proc


def _find(reach: Reach, case: Case, kept: Sizes) -> None:
    known = {log.path for log in case.logs}
    for link in _links(case)[:MAX_LINKS]:
        members = [p for p in case.processes if p.pid in set(link.pids)][:MAX_PIDS]
        for process in members:
            logs, elsewhere = open_logs(reach, process)
            for log in logs:
                if log.path not in known:
                    owner = members[0].key
                    kept.logs.setdefault(log.identity, (log, link.key, owner))
            if elsewhere and not logs:
                where = kept.hidden if "denied" in elsewhere else kept.pipes
                where.setdefault(members[0].key, link.name)


def _links(case: Case) -> list[Link]:
    return [
        link
        for link in case.chain.links
        if link.on_chain and link.role in ROLES and link.program not in OTHERS
    ]


@probe(
    "app-logs",
    subject="app",
    phase="last",
    about="logs of the chain's own processes: errors, failed calls, exceptions, answered requests",
)
def app_logs(reach: Reach, case: Case) -> Take:
    """AppLog and AppSaying facts, Requests of access lines, an engine's own reports as readings."""
    kept = memory(reach.root, "app-logs", Sizes)
    if not kept.found:
        _find(reach, case, kept)
        kept.found = True
    looks = [
        _look(reach, owner, "absent", say("app-logs.pipe", name=name))
        for owner, name in kept.pipes.items()
    ]
    looks += [
        _look(reach, owner, "denied", say("app-logs.hidden", name=name))
        for owner, name in kept.hidden.items()
    ]
    if not kept.logs and not looks:
        raise NotHere(say("app-logs.none"))
    facts: list[Software] = []
    requests: list[Requests] = []
    logs: list[LogFile] = []
    readings: list[Reading] = []
    by_key = {process.key: process for process in case.processes}
    links = {link.key: link for link in case.chain.links}
    started = time.thread_time()
    spent = 0
    for identity, (log, link_key, owner) in kept.logs.items():
        if spent >= MAX_ALL_BYTES or time.thread_time() - started >= MAX_CPU:
            break
        process, link = by_key.get(owner), links.get(link_key)
        if process is None or link is None:
            continue
        try:
            got = _read(reach, case, log, process, link, kept.sizes.get(identity, []))
        except PermissionError:
            looks.append(_look(reach, owner, "denied", say("app-logs.denied", path=log.path)))
            continue
        except OSError as error:
            reason = say("app-logs.failed", path=log.path, reason=error.strerror or "unreadable")
            looks.append(_look(reach, owner, "failed", reason))
            continue
        spent += got.bytes
        facts += got.facts
        readings += got.readings
        if got.requests is not None:
            requests.append(got.requests)
            logs.append(
                LogFile(
                    owner=owner, path=log.path, kind="access", format="app", bytes=log.size,
                    modified=log.modified, key=got.requests.source,
                )
            )  # fmt: skip
    return Take(software=facts, requests=requests, logs=logs, readings=readings, looks=looks)


class _Got(NamedTuple):
    facts: list[Software]
    requests: Requests | None
    readings: list[Reading]
    bytes: int


def _read(
    reach: Reach,
    case: Case,
    log: OpenLog,
    process: Process,
    link: Link,
    sizes: list[tuple[float, int]],
) -> _Got:
    with Tail(log.where) as tail:
        sizes = [(at, size) for at, size in sizes if size <= tail.size] or [
            (case.window[0] or reach.now(), tail.size)
        ]
        begin_at, begin = sizes[0]
        newest = [line for line in tail.lines_at(max(0, tail.size - BLOCK), BLOCK) if line]
        form = form_of(newest[-200:])
        bare = [undress(line, clock_for([], 0.0)).text for line in newest[-400:]]
        clock = clock_for(bare if form != "json" else newest, tail.modified)
        wanted = min(begin_at, reach.now()) - PAST
        tail.position = begin
        past = _past(tail, clock, wanted)
        reader = AppLogReader(
            Origin(process.key, log.path, form),
            clock,
            tools=tables_for(bare),
            unit=unit_of(process.command),
            sample=newest[-200:],
        )
        started = time.thread_time()
        for block in past.blocks:
            reader.add(block)
            if time.thread_time() - started > MAX_CPU / 2:
                break
        timed = reader.first is not None
        ends = [*sizes[1:], (reach.now(), tail.size)]
        segments = [
            (at, _segment(tail, low, high))
            for (_, low), (at, high) in zip(sizes, ends, strict=True)
            if high > low
        ]
        for at, lines in segments:
            reader.add(lines, fallback=at)
        read = tail.size - tail.position
    covered = past.covered if timed and past.covered else begin_at
    source = target_key("log", log.path, host=case.host.name, netns=link.netns)
    whole = all(at == int(at) for at, _ in reader.access.rows[-50:])
    exact = timed and not whole
    requests = reader.access.requests(source, covered, 0.001 if exact else 1.0)
    if link.role == "proxy" and form == "json":
        blocks = [*past.blocks, *(lines for _, lines in segments)]
        requests = _of_proxy(blocks, newest, source, covered) or requests
    return _Got(
        facts=list(reader.facts(covered, reach.now())),
        requests=requests,
        readings=_reports([*past.blocks, newest], clock, process.key),
        bytes=read,
    )


def _of_proxy(
    blocks: list[list[str]], sample: list[str], source: str, covered: float
) -> Requests | None:
    """Requests of a proxy that logs JSON (Envoy, Traefik, Caddy), with the members it chose."""
    reader = guess(sample[-200:])
    if reader is None:
        return None
    columns = Columns(reader, Routes())
    for lines in blocks:
        columns.add(lines)
    return to_requests([columns], source=source, covered_from=covered) if len(columns) else None


class _Past(NamedTuple):
    blocks: list[list[str]]
    covered: float


def _past(tail: Tail, clock: LogClock, wanted: float) -> _Past:
    """Blocks before the window, oldest first, and from when on nothing is missing."""
    blocks: list[list[str]] = []
    covered = 0.0
    for block in tail.backwards(BLOCK):
        blocks.append(block)
        dated = (undress(line, clock).at for line in block[:200] if line)
        first = next((at for at in dated if at is not None), None)
        if first is not None:
            covered = first
            if first < wanted:
                break
        if tail.size - tail.position >= MAX_BYTES:
            break
    return _Past(blocks[::-1], max(covered, wanted) if covered else 0.0)


def _segment(tail: Tail, low: int, high: int) -> list[str]:
    """Whole lines between two sizes that the log had."""
    low = max(low, high - MAX_SEGMENT)
    return tail.lines_at(max(0, low - 1), high - max(0, low - 1))


def _reports(blocks: list[list[str]], clock: LogClock, target: str) -> list[Reading]:
    """An engine's own reports (queue, KV cache, speed) as readings."""
    found: dict[tuple[str, float], float] = {}
    for line in [line for block in blocks for line in block][-20_000:]:
        sample = report_in(line)
        at = undress(line, clock).at if sample is not None else None
        if sample is None or at is None:
            continue
        for role, name in GAUGES.items():
            value = getattr(sample, role)
            if value is not None:
                found[name, at] = value
    rows = sorted(found.items(), key=lambda row: row[0][1])[-MAX_REPORTS * len(GAUGES) :]
    return [Reading(quantity=name, target=target, at=at, value=value) for (name, at), value in rows]


def _look(reach: Reach, owner: str, outcome: Outcome, reason: Message) -> Look:
    return Look(
        name="app-logs",
        target=owner,
        outcome=outcome,
        at=reach.now(),
        reason=reason,
        remedy="run as root" if outcome == "denied" else "",
    )
