"""A process that writes more log than helps, or waits for whoever reads its output."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from shlex import quote

from weaklink.locate.look import Judged, look
from weaklink.locate.python_threads import base, idle
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact_files import OpenFile
from weaklink.stats.robust import log_ramp, ramp
from weaklink.words import sign

FLOODS = sign(
    "process.log-floods",
    "kernel-counters",
    "The link's log grows by megabytes each second.",
    "{name} writes {rate} MB/s of log to {path}",
    hurts=True,
)
IN_LOGGING = sign(
    "stack.in-logging",
    "process-stacks",
    "Working threads of the link sit in the logging library: they write lines or wait to.",
    "{percent} % of its working threads are in the logging library, for {function} {file}:{line}",
    hurts=True,
)
BLOCKED_ON_PIPE = sign(
    "process.blocked-on-output",
    "kernel-counters",
    "Threads of the link sleep in a write to a full pipe: whoever reads its output does not.",
    "{count} threads of pid {pid} wait in {where}: the reader of its output does not keep up",
    hurts=True,
)

FLOOD = (1.0, 8.0)
"""MB/s of appended lines: a chatty service of 100 requests/s writes 0.05; 1 MB/s is debug level,
8 MB/s is what a network disk takes."""
LOGGING_SHARE = (0.15, 0.5)
"""Of working threads: a line costs 20 microseconds, so a healthy service is hardly caught in it."""
LEAST_WORKING = 4
LOGGERS = ("logging", "loguru", "structlog")
PIPE_WAITS = ("pipe_write", "anon_pipe_write", "pipe_wait")
"""What the kernel calls the wait for room in a pipe, by version."""


@look("process")
def floods(view: View) -> Iterable[Judged]:
    """Bytes appended to the logs of each link, the loudest file named."""
    rates: dict[str, list[tuple[float, OpenFile]]] = defaultdict(list)
    for fact in view.case.software:
        if isinstance(fact, OpenFile) and fact.how == "append" and fact.seconds > 0:
            rates[fact.process].append((fact.grown / fact.seconds / 1e6, fact))
    for link in view.on_chain():
        own = [row for key in link.processes for row in rates.get(key, [])]
        if not own:
            continue
        rate, fact = max(own, key=lambda row: (row[0], row[1].path))
        yield evidence(
            FLOODS,
            fact.process,
            log_ramp(rate, *FLOOD),
            link=link.key,
            value=round(rate, 2),
            command=f"ls -l {quote(fact.path)}; sleep 1; ls -l {quote(fact.path)}",
            name=link.name,
            rate=round(rate, 1),
            path=fact.path,
        )


@look("stacks")
def in_logging(view: View) -> Iterable[Judged]:
    """How many working threads are caught writing a line."""
    for link in view.on_chain():
        working = [
            thread
            for stack in view.stacks(link)
            for thread in stack.threads
            if thread.frames and idle(thread) is None
        ]
        if len(working) < LEAST_WORKING:
            continue
        caught = [
            thread
            for thread in working
            if any(_is_logging(frame.file, frame.origin) for frame in thread.frames)
        ]
        share = len(caught) / len(working)
        frame = None
        if caught:
            frames = caught[0].frames
            frame = next((f for f in frames if not _is_logging(f.file, f.origin)), frames[0])
            frame = next((f for f in frames if f.origin == "app"), frame)
        yield evidence(
            IN_LOGGING,
            link.processes[0] if link.processes else link.key,
            ramp(share, *LOGGING_SHARE),
            link=link.key,
            value=round(share, 3),
            command=f"py-spy dump --nonblocking --pid {link.pids[0] if link.pids else 'PID'}",
            percent=round(100 * share),
            function=base(frame) if frame else "?",
            file=frame.file.rpartition("/")[2] if frame else "?",
            line=frame.line if frame else 0,
        )


def _is_logging(file: str, origin: str) -> bool:
    return origin in LOGGERS or (origin == "stdlib" and "/logging/" in file)


@look("process")
def blocked_on_output(view: View) -> Iterable[Judged]:
    """Threads that were asleep in a pipe's write whenever they were looked at."""
    for link in view.on_chain():
        stuck, looked = _stuck(view, link)
        if not looked:
            continue
        key = stuck[0] if stuck else (link.processes[0] if link.processes else link.key)
        pid = key.rpartition("/")[2].partition("@")[0]
        yield evidence(
            BLOCKED_ON_PIPE,
            key,
            1.0 if stuck else 0.0,
            link=link.key,
            value=float(len(stuck)),
            command=f"grep . /proc/{pid}/task/*/wchan; ls -l /proc/{pid}/fd/1 /proc/{pid}/fd/2",
            count=len(stuck),
            pid=pid,
            where="pipe_write",
        )


def _stuck(view: View, link: Link) -> tuple[list[str], bool]:
    """Process keys, one for each thread that always slept in a pipe; whether any could be read."""
    found: list[str] = []
    looked = False
    for key in link.processes:
        readings: dict[int, list[str]] = defaultdict(list)
        for thread in view.threads_of(key):
            readings[thread.tid].append(thread.waits_in)
            looked = looked or bool(thread.waits_in)
        found += [
            key
            for waits in readings.values()
            if len(waits) > 1 and all(where.startswith(PIPE_WAITS) for where in waits)
        ]
    return found, looked
