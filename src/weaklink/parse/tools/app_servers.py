"""gunicorn's and uvicorn's own lines: workers that boot, time out, are killed, ports in use."""

from __future__ import annotations

import re

from weaklink.model.take import Take
from weaklink.parse.sayings import Phrase, sayings
from weaklink.parse.text_tool import Passage, tool

_GUNICORN = re.compile(
    r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,6})? [+-]\d{4}\] \[\d{1,9}\] "
    r"\[(?:INFO|WARNING|ERROR|CRITICAL|DEBUG)\] "
)
GUNICORN = (
    Phrase("worker-timeout", "WORKER TIMEOUT", re.compile(r"\(pid:(?P<pid>\d{1,9})\)"), "pid"),
    Phrase("killed", "was sent SIGKILL", re.compile(r"\(pid:(?P<pid>\d{1,9})\)"), "pid"),
    Phrase("terminated", "was terminated due to signal 9",
           re.compile(r"pid (?P<pid>\d{1,9})\)"), "pid"),
    Phrase("died", "was terminated due to signal", re.compile(
        r"pid (?P<pid>\d{1,9})\).{0,40}?signal (?P<signal>\d{1,3})"), "pid"),
    Phrase("died", "was sent SIG", re.compile(
        r"\(pid:(?P<pid>\d{1,9})\) was sent (?P<signal>SIG[A-Z]{2,6})"), "pid"),
    Phrase("exited", "exited with code",
           re.compile(r"\(pid:(?P<pid>\d{1,9})\) exited with code (?P<code>\d{1,4})"), "pid"),
    Phrase("exception", "Exception in worker process"),
    Phrase("boot-failed", "Worker failed to boot"),
    Phrase("port-in-use", "Connection in use:", re.compile(r"in use: (?P<where>.{1,80})$")),
    Phrase("booting", "Booting worker with pid",
           re.compile(r"with pid: (?P<pid>\d{1,9})"), "pid"),
    Phrase("started", "Starting gunicorn"),
    Phrase("listening", "Listening at:"),
    Phrase("recycled", "Maximum request limit of"),
)  # fmt: skip
UVICORN = (
    Phrase("exception", "Exception in ASGI application"),
    Phrase("limit", "Exceeded concurrency limit"),
    Phrase("port-in-use", "address already in use"),
    Phrase("start-failed", "Application startup failed"),
    Phrase("files", "Too many open files"),
    Phrase("child-died", "died", re.compile(r"Child process \[(?P<pid>\d{1,9})\] died"), "pid"),
    Phrase("request-500", '" 500'),
    Phrase("request-503", '" 503'),
    Phrase("request", 'HTTP/1.1" 2'),
    Phrase("started", "Application startup complete"),
    Phrase("running", "Uvicorn running on"),
)  # fmt: skip
_UVICORN = re.compile(
    r"(?:\([A-Z]\w{2,40}(?: \w{2,12}){0,4} pid=\d{1,9}\) ?)?"
    r"(?:INFO|WARNING|ERROR|CRITICAL):? {1,8}(?:\S{3,64} - )?"
    r"(?:\"[A-Z]{3,8} /|Started |Waiting for application|Application startup|Uvicorn running|"
    r"Shutting down|Exception in ASGI|Exceeded concurrency|Finished server|\[Errno|Child process)"
)


@tool("gunicorn", heads=("[2",),
      needles=("WORKER TIMEOUT", "Worker (pid:", "Booting worker with pid"),
      starts=lambda line: _GUNICORN.search(line[:200]) is not None or "WORKER TIMEOUT" in line
      or "was sent SIG" in line,
      scattered=True)  # fmt: skip
def gunicorn(passage: Passage) -> Take | None:
    """What the arbiter says of its workers."""
    found = sayings("gunicorn", passage.lines, GUNICORN)
    return Take(software=list(found)) if found else None


@tool("uvicorn", heads=("INFO:", "WARNING:", "ERROR:", "CRITICAL:", "(APIServer"),
      needles=("Exception in ASGI application",),
      starts=lambda line: _UVICORN.match(line.lstrip()[:400]) is not None,
      scattered=True)  # fmt: skip
def uvicorn(passage: Passage) -> Take | None:
    """uvicorn's start, errors and answers."""
    found = sayings("uvicorn", passage.lines, UVICORN)
    return Take(software=list(found)) if found else None
