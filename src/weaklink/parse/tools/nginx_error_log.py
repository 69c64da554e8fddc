"""nginx's error log, and what people paste beside it of the process that wrote a line."""

from __future__ import annotations

import re

import msgspec

from weaklink.model.fact_text_log import Saying
from weaklink.model.take import Take
from weaklink.parse.nginx_error import kind_of, read_error_line
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_KINDS = 400
_HEAD = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[([a-z]{4,6})\] (\d{1,9})#\d{1,9}: ")
_UPSTREAM = re.compile(r', upstream: "([a-z]{2,8}://[^"/?]{1,300})')
_PHASE = re.compile(r" while (?:reading|sending|SSL|waiting|proxying|upgraded)")
_SERIOUS = frozenset({"emerg", "alert", "crit"})
MAX_LINE = 8192
BEFORE = 200
"""Characters in which the line's own time must stand: a container's name may come first."""
_LIMIT = re.compile(r"(\d{1,9}) worker_connections are not enough")
_ASKED = re.compile(r'request: "[A-Z]{3,10} ([^ ?"]{1,200})')


@tool(
    "nginx-error",
    heads=("20",),
    needles=("[error] ", "[crit] ", "[alert] ", "[warn] ", "[emerg] "),
    starts=lambda line: _HEAD.search(line[:BEFORE]) is not None,
    scattered=True,
)
def nginx_error_log(passage: Passage) -> Take | None:
    """One Saying a kind of line and upstream (worker_connections: and process)."""
    kinds: dict[tuple[str, str], list[str]] = {}
    counts: dict[tuple[str, str], int] = {}
    seen = False
    for line in passage.lines:
        begin = _HEAD.search(line[:BEFORE])
        if begin is None:
            continue
        bare = line[begin.start() : begin.start() + MAX_LINE]
        head = _HEAD.match(bare)
        if head is None:
            continue
        seen = True
        level = head[1]
        code = kind_of(bare[head.end() :]) or (level if level in _SERIOUS else "")
        if not code or (code == "read-timeout" and not _PHASE.search(bare)):
            continue  # a timeout of which the end is cut off does not tell its phase
        upstream = _UPSTREAM.search(bare)
        about = upstream[1] if upstream else ""
        if code == "worker-connections":
            about = head[2]
        key = (code, about)
        counts[key] = counts.get(key, 0) + 1
        rows = kinds.setdefault(key, []) if len(kinds) < MAX_KINDS else kinds.get(key, [])
        rows[1:] = [bare]
    if not seen:
        return None
    found = [saying for key, rows in kinds.items() if (saying := _saying(key, rows, counts[key]))]
    if not found:
        found = [Saying(tool="nginx", code="quiet", line=quoted(passage.lines[0]))]
    return Take(software=list(_merged(found)))


def _merged(found: list[Saying]) -> list[Saying]:
    """Requests of different paths to one upstream are one saying."""
    by_about: dict[tuple[str, str], Saying] = {}
    for one in found:
        key = (one.code, one.about)
        known = by_about.get(key)
        if known is None:
            by_about[key] = one
            continue
        later = one if (one.last_seconds or 0) >= (known.last_seconds or 0) else known
        by_about[key] = msgspec.structs.replace(
            known,
            count=known.count + one.count,
            last_line=later.last_line or later.line,
            last_at=later.last_at,
            last_seconds=later.last_seconds,
        )
    return list(by_about.values())


def _saying(key: tuple[str, str], rows: list[str], count: int) -> Saying | None:
    code, about = key
    line, last_line = rows[0], rows[-1]
    first, last = read_error_line(line), read_error_line(last_line)
    if first is None or last is None:
        return None
    if code != "worker-connections":
        about = first.upstream
    limit = _LIMIT.search(line[:500])
    asked = _ASKED.search(line[:4000])
    words = {"level": first.level, "text": first.text}
    if asked:
        words["path"] = quoted(asked[1])
    return Saying(
        tool="nginx",
        code=code,
        about=about,
        count=count,
        line=quoted(line),
        last_line=quoted(last_line) if count > 1 else "",
        at=line[:19],
        last_at=last_line[:19],
        seconds=first.at,
        last_seconds=last.at,
        values={"limit": float(limit[1])} if limit else {},
        words=words,
    )


_PROCESS = re.compile(
    r"(\d{1,9}) .{0,120}?nginx: (cache manager|cache loader|worker|master) process"
)


@tool("nginx-process", needles=("nginx: cache manager process", "nginx: worker process"),
      starts=lambda line: _PROCESS.search(line[:400]) is not None,
      goes_on=lambda line: _PROCESS.search(line[:400]) is not None, commands=())  # fmt: skip
def nginx_processes(passage: Passage) -> Take | None:
    """Which pid is the cache manager, a worker, the master: for lines of the error log."""
    found = [
        Saying(tool="nginx-process", code=match[2], about=match[1], line=quoted(line))
        for line in passage.lines[:1000]
        if (match := _PROCESS.search(line[:400]))
    ]
    return Take(software=list(found)) if found else None
