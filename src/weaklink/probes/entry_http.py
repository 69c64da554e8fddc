"""Asks the entry what users ask it, a few times: does it answer, and how long does it take?

At most one GET a second and ten in all, to an address that the user named or that a GET in the
access log proves to be harmless. Never a POST, nothing that costs or changes. Where no such GET is
known, it only connects and hangs up.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from typing import NamedTuple
from urllib.parse import urlsplit

from weaklink.model.case import Case
from weaklink.model.chain import Link
from weaklink.model.fact import ProbeAnswer, ProxyServer
from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.model.take import Take
from weaklink.parse.access_log import FormatError, reader_for
from weaklink.parse.app_access import Asked, asked_in
from weaklink.parse.log_clock import LogClock
from weaklink.parse.log_dress import undress
from weaklink.parse.log_format import ROLES
from weaklink.parse.log_values import seconds
from weaklink.parse.mask import is_identifier
from weaklink.parse.redact import redact
from weaklink.parse.routes import route_of, stored_path
from weaklink.reach.connect import connect
from weaklink.reach.host import NotAllowed, NotHere, Reach, TooLate
from weaklink.reach.http import error_word, get
from weaklink.reach.log_tail import Tail
from weaklink.reach.open_logs import open_logs
from weaklink.reach.owner_files import leads_to_device, owner_path
from weaklink.reach.registry import probe
from weaklink.words import texts

texts(
    {
        "entry.none": "no entry is known that could be asked (--entry URL names one)",
        "entry.no-listener": "the entry {name} listens nowhere that could be asked",
    }
)

MAX_ASKED = 10
EVERY = 1.0
ANSWER_SECONDS = 5.0
"""Longer than most users wait is told as a timeout, while the window lasts."""
LOG_BYTES = 256 << 10
MAX_MEMBERS = 4
CHEAP_SECONDS = 2.0
"""A GET that never took less is not asked again: it may be a stream or costly."""
_RISKY = frozenset(
    (
        *("logout", "signout", "delete", "remove", "reset", "unsubscribe", "cancel", "stop"),
        *("restart", "reload", "admin", "stream", "events", "ws", "socket", "feed", "subscribe"),
        *("download", "export", "backup", "generate", "completions", "callback", "oauth", "login"),
        *("confirm", "verify", "token", "refresh", "purge", "flush", "run", "trigger"),
    )
)


class Question(NamedTuple):
    """What is asked: `url` to send, `shown` to keep; `address` '' connects where the URL says."""

    url: str
    shown: str
    address: str
    pid: int | None
    host: str


@probe(
    "entry-http",
    subject="entry",
    phase="deep",
    about="a few harmless GETs to the entry: whether it answers, and how fast",
    touches="at most 10 GETs, one a second, of a path that users asked before (or --entry)",
    frozen=False,
)
def entry_http(reach: Reach, case: Case) -> Take:
    """ProbeAnswer facts; a bare connect has the URL `tcp://address`. Raises NotHere."""
    entry = next((link for link in case.chain.links if link.entry), None)
    question = _question(reach, case, entry)
    if question is None:
        if entry is None:
            raise NotHere(say("entry.none"))
        knocks = _knock(reach, entry)
        return Take(answers=knocks, looks=[_touched(reach, entry, knocks)])
    answers = []
    end = min(reach.until, reach.deadline - 0.5)
    for _ in range(MAX_ASKED):
        started = time.monotonic()
        answers.append(_ask(reach, question, entry))
        if time.monotonic() + EVERY > end:
            break
        reach.pause(max(0.0, started + EVERY - time.monotonic()))
    return Take(answers=answers, looks=[_touched(reach, entry, answers)])


def _touched(reach: Reach, entry: Link | None, answers: list[ProbeAnswer]) -> Look:
    """The record of what we asked: whoever reads the log later can tell us from users."""
    asked = Counter(
        one.url if one.url.startswith("tcp://") else f"GET {one.url}" for one in answers
    )
    return Look(
        name="entry-http",
        target=entry.key if entry is not None else "",
        outcome="value",
        at=reach.now(),
        touched=[f"{what}: {count} times" for what, count in asked.items()],
    )


def _ask(reach: Reach, question: Question, entry: Link | None) -> ProbeAnswer:
    at = reach.now()
    deadline = min(time.monotonic() + ANSWER_SECONDS, reach.deadline - 0.2)
    headers = {"Host": question.host} if question.host else None
    try:
        got = get(
            question.url,
            deadline=deadline,
            pid=question.pid,
            address=question.address or None,
            headers=headers,
        )
    except NotHere:
        return _answer(question.shown, entry, at, 0.0, 0, "gone")
    except TooLate:
        return _answer(question.shown, entry, at, reach.now() - at, 0, "timeout")
    return _answer(question.shown, entry, at, got.total, got.status, got.error)


def _knock(reach: Reach, entry: Link) -> list[ProbeAnswer]:
    """Connect and hang up: whether somebody still accepts."""
    if not entry.listen or not entry.pids:
        raise NotHere(say("entry.no-listener", name=entry.name))
    answers = []
    for address in _doors(entry):
        at, started, error = reach.now(), time.monotonic(), ""
        try:
            connect(address, pid=entry.pids[0], timeout=min(1.0, reach.left())).close()
        except (NotAllowed, NotHere):
            raise
        except (TooLate, OSError) as problem:
            error = error_word(problem)
        took = time.monotonic() - started
        answers.append(_answer(f"tcp://{address}", entry, at, took, 0, error))
    return answers


def _doors(entry: Link) -> list[str]:
    """Where users may come in: its ports; its paths only where it has no port, for beside ports
    they are for the operator (HAProxy's admin socket, gunicorn's control socket)."""
    ports = [address for address in entry.listen if not address.startswith("unix:")]
    return (ports or entry.listen)[:4]


def _answer(
    url: str, entry: Link | None, at: float, took: float, status: int, error: str
) -> ProbeAnswer:
    key = entry.key if entry is not None else ""
    return ProbeAnswer(url=url, link=key, at=at, duration=took, status=status, error=error)


def _question(reach: Reach, case: Case, entry: Link | None) -> Question | None:
    if reach.entry:
        return _given(reach, case, entry)
    if entry is None or not entry.pids:
        return None
    tls = {address for server in _servers(case, entry) if server.tls for address in server.listen}
    plain = [address for address in entry.listen if address not in tls]
    target = _seen(reach, case, entry) if plain else ""
    if not target:
        return None
    address = plain[0]
    names = [name for server in _servers(case, entry) for name in server.names]
    host = next((n for n in names if n[:1].isalnum() and not n.startswith("localhost")), "")
    where = host or (address if not address.startswith("unix:") else "localhost")
    return Question(
        f"http://{where.replace('0.0.0.0', '127.0.0.1')}{target}",
        f"http://{where}{stored_path(target)}",
        address,
        entry.pids[0],
        host,
    )


def _given(reach: Reach, case: Case, entry: Link | None) -> Question:
    """The user's own URL, asked from inside the entry's namespace where it names its listener."""
    parts = urlsplit(reach.entry)
    shown = redact(reach.entry)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        port = 0
    own = next(
        (
            address
            for address in (entry.listen if entry is not None else ())
            if address == f"{parts.hostname}:{port}" and entry is not None and entry.netns != "-"
        ),
        "",
    )
    pid = entry.pids[0] if own and entry is not None and entry.pids else None
    return Question(reach.entry, shown, "", pid, "")


def _servers(case: Case, entry: Link) -> list[ProxyServer]:
    return [server for server in case.servers if server.owner in entry.processes]


def _seen(reach: Reach, case: Case, entry: Link) -> str:
    """A GET of the entry's log that answered 200, is cheap, and names nothing secret; else ''."""
    processes = {process.key: process for process in case.processes}
    for log in case.logs:
        owner = processes.get(log.owner)
        if log.kind != "access" or log.owner not in entry.processes or owner is None:
            continue
        if log.same_as or "$" in log.path or not log.path.startswith("/"):
            continue
        try:
            if leads_to_device(reach, owner, log.path):
                continue
            where = owner_path(reach, owner, log.path)
            with Tail(where) as tail:
                lines = tail.lines_at(max(0, tail.size - LOG_BYTES), LOG_BYTES)
            reader = reader_for(log.format, [line for line in lines if line][-100:])
        except (OSError, FormatError):
            continue
        if reader is not None:
            rows = [row for line in lines if line and (row := reader.read(line[:8192]))]
            if target := cheapest(rows):
                return target
    return "" if entry.role == "proxy" else _seen_by_itself(reach, case, entry)


