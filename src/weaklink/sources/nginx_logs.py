"""What nginx wrote about its users: access logs as Requests, error logs as events.

Read when the window is over, so that it is included: the last minutes whole, older parts by a few
blocks. `covered_from` says from when on nothing is missing; rows before it are a sample.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.event import Event
from weaklink.model.fact import LogFile, Process
from weaklink.model.look import Look, Outcome
from weaklink.model.message import Message, say
from weaklink.model.requests import Requests
from weaklink.model.take import Take
from weaklink.parse.access_log import Columns, FormatError, LineReader, reader_for, to_requests
from weaklink.parse.nginx_error import group_errors, read_error_line, worth_telling
from weaklink.parse.routes import Routes
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.log_tail import BLOCK, Tail
from weaklink.reach.owner_files import (
    leads_to_device,
    open_files,
    owner_path,
    regular,
)
from weaklink.reach.registry import probe
from weaklink.words import texts

texts(
    {
        "nginx-logs.none": "no access log of a proxy is known here",
        "nginx-logs.off": "access log switched off in {file}",
        "nginx-logs.elsewhere": "access log goes to {path}, which cannot be read back",
        "nginx-logs.variable": "access log {path}: its name has a variable",
        "nginx-logs.gone": "access log {path}: not there",
        "nginx-logs.denied": "access log {path}: may not be read",
        "nginx-logs.failed": "access log {path}: {reason}",
        "nginx-logs.no-fit": "access log {path}: its lines fit no known format",
        "nginx-logs.format": "access log {path}: {reason}",
        "nginx-logs.misfits": "access log {path}: {skipped} of {lines} lines fit no known format",
        "nginx-logs.no-duration": "access log {path}: no request times in its format",
        "nginx-errors.denied": "error log {path}: may not be read",
        "nginx-errors.failed": "error log {path}: {reason}",
    }
)

PAST = 900.0
"""Seconds before the window that are wanted: enough for a baseline and for most onsets."""
MAX_LOG_BYTES = 24 << 20
MAX_CPU = 1.0
"""Thread CPU seconds for all logs together."""
MAX_ROWS = 60_000
KEPT_BACK = 0.7
"""Seconds of the deadline kept for putting rows together and for the error logs."""
SAMPLES = 16
SAMPLE_BYTES = 64 << 10
MAX_ERROR_BYTES = 1 << 20
MAX_ERROR_EVENTS = 200
MISFITS = 0.1
"""A share of unreadable lines that is worth a line under UNSEEN."""


class Budget(NamedTuple):
    """What one log may cost."""

    bytes: int
    cpu: float
    rows: int
    until: float = math.inf
    """Monotonic seconds: on a starved host a second of CPU takes many; the newest part is kept."""


@probe(
    "nginx-logs",
    subject="proxy",
    phase="last",
    about="access and error logs of nginx: what users asked and how it ended",
)
def nginx_logs(reach: Reach, case: Case) -> Take:
    """Requests and error events of every log that the configuration names."""
    access = _distinct([log for log in case.logs if log.kind == "access" and not log.same_as])
    errors = _distinct([log for log in case.logs if log.kind == "error"])
    if not access and not errors:
        raise NotHere(say("nginx-logs.none"))
    owners = {process.key: process for process in case.processes}
    requests: list[Requests] = []
    looks: list[Look] = []
    events: list[Event] = []
    readable: list[tuple[LogFile, str]] = []
    writes = {log.owner for log in access if log.path != "off"}
    for log in access:
        if log.path == "off" and log.owner in writes:
            continue  # switched off in one place (`/healthz`), written in another
        path, problem = log_path(reach, owners.get(log.owner), log)
        if problem is not None:
            looks.append(problem)
        else:
            readable.append((log, path))
    wanted_from = min(reach.now(), case.window[0] or reach.now()) - PAST
    share = max(1, len(readable))
    begin, left = time.monotonic(), max(0.0, reach.left() - KEPT_BACK)
    for number, (log, path) in enumerate(readable, 1):
        until = begin + left * number / share
        budget = Budget(MAX_LOG_BYTES // share, MAX_CPU / share, MAX_ROWS // share, until)
        got, look = read_access(reach, log, path, wanted_from, budget)
        if got is not None:
            requests.append(got)
        if look is not None:
            looks.append(look)
    for log in errors:
        got_events, look = _read_errors(reach, owners.get(log.owner), log, case, wanted_from)
        events += got_events
        if look is not None:
            looks.append(look)
    return Take(requests=requests, events=events, looks=looks)


def read_access(
    reach: Reach, log: LogFile, where: str, wanted_from: float, budget: Budget
) -> tuple[Requests | None, Look | None]:
    """One log's Requests from `wanted_from` on, or why not (a Look)."""
    try:
        with Tail(where) as tail:
            return _read(reach, log, where, tail, wanted_from, budget)
    except PermissionError:
        return None, _look(reach, log, "denied", say("nginx-logs.denied", path=log.path))
    except FormatError as error:
        from weaklink.words import render

        reason = render(error.reason)
        return None, _look(
            reach, log, "failed", say("nginx-logs.format", path=log.path, reason=reason)
        )
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return None, _look(
            reach, log, "failed", say("nginx-logs.failed", path=log.path, reason=reason)
        )


