"""What cron ran, and what it will run next: its log where there is one, else its tables."""

from __future__ import annotations

import os
from collections.abc import Iterator

from weaklink.model.case import Case
from weaklink.model.event import Event
from weaklink.model.fact import Process
from weaklink.model.look import Look
from weaklink.model.message import Message, say
from weaklink.model.take import Take
from weaklink.model.target import target_key
from weaklink.parse.crontab import Job, Run, last_run, next_run, read_cron_log, read_crontab
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.log_tail import Tail
from weaklink.reach.owner_files import owner_glob, owner_path, owner_text
from weaklink.reach.registry import probe
from weaklink.words import texts

texts(
    {
        "cron.none": "no cron daemon runs here",
        "cron.denied": "crontabs of users: may not be read",
    }
)

DAEMONS = ("cron", "crond", "anacron", "fcron", "cronie")
LOGS = ("/var/log/syslog", "/var/log/cron.log", "/var/log/cron", "/var/log/messages")
TABLES = (
    # (pattern, the lines name a user)
    ("/etc/crontab", True),
    ("/etc/cron.d/*", True),
    ("/var/spool/cron/crontabs/*", False),
    ("/var/spool/cron/*", False),
    ("/etc/crontabs/*", False),
)
TABLE_BYTES = 256 << 10
LOG_BYTES = 512 << 10
NEAR = 3600.0
"""Seconds around now within which a run can have to do with an incident."""
MAX_EVENTS = 200
MAX_JOBS = 500


@probe(
    "cron",
    subject="changes",
    phase="first",
    about="runs of cron jobs within the last hour and the next ones",
)
def cron(reach: Reach, case: Case) -> Take:
    """Events `cron-run`: seen ones from logs and processes, planned ones from the tables.

    `details`: `seen` 1 or 0, `command`, `user`, `pid` where known, `next` (epoch seconds) where
    the tables tell. Raises NotHere without a daemon.
    """
    daemons = [p for p in case.processes if p.name in DAEMONS and not p.kernel_thread]
    named = {p.pid for p in daemons}
    daemons = [p for p in daemons if p.ppid not in named]  # its forks carry its name for a while
    pids = {p.pid for p in daemons}
    if not daemons:
        raise NotHere(say("cron.none"))
    events: list[Event] = []
    looks: list[Look] = []
    for daemon in daemons[:8]:
        jobs, denied = _jobs(reach, daemon)
        if denied:
            looks.append(_look(reach, daemon, say("cron.denied")))
        events += _events(reach, case, daemon, jobs, _logged(reach, case, daemon))
    events += list(_children(reach, case, pids))
    near = [event for event in events if _is_near(event, reach.now())]
    return Take(events=sorted(near, key=lambda e: e.at)[-MAX_EVENTS:], looks=looks)


def _jobs(reach: Reach, daemon: Process) -> tuple[list[tuple[Job, str]], bool]:
    """(job, file) pairs, and whether something could not be read."""
    jobs: list[tuple[Job, str]] = []
    denied = False
    for pattern, with_user in TABLES:
        try:
            paths = owner_glob(reach, daemon, pattern)
        except PermissionError:
            denied = True
            continue
        except OSError:
            continue
        for path in paths[:200]:
            try:
                text = owner_text(reach, daemon, path, TABLE_BYTES)
            except PermissionError:
                denied = True
                continue
            except OSError:
                continue
            user = "" if with_user else path.rpartition("/")[2]
            jobs += [(job, path) for job in read_crontab(text, with_user=with_user, user=user)]
    return jobs[:MAX_JOBS], denied


def _logged(reach: Reach, case: Case, daemon: Process) -> list[tuple[Run, str]]:
    runs: list[tuple[Run, str]] = []
    for path in LOGS:
        try:
            with Tail(owner_path(reach, daemon, path)) as tail:
                lines = tail.lines_at(max(0, tail.size - LOG_BYTES), LOG_BYTES)
        except OSError:
            continue
        found = read_cron_log("\n".join(lines), reach.now(), case.host.utc_offset)
        runs += [(run, path) for run in found]
    # One run may stand in two logs.
    return list({(run.at, run.pid): (run, path) for run, path in runs}.values())


def _events(
    reach: Reach,
    case: Case,
    daemon: Process,
    jobs: list[tuple[Job, str]],
    runs: list[tuple[Run, str]],
) -> Iterator[Event]:
    now, offset = reach.now(), case.host.utc_offset
    nexts: dict[str, float] = {}
    for job, _ in jobs:
        at = next_run(job, now, offset)
        if at is not None:
            nexts[job.command] = min(at, nexts.get(job.command, at))
    for run, path in runs:
        yield Event(
            at=run.at,
            kind="cron-run",
            target=daemon.key,
            text=f"{run.user}: {run.command}",
            source=path,
            plus_minus=1.0,
            details={
                "seen": 1,
                "pid": run.pid,
                "user": run.user,
                "command": run.command,
                **({"next": nexts[run.command]} if run.command in nexts else {}),
            },
        )
    seen = {run.command for run, _ in runs if now - run.at <= NEAR}
    for job, path in jobs:
        at = last_run(job, now, offset)
        if at is None or job.command in seen:
            continue
        yield Event(
            at=at,
            kind="cron-run",
            target=target_key("cron", path, host=case.host.name),
            text=f"{job.user}: {job.command}",
            source=path,
            # cron starts its jobs within seconds of the minute; that this one ran is not seen.
            plus_minus=60.0,
            details={
                "seen": 0,
                "user": job.user,
                "command": job.command,
                "schedule": job.schedule,
                **({"next": nexts[job.command]} if job.command in nexts else {}),
            },
        )


def _children(reach: Reach, case: Case, daemons: set[int]) -> Iterator[Event]:
    """Jobs of cron that still run: the daemon's grandchildren."""
    parents = {process.pid: process.ppid for process in case.processes}
    for process in case.processes:
        middle = parents.get(process.ppid, 0)
        if process.ppid in daemons or middle not in daemons or process.name in ("CRON", "crond"):
            continue
        command = " ".join(process.command)[:200] or process.name
        yield Event(
            at=process.start,
            kind="cron-run",
            target=process.key,
            text=f"still runs: {command}",
            source="processes",
            plus_minus=1.0,
            details={"seen": 1, "pid": process.pid, "command": command, "running": 1},
        )


def _is_near(event: Event, now: float) -> bool:
    planned = event.details.get("next")
    soon = isinstance(planned, float) and planned - now <= NEAR
    return now - event.at <= NEAR or soon or "running" in event.details


def _look(reach: Reach, daemon: Process, reason: Message) -> Look:
    root = os.geteuid() == 0
    return Look(
        name="cron",
        target=daemon.key,
        outcome="denied",
        at=reach.now(),
        reason=reason,
        remedy="" if root else "run as root",
    )