def _seen_by_itself(reach: Reach, case: Case, entry: Link) -> str:
    """The same from the log that an application keeps of its own requests; '' for none."""
    members = [process for process in case.processes if process.pid in set(entry.pids)]
    for process in members[:MAX_MEMBERS]:
        for log in open_logs(reach, process)[0]:
            try:
                with Tail(log.where) as tail:
                    lines = tail.lines_at(max(0, tail.size - LOG_BYTES), LOG_BYTES)
            except OSError:
                continue
            asked = [one for line in lines if (one := asked_in(undress(line, LogClock()).text))]
            if target := cheapest([_as_row(one) for one in asked]):
                return target
    return ""


def _as_row(asked: Asked) -> tuple[str | None, ...]:
    """A request as a row of an access log (parse/log_format.py, ROLES)."""
    told = {
        "request_time": None if asked.duration is None else repr(asked.duration),
        "status": str(asked.status),
        "uri": asked.target,
        "method": asked.method,
    }
    return tuple(told.get(role) for role in ROLES)


def cheapest(rows: list[tuple[str | None, ...]]) -> str:
    """The request target (as users sent it) that is safest to send again; '' for none."""
    spent: dict[str, list[float]] = defaultdict(list)
    targets: dict[str, str] = {}
    for row in rows:
        request, uri, method, status = row[5] or "", row[6], row[7], row[4]
        words = request.split(" ")
        asked = method or words[0]
        target = uri or (words[1] if len(words) == 3 else "")
        if asked != "GET" or status != "200" or not harmless(target):
            continue
        route = route_of(target)
        took = seconds(row[3])
        spent[route].append(0.0 if took is None else took)
        if len(target) <= len(targets.get(route, target)):
            targets[route] = target
    cheap = {
        route: sorted(times)[len(times) // 2]
        for route, times in spent.items()
        if min(times) < CHEAP_SECONDS
    }
    if not cheap:
        return ""
    return targets[min(cheap, key=lambda route: (cheap[route], len(targets[route]), route))]


def harmless(target: str) -> bool:
    """Whether asking for it again cannot cost, change or give away anything, by its looks."""
    if not target.startswith("/") or len(target) > 200 or "?" in target or "%" in target:
        return False
    if not target.isascii() or not target.isprintable() or " " in target:
        return False
    for segment in target.lower().split("/"):
        if any(word in _RISKY for word in segment.replace("-", "_").split("_")):
            return False
        if is_identifier(segment) and len(segment) > 40:
            return False
    # A path that holds something that looks like a secret is left alone.
    return redact(target) == target