def _read(
    reach: Reach, log: LogFile, where: str, tail: Tail, wanted_from: float, budget: Budget
) -> tuple[Requests | None, Look | None]:
    sample = tail.lines_at(max(0, tail.size - SAMPLE_BYTES), SAMPLE_BYTES)
    reader = reader_for(log.format, [line for line in sample if line][-100:], log.servers)
    if tail.size == 0:
        covered = max(wanted_from, min(tail.modified, reach.now()))
        return Requests(source=log.key or log.path, covered_from=covered), None
    if reader is None:
        return None, _look(reach, log, "failed", say("nginx-logs.no-fit", path=log.path))
    routes = Routes()
    started = time.thread_time()
    parts, covered = _newest(tail, reader, routes, wanted_from, budget)
    whole_log = tail.position == 0
    left = Budget(
        budget.bytes - (tail.size - tail.position),
        budget.cpu - (time.thread_time() - started),
        budget.rows - sum(len(part) for part in parts),
        budget.until,
    )
    late = time.monotonic() >= budget.until
    if late:
        pass  # what is older is not looked at, and `covered_from` says so
    elif whole_log and covered > wanted_from and min(left[:3]) > 0:
        older = _rotated(where, reader, routes, wanted_from, left)
        if older:
            parts = [*older[0], *parts]
            covered = older[1]
    elif covered > wanted_from:
        span = max((max(part.end) for part in parts if part.end), default=covered) - covered
        parts = [*_sampled(tail, reader, routes, span, covered - wanted_from), *parts]
    requests = to_requests(parts, source=log.key or log.path, covered_from=covered)
    return requests, _doubts(reach, log, reader, requests)


def _newest(
    tail: Tail, reader: LineReader, routes: Routes, wanted_from: float, budget: Budget
) -> tuple[list[Columns], float]:
    """(parts in the order of the file, from when on nothing is missing)."""
    parts: list[Columns] = []
    covered = 0.0
    rows, started = 0, time.thread_time()
    for lines in tail.backwards(BLOCK):
        part = Columns(reader, routes)
        part.add(lines)
        parts.append(part)
        rows += len(part)
        if part.end:
            covered = min(part.end)
        spent = tail.size - tail.position
        if (
            (part.end and covered < wanted_from)
            or rows >= budget.rows
            or spent >= budget.bytes
            or time.thread_time() - started >= budget.cpu
            or time.monotonic() >= budget.until
        ):
            break
    return parts[::-1], covered


def _rotated(
    where: str, reader: LineReader, routes: Routes, wanted_from: float, budget: Budget
) -> tuple[list[Columns], float] | None:
    """The end of the log's predecessor, where it was rotated within the time wanted."""
    older = regular(f"{where}.1")
    if older is None or older.st_mtime < wanted_from:
        return None
    try:
        with Tail(f"{where}.1") as tail:
            parts, covered = _newest(tail, reader, routes, wanted_from, budget)
    except OSError:
        return None
    return (parts, covered) if any(len(part) for part in parts) else None


