"""Reads crontabs and cron's log lines: what runs when, and what ran when.

Fields as crontab(5) of Debian has them: lists, ranges, steps, names, `@hourly` and friends. Where
both day fields are restricted, either may match. Times are local; the caller says how far local
time is from UTC. A change of that offset within the week looked at (DST) is not followed.
"""

from __future__ import annotations

import re
import time
from calendar import timegm
from collections.abc import Iterator
from typing import NamedTuple

from weaklink.parse.log_values import iso_time
from weaklink.parse.redact import redact

MAX_LINES = 5_000
MAX_COMMAND = 200
_NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
DAYS_LOOKED_AT = 8
"""A weekly job is found both ways; a monthly one only when it is near, and only then it matters."""
_SETTING = re.compile(r"[A-Za-z_]\w{0,63}[ \t]*=")
_RUN = re.compile(
    r"(?P<when>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S{8,30}) \S{1,255} "
    r"/?[\w./-]{0,64}(?:CRON|crond|cron)\[(?P<pid>\d{1,9})\]: "
    r"\((?P<user>[^)\s]{1,64})\) CMD \((?P<command>.*)\)\s*$"
)


class Job(NamedTuple):
    """One line of a crontab. `minutes` … `weekdays` are what it runs at; `command` is redacted."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either_day: bool
    user: str
    command: str
    schedule: str


class Run(NamedTuple):
    """One run as the log tells it, epoch seconds; `command` is redacted."""

    at: float
    pid: int
    user: str
    command: str


def read_crontab(text: str, *, with_user: bool, user: str = "") -> list[Job]:
    """Jobs of a crontab; `with_user` for /etc/crontab and /etc/cron.d. Broken lines are skipped."""
    jobs = []
    for line in text.split("\n", MAX_LINES)[:MAX_LINES]:
        job = _job(line.strip()[:2000], with_user, user)
        if job is not None:
            jobs.append(job)
    return jobs


def _job(line: str, with_user: bool, user: str) -> Job | None:
    if not line or line.startswith("#") or _SETTING.match(line):
        return None
    if line.startswith("@"):
        name, _, rest = line.partition(" ")
        schedule = _NICKNAMES.get(name.lower(), "")
        fields, shown = schedule.split(), name
    else:
        words = line.split(None, 5)
        if len(words) < 6:
            return None
        fields, rest = words[:5], words[5]
        shown = " ".join(fields)
    if len(fields) != 5:
        return None
    if with_user:
        user, _, rest = rest.strip().partition(" ")
    rest = rest.strip()
    sets = [_field(text, *_RANGES[i], i) for i, text in enumerate(fields)]
    if not rest or any(one is None for one in sets):
        return None
    minutes, hours, days, months, weekdays = (one or frozenset() for one in sets)
    return Job(
        minutes,
        hours,
        days,
        months,
        frozenset(day % 7 for day in weekdays),
        not fields[2].startswith("*") and not fields[4].startswith("*"),
        user[:64],
        redact(rest)[:MAX_COMMAND],
        shown,
    )


def _field(text: str, least: int, most: int, index: int) -> frozenset[int] | None:
    names = _MONTHS if index == 3 else _DAYS if index == 4 else ()
    found: set[int] = set()
    for part in text.split(",")[:100]:
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        if span in ("*", "?"):
            begin, end = least, most
        else:
            one, other = _value(first, names, index), _value(last, names, index)
            if one is None or (dash and other is None):
                return None
            begin = one
            end = other if dash and other is not None else (most if slash else one)
        every = int(step) if step.isascii() and step.isdigit() and len(step) < 4 else 0
        if slash and every < 1:
            return None
        if not least <= begin <= end <= most:
            return None
        found.update(range(begin, end + 1, every or 1))
    return frozenset(found)


def _value(text: str, names: tuple[str, ...], index: int) -> int | None:
    if text.isascii() and text.isdigit() and len(text) < 4:
        return int(text)
    if text[:3].lower() in names and len(text) == 3:
        return names.index(text.lower()) + (1 if index == 3 else 0)
    return None


def last_run(job: Job, now: float, utc_offset: int = 0) -> float | None:
    """When it should have run last, epoch seconds, not after `now`; None within eight days."""
    local = now + utc_offset
    for day in range(DAYS_LOOKED_AT):
        for at in sorted(_runs_on(job, local - day * 86400), reverse=True):
            if at <= local:
                return at - utc_offset
    return None


def next_run(job: Job, now: float, utc_offset: int = 0) -> float | None:
    """When it will run next, epoch seconds, after `now`; None within eight days."""
    local = now + utc_offset
    for day in range(DAYS_LOOKED_AT):
        for at in sorted(_runs_on(job, local + day * 86400)):
            if at > local:
                return at - utc_offset
    return None


def _runs_on(job: Job, local: float) -> Iterator[float]:
    """Local times at which it runs on the day of `local`."""
    day = time.gmtime(local)
    by_day, by_weekday = day.tm_mday in job.days, (day.tm_wday + 1) % 7 in job.weekdays
    fits = (by_day or by_weekday) if job.either_day else (by_day and by_weekday)
    if not fits or day.tm_mon not in job.months:
        return
    midnight = timegm((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0))
    for hour in job.hours:
        for minute in job.minutes:
            yield float(midnight + hour * 3600 + minute * 60)


def read_cron_log(text: str, now: float, utc_offset: int = 0) -> list[Run]:
    """Runs that a syslog or cron log tells of, oldest first; lines of others are passed over."""
    runs = []
    for line in text.split("\n"):
        if "CMD (" not in line or len(line) > 8_192:
            continue
        found = _RUN.match(line)
        at = _moment(found["when"], now, utc_offset) if found else None
        if found is None or at is None:
            continue
        command = redact(found["command"].strip())[:MAX_COMMAND]
        runs.append(Run(at, int(found["pid"]), found["user"], command))
    return sorted(runs)


def _moment(text: str, now: float, utc_offset: int) -> float | None:
    if text[0].isdigit():
        return iso_time(text)
    try:
        month = _MONTHS.index(text[:3].lower()) + 1
        day, clock = int(text[4:6]), [int(part) for part in text[7:].split(":")]
    except ValueError:
        return None
    # syslog leaves the year out: it is the one that lies nearest before now.
    year = time.gmtime(now + utc_offset).tm_year
    at = timegm((year, month, day, *clock)) - utc_offset
    return float(at if at <= now + 86400 else timegm((year - 1, month, day, *clock)) - utc_offset)
