"""Gets the texts: some at a time, each with a deadline of its own, redacted before it is kept.

The command is what a person would type; how it is answered is ours: files and logs are read
bounded, a cache and a service are asked by our own clients, all else is run by `reach.exec`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, NamedTuple

from weaklink.capture.redis_text import redis_text
from weaklink.capture.wanted import LOG_LINES, Wanted
from weaklink.model.message import Message, say
from weaklink.parse.redact import redact
from weaklink.parse.redis_slowlog import redact_command
from weaklink.parse.resp import NotResp, Reply, ReplyError
from weaklink.reach.exec import find_tool, run
from weaklink.reach.host import NotAllowed, NotHere, TooLate
from weaklink.reach.http import get
from weaklink.reach.log_tail import Tail
from weaklink.reach.root import read_bounded
from weaklink.sources.redis_client import RedisClient
from weaklink.words import texts

texts(
    {
        "capture.absent": "{path}: not here",
        "capture.denied": "{path}: may not be read",
        "capture.failed": "{what}: {reason}",
        "capture.silent": "it printed nothing; exit {code}",
        "capture.late": "not started: the time was over",
        "capture.full": "not kept: the file has reached {megabytes} MB",
    }
)

AT_ONCE = 6
"""Most of the first commands sleep between two samples; the others are short."""
GRACE = 5.0
"""Seconds a command may take beyond its own: a tool of a hung driver is killed then."""
MAX_TEXT = 1 << 20
MAX_TOTAL = 48 << 20
MAX_LINE = 4000
"""Characters of a line that are kept: no tool prints longer ones, prompts and bodies are."""

State = Literal["kept", "absent", "denied", "late", "failed"]


class Text(NamedTuple):
    """What one command gave: redacted text, or why there is none."""

    command: str
    state: State
    text: str = ""
    reason: Message | None = None


def collect(
    commands: Sequence[Wanted], seconds: float, told: Callable[[Text], None] = lambda _: None
) -> list[Text]:
    """The texts in the order of the commands; what is not begun within `seconds` is `late`."""
    until = time.monotonic() + seconds
    kept = 0
    found: list[Text] = []
    with ThreadPoolExecutor(AT_ONCE) as hands:
        for text in hands.map(lambda one: _one(one, until), commands):
            kept += len(text.text)
            if kept > MAX_TOTAL:
                reason = say("capture.full", megabytes=MAX_TOTAL >> 20)
                text = Text(text.command, "failed", reason=reason)  # noqa: PLW2901
            told(text)
            found.append(text)
    return found


def _one(wanted: Wanted, until: float) -> Text:
    """One command's text; whatever stands in the way becomes its reason."""
    now = time.monotonic()
    if now >= until:
        return Text(wanted.command, "late", reason=say("capture.late"))
    try:
        text = _HANDS.get(wanted.tool, _run)(wanted, min(until, now + wanted.seconds) + GRACE)
        return Text(wanted.command, "kept", _harmless(text))
    except NotHere as none:
        return Text(wanted.command, "absent", reason=none.reason)
    except NotAllowed as denied:
        return Text(wanted.command, "denied", reason=denied.reason)
    except TooLate as late:
        return Text(wanted.command, "late", reason=late.reason)
    except FileNotFoundError as error:
        return Text(wanted.command, "absent", reason=say("capture.absent", path=error.filename))
    except PermissionError as error:
        path = error.filename or wanted.words[-1]
        return Text(wanted.command, "denied", reason=say("capture.denied", path=path))
    except (OSError, NotResp) as error:
        reason = say("capture.failed", what=wanted.words[-1], reason=_why(error))
        return Text(wanted.command, "failed", reason=reason)


def _why(error: Exception) -> str:
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror or str(error) or type(error).__name__


def _harmless(text: str) -> str:
    cut = (line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]} …" for line in text.split("\n"))
    return redact("\n".join(cut))


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _run(wanted: Wanted, deadline: float) -> str:
    """What the program printed; its complaint too, for that is what a person would see."""
    program = find_tool(wanted.tool)
    ran = run([program, *wanted.words[1:]], deadline, MAX_TEXT)
    text = _decoded(ran.stdout + ran.stderr[: 1 << 14])
    if not text.strip():
        raise NotHere(say("capture.silent", code=ran.returncode))
    return text


def _file(wanted: Wanted, deadline: float) -> str:
    return _decoded(read_bounded(wanted.words[-1], MAX_TEXT))


def _files(wanted: Wanted, deadline: float) -> str:
    """Lines of several files with their paths before them; what is not there is left out."""
    lines = []
    for path in (word for word in wanted.words if word.startswith("/")):
        with contextlib.suppress(OSError):
            text = _decoded(read_bounded(path, MAX_TEXT))
            lines += [f"{path}:{line}" for line in text.split("\n") if line]
    if not lines:
        raise NotHere(say("capture.absent", path=wanted.words[-1]))
    return "\n".join(lines)


def _log(wanted: Wanted, deadline: float) -> str:
    """The newest lines of a log, at most a megabyte."""
    lines: list[str] = []
    with Tail(wanted.about.where or wanted.words[-1]) as tail:
        for block in tail.backwards():
            lines = [line for line in block if line] + lines
            size = tail.size - tail.position
            if len(lines) >= LOG_LINES or size >= MAX_TEXT or time.monotonic() >= deadline:
                break
    return "\n".join(lines[-LOG_LINES:])


def _cache(wanted: Wanted, deadline: float) -> str:
    """The reply as redis-cli would print it; a slow log's arguments as they may be shown."""
    seconds = max(0.1, deadline - time.monotonic())
    words = wanted.words[wanted.words.index("-p" if "-p" in wanted.words else "-s") + 2 :]
    client = RedisClient(wanted.about.text, pid=wanted.about.pid or os.getpid(), timeout=seconds)
    try:
        reply = client.ask(*words, timeout=seconds)
    finally:
        client.close()
    if isinstance(reply, ReplyError):
        raise NotAllowed(say("capture.failed", what=words[0], reason=str(reply)[:100]))
    return redis_text(_shown(reply) if words[0] == "slowlog" else reply)


def _shown(reply: Reply) -> Reply:
    if not isinstance(reply, list):
        return reply
    shown: list[Reply] = []
    for entry in reply:
        if isinstance(entry, list) and len(entry) >= 4 and isinstance(entry[3], list):
            command = redact_command([str(word) for word in entry[3]])
            shown.append([*entry[:3], list[Reply](command.split(" ")), *entry[4:]])
    return shown


def _page(wanted: Wanted, deadline: float) -> str:
    """A page of metrics."""
    answer = get(wanted.words[-1], deadline=deadline, pid=wanted.about.pid, limit=MAX_TEXT)
    if answer.status != 200:
        what = str(answer.status or answer.error)
        raise NotHere(say("capture.failed", what=wanted.words[-1], reason=what))
    return _decoded(answer.body)


_HANDS: dict[str, Callable[[Wanted, float], str]] = {
    "cat": _file,
    "grep": _files,
    "tail": _log,
    "redis-cli": _cache,
    "curl": _page,
}
