"""nginx's error log, and what people paste beside it of the process that wrote a line."""

from __future__ import annotations

import re

from weaklink.model.fact_text_log import Saying
from weaklink.model.take import Take
from weaklink.parse.nginx_error import ErrorLine, read_error_line
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_KINDS = 400
_HEAD = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[[a-z]{4,6}\] (\d{1,9})#\d{1,9}: ")
_LIMIT = re.compile(r"(\d{1,9}) worker_connections are not enough")
_ASKED = re.compile(r'request: "[A-Z]{3,10} ([^ ?"]{1,200})')


@tool(
    "nginx-error",
    heads=("19", "20"),
    starts=lambda line: _HEAD.match(line.lstrip()) is not None,
    scattered=True,
)
def nginx_error_log(passage: Passage) -> Take | None:
    """One Saying a kind of line and upstream (worker_connections: and process)."""
    kinds: dict[tuple[str, str], list[tuple[ErrorLine, str]]] = {}
    counts: dict[tuple[str, str], int] = {}
    seen = False
    for line in passage.lines:
        bare = line.lstrip()
        one = read_error_line(bare)
        if one is None:
            continue
        seen = True
        code = one.code or (one.level if one.level in {"emerg", "alert", "crit"} else "")
        if not code:
            continue
        about = one.upstream
        if code == "worker-connections" and (head := _HEAD.match(bare)):
            about = head[1]
        key = (code, about)
        counts[key] = counts.get(key, 0) + 1
        rows = kinds.get(key)
        if rows is None:
            if len(kinds) < MAX_KINDS:
                kinds[key] = [(one, bare)]
        elif len(rows) < 2:
            rows.append((one, bare))
        else:
            rows[1] = (one, bare)
    if not seen:
        return None
    found = [_saying(key, rows, counts[key]) for key, rows in kinds.items()]
    if not found:
        found = [Saying(tool="nginx", code="quiet", line=quoted(passage.lines[0]))]
    return Take(software=list(found))


def _saying(key: tuple[str, str], rows: list[tuple[ErrorLine, str]], count: int) -> Saying:
    code, about = key
    (first, line), (last, last_line) = rows[0], rows[-1]
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
