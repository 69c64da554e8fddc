"""HAProxy's HTTP and TCP log lines: timers, and who ended the session in which phase.

Format: HAProxy configuration manual, 8.2.3 (`option httplog`), 8.5 (session state at
disconnection). Timers are milliseconds, -1 where that phase was never reached.
"""

from __future__ import annotations

import re

from weaklink.model.fact_text_log import Saying
from weaklink.model.take import Take
from weaklink.parse.haproxy_access import SESSION
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_KINDS = 300
_HTTP = re.compile(SESSION)
_SERVER = re.compile(
    r"Server (\S{1,120}/\S{1,120}) is (DOWN|UP|going DOWN|MAINT)"
    r"(?:.{0,80}?reason: (.{1,120}?)(?:,|$))?"
)
_EMPTY = re.compile(r"(?:backend|proxy) '?(\S{1,120}?)'? has no server available")


def _starts(line: str) -> bool:
    return (
        _HTTP.search(line[:800]) is not None
        or _SERVER.search(line[:400]) is not None
        or "has no server available" in line
    )


@tool("haproxy", needles=("] ", " is DOWN", " is UP", "has no server available"),
      starts=lambda line: ("haproxy" in line or "/" in line) and _starts(line),
      scattered=True)  # fmt: skip
def haproxy_log(passage: Passage) -> Take | None:
    """One Saying a way in which sessions ended and server, and each server's ups and downs."""
    kinds: dict[tuple[str, str], Saying] = {}
    counts: dict[tuple[str, str], int] = {}
    for line in passage.lines:
        head = line[:1200]
        if found := _HTTP.search(head):
            saying = _session(found, line)
        elif server := _SERVER.search(head):
            state = "up" if server[2] == "UP" else "down"
            words = {"why": quoted(server[3])} if server[3] else {}
            saying = Saying(
                tool="haproxy", code=state, about=server[1], line=quoted(line), words=words
            )
        elif empty := _EMPTY.search(head):
            saying = Saying(tool="haproxy", code="none-left", about=empty[1], line=quoted(line))
        else:
            continue
        key = (saying.code, saying.about)
        counts[key] = counts.get(key, 0) + 1
        known = kinds.get(key)
        longer = known and saying.values.get("wait", 0) > known.values.get("wait", 0)
        if longer or (known is None and len(kinds) < MAX_KINDS):
            kinds[key] = saying
    if not kinds:
        return None
    import msgspec

    return Take(
        software=[msgspec.structs.replace(one, count=counts[key]) for key, one in kinds.items()]
    )


def _session(found: re.Match[str], line: str) -> Saying:
    who, phase = found["who"], found["phase"]
    queue, connect, answer = (int(found[name]) for name in ("queued", "connect", "answer"))
    status = int(found["status"])
    queued = int(found["before"]) + int(found["behind"])
    ended = f"{who}{phase}"
    code = "fine" if ended == "--" and status < 500 else f"ended-{ended}"
    if ended == "--" and status >= 500:
        code = f"status-{status}"
    return Saying(
        tool="haproxy",
        code=code,
        about=f"{found['backend']}/{found['server']}",
        line=quoted(line),
        values={
            "wait": max(queue, 0) / 1000,
            "connect": connect / 1000,
            "answer": answer / 1000,
            "status": float(status),
            "queued": float(queued),
        },
    )