def _sampled(
    tail: Tail, reader: LineReader, routes: Routes, span: float, wanted: float
) -> list[Columns]:
    """Blocks at even distances over the part that was too long to read, oldest first.

    `span` is how many seconds the part lasts that was read, `wanted` how many more are wanted.
    """
    newest = tail.size - tail.position
    # As many bytes a second as in the part that was read: where that is wrong, times still tell.
    reach_back = int(newest / max(1.0, span) * wanted)
    begin = max(0, tail.position - reach_back)
    step = max(SAMPLE_BYTES, (tail.position - begin) // SAMPLES)
    parts = []
    for offset in range(begin, max(begin, tail.position - SAMPLE_BYTES), step):
        part = Columns(reader, routes)
        part.add(tail.lines_at(offset, SAMPLE_BYTES))
        parts.append(part)
    return parts[:SAMPLES]


def _doubts(reach: Reach, log: LogFile, reader: LineReader, requests: Requests) -> Look | None:
    lines = len(requests) + requests.skipped
    if lines and requests.skipped / lines >= MISFITS:
        reason = say("nginx-logs.misfits", path=log.path, skipped=requests.skipped, lines=lines)
        return _look(reach, log, "failed", reason)
    if not reader.has_duration:
        return _look(reach, log, "absent", say("nginx-logs.no-duration", path=log.path))
    return None


def log_path(reach: Reach, owner: Process | None, log: LogFile) -> tuple[str, Look | None]:
    """(path on our side, why it cannot be read)."""
    if log.path == "off":
        return "", _look(reach, log, "absent", say("nginx-logs.off", file=log.owner))
    if log.path.startswith("syslog:") or not log.path.startswith("/"):
        return "", _look(reach, log, "absent", say("nginx-logs.elsewhere", path=log.path))
    if "$" in log.path:
        return "", _look(reach, log, "absent", say("nginx-logs.variable", path=log.path))
    if log.path.startswith("/dev/"):
        return "", _look(reach, log, "absent", say("nginx-logs.elsewhere", path=log.path))
    if owner is None:
        return log.path, None
    number = _open_number(reach, owner, log.path)
    if number is not None:
        return reach.root.real(f"/proc/{owner.pid}/fd/{number}"), None
    try:
        if leads_to_device(reach, owner, log.path):
            return "", _look(reach, log, "absent", say("nginx-logs.elsewhere", path=log.path))
        return owner_path(reach, owner, log.path), None
    except PermissionError:
        return "", _look(reach, log, "denied", say("nginx-logs.denied", path=log.path))
    except OSError:
        return "", _look(reach, log, "absent", say("nginx-logs.gone", path=log.path))


def _open_number(reach: Reach, owner: Process, path: str) -> int | None:
    """The owner's descriptor of a log that no longer lies under its name, None where it does."""
    found = None
    for number, target in open_files(reach, owner.pid).items():
        if target == path:
            return None
        moved = target.startswith((f"{path}.", f"{path}-")) or target == f"{path} (deleted)"
        if moved and not target.endswith((".gz", ".xz", ".zst")):
            found = number
    return found


def _read_errors(
    reach: Reach, owner: Process | None, log: LogFile, case: Case, wanted_from: float
) -> tuple[list[Event], Look | None]:
    path, problem = log_path(reach, owner, log)
    if problem is not None:
        denied = problem.outcome == "denied"
        reason = say("nginx-errors.denied", path=log.path)
        return [], (_look(reach, log, "denied", reason) if denied else None)
    lines = []
    try:
        with Tail(path) as tail:
            for block in tail.backwards(BLOCK):
                read = [read_error_line(line, case.host.utc_offset) for line in block if line]
                found = [line for line in read if line is not None]
                lines += [x for x in found if x.at >= wanted_from and worth_telling(x)]
                spent = tail.size - tail.position
                if spent >= MAX_ERROR_BYTES or (found and found[0].at < wanted_from):
                    break
    except PermissionError:
        return [], _look(reach, log, "denied", say("nginx-errors.denied", path=log.path))
    except FileNotFoundError:
        return [], None
    except OSError as error:
        reason = say("nginx-errors.failed", path=log.path, reason=error.strerror or "unreadable")
        return [], _look(reach, log, "failed", reason)
    groups = group_errors(lines)
    return [
        Event(
            at=group.at,
            kind="log",
            target=log.owner,
            text=group.text,
            source=log.path,
            plus_minus=1.0,
            details={
                "code": group.code,
                "upstream": group.upstream,
                "level": group.level,
                "count": group.lines,
            },
        )
        for group in groups[-MAX_ERROR_EVENTS:]
    ], None


def _distinct(logs: list[LogFile]) -> list[LogFile]:
    return list({(log.key or log.path, log.format): log for log in logs}.values())


def _look(reach: Reach, log: LogFile, outcome: Outcome, reason: Message) -> Look:
    return Look(
        name="nginx-logs",
        target=log.key or log.owner,
        outcome=outcome,
        at=reach.now(),
        reason=reason,
        remedy="run as root" if outcome == "denied" else "",
    )
