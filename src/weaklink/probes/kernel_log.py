"""The kernel's own log: whom it killed for lack of memory, which device failed it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.event import Event
from weaklink.model.message import say
from weaklink.model.take import Take
from weaklink.model.target import target_key
from weaklink.parse.kernel_log import (
    MAX_LINES,
    KernelLine,
    OomKill,
    oom_kills,
    parse_kmsg,
    parse_log_lines,
    without_dumps,
)
from weaklink.parse.proc_host import parse_boot
from weaklink.probes.process_table import process_key
from weaklink.reach.host import NotAllowed, NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.registry import probe
from weaklink.reach.root import Root, read_bounded
from weaklink.words import texts

texts(
    {
        "kernel-log.denied": "the kernel log needs root or CAP_SYSLOG",
        "kernel-log.none": "no kernel log: neither /dev/kmsg nor a file of syslog",
    }
)

FILES = ("/var/log/kern.log", "/var/log/messages", "/var/log/syslog", "/var/log/dmesg")
TAIL_BYTES = 1 << 20
"""Of a file: the newest 8 000 lines or so."""
RECORD_BYTES = 8192
"""A record of /dev/kmsg is never longer (CONSOLE_EXT_LOG_MAX)."""
MAX_EVENTS = 200
SERIOUS = 4
"""Priority warning and worse; lines of files carry none and are all kept, newest first."""
PAST_SECONDS = 86_400.0
"""What is older than a day does not explain this hour; a boot's own chatter is left out."""
BOOT_SECONDS = 30.0
DRIFT = 20e-6
"""The log's clock is not steered by NTP and drifts about this much against the wall clock."""


class _Log(NamedTuple):
    lines: list[KernelLine]
    source: str


@probe(
    "kernel-log",
    subject="kernel",
    phase="last",
    about="the kernel log: OOM kills, failing devices, warnings of the last day",
)
def look_at_kernel_log(reach: Reach, case: Case) -> Take:
    """Events of kind `oom-kill` (with `details`) and `kernel`, newest last.

    Their `source` is `/dev/kmsg`, where only the kernel can have written a line, or the file,
    where any daemon can. Raises NotAllowed, NotHere.
    """
    root = reach.root
    now = reach.now()
    boot = parse_boot(try_read(root, "/proc/stat", 1 << 20)).at or case.host.boot
    log = read_log(root, boot, now, case.host.utc_offset)
    recent = [line for line in log.lines if now - PAST_SECONDS <= line.at <= now + 60]
    plus_minus = 0.1 + DRIFT * max(0.0, now - boot)
    kills = oom_kills(recent)
    events = [_kill_event(case, kill, log.source, plus_minus) for kill in kills]
    events += _line_events(case, recent, boot, log.source, plus_minus)
    return Take(events=sorted(events, key=lambda event: event.at))


def read_log(root: Root, boot: float, now: float, utc_offset: int) -> _Log:
    """Lines of /dev/kmsg, else of the first file that can be read; raises NotAllowed, NotHere."""
    denied = False
    if not root.frozen:
        try:
            records = kmsg_records()
            return _Log(_parsed(records, boot), "/dev/kmsg")
        except PermissionError:
            denied = True
        except OSError:
            pass  # no such device in this container: the files may still be here
    for path in FILES:
        try:
            text = _tail(root, path)
        except PermissionError:
            denied = True
            continue
        except OSError:
            continue
        lines = parse_log_lines(text, boot=boot, now=now, utc_offset=utc_offset)
        if lines or path == "/var/log/kern.log":
            return _Log(lines, path)
    if denied:
        raise NotAllowed(say("kernel-log.denied"), "sudo weaklink")
    raise NotHere(say("kernel-log.none"))


def kmsg_records(limit: int = MAX_LINES) -> list[bytes]:
    """Records that the ring holds, oldest first, at most `limit`; raises OSError.

    Our own descriptor: nobody else's reading is disturbed, nothing is cleared.
    """
    found: list[bytes] = []
    descriptor = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        while len(found) < limit:
            try:
                found.append(os.read(descriptor, RECORD_BYTES))
            except BlockingIOError:
                break
            except BrokenPipeError:
                continue  # overwritten while we read: the next read goes on behind the gap
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                break
    finally:
        os.close(descriptor)
    return found


def _parsed(records: Iterable[bytes], boot: float) -> list[KernelLine]:
    lines = (parse_kmsg(record, boot) for record in records)
    return [line for line in lines if line is not None]


def _tail(root: Root, path: str) -> str:
    size = root.stat(path).st_size
    raw = read_bounded(root.real(path), TAIL_BYTES, offset=max(0, size - TAIL_BYTES))
    if size > TAIL_BYTES:
        raw = raw.partition(b"\n")[2]
    return raw.decode("utf-8", "backslashreplace").replace("\x00", "\\x00")


def _kill_event(case: Case, kill: OomKill, source: str, plus_minus: float) -> Event:
    from weaklink.parse.redact import redact

    scope = f"control group {kill.cgroup}" if kill.cgroup else "the whole machine"
    text = (
        f"killed process {kill.pid} ({kill.name}) for lack of memory of {scope},"
        f" anon-rss {kill.anon_bytes / 1e6:.0f} MB"
    )
    return Event(
        at=kill.at,
        kind="oom-kill",
        target=_victim(case, kill),
        text=redact(text),
        source=source,
        plus_minus=plus_minus,
        details={
            "pid": kill.pid,
            "name": kill.name,
            "scope": "cgroup" if kill.cgroup else "host",
            "cgroup": kill.cgroup,
            "anon_bytes": kill.anon_bytes,
        },
    )


def _victim(case: Case, kill: OomKill) -> str:
    """Key of the process that had this pid then: the last one known that began before; else
    one with start 0, since the log does not tell when it began."""
    before = [fact for fact in case.processes if fact.pid == kill.pid and fact.start <= kill.at + 1]
    if before:
        return max(before, key=lambda fact: fact.start).key
    return process_key(case, "-", kill.pid, 0)


def _line_events(
    case: Case, lines: list[KernelLine], boot: float, source: str, plus_minus: float
) -> list[Event]:
    from weaklink.parse.redact import redact

    serious = [
        line
        for line in without_dumps(lines)
        if line.priority <= SERIOUS and line.at > boot + BOOT_SECONDS and line.text.strip()
    ]
    key = target_key("host", "-", host=case.host.name)
    return [
        Event(
            at=line.at,
            kind="kernel",
            target=key,
            text=redact(line.text),
            source=source,
            plus_minus=plus_minus,
        )
        for line in serious[-MAX_EVENTS:]
    ]
