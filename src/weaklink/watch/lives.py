"""Who began and who ended, with what exit, and who had started it: a cron line, a timer, a shell.

The kernel tells as it happens where we may listen; else the once-a-second round finds what lived
long enough to be seen. A fork storm is counted, not followed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import NamedTuple

from weaklink.model.event import Event
from weaklink.model.fact import Process
from weaklink.model.target import HOST_NETNS
from weaklink.parse.clean import clean_text
from weaklink.parse.proc_process import parse_cgroup_of, parse_cmdline
from weaklink.parse.proc_stat import PidStat, parse_pid_stat
from weaklink.parse.redact import redact_argv
from weaklink.reach.kernel_file import try_read
from weaklink.reach.namespaces import netns_labels
from weaklink.reach.proc_events import ProcEvents
from weaklink.reach.root import Root
from weaklink.watch.origin import Parent, origin_of

MAX_TEXT = 160
PER_SECOND = 10.0
"""Programs that are looked at as they start, about 0.2 ms each; bursts up to BURST."""
BURST = 60.0
MAX_PARENTS = 12
MAX_TOLD = 10_000
KEPT = 512
"""Parents whose command is remembered."""


class _Told(NamedTuple):
    """What was told to have begun, and when."""

    start_ticks: int
    key: str
    text: str
    at: float


class Lives:
    """Collects Events; `take()` hands them over at each tick."""

    def __init__(self, now: Callable[[], float], key_of: Callable[[int, int, str], str]) -> None:
        self._now = now
        self._key_of = key_of
        self._root = Root("/")
        self._own = os.getpid()
        self._events: list[Event] = []
        self._told: dict[int, _Told] = {}
        self._above: dict[int, tuple[tuple[int, str], Parent]] = {}
        self._exits: dict[int, int] = {}
        self._left = BURST
        self._filled = time.monotonic()
        self.kernel: ProcEvents | None = None
        self.skipped = 0
        try:
            self.kernel = ProcEvents()
        except OSError:
            self.kernel = None

    def listen(self) -> None:
        """What the kernel has told since: to be called when its socket is readable."""
        if self.kernel is None:
            return
        for event in self.kernel.take():
            if event.kind == "exec":
                if self._may_look():
                    self._began(event.pid)
                else:
                    self.skipped += 1
            elif event.kind == "exit":
                self._ended_pid(event.pid, event.code)

    def started(self, fact: Process) -> None:
        """The round found a process; told already where the kernel tells."""
        known = self._told.get(fact.pid)
        if known is not None and (known.start_ticks, known.key) == (fact.start_ticks, fact.key):
            return
        self._tell(fact.pid, fact.start_ticks, fact.command or [fact.name], fact.start, fact.key)

    def ended(self, fact: Process, stat: PidStat | None) -> None:
        """The round no longer finds it; told already where the kernel tells."""
        if self._told.pop(fact.pid, None) is None and self.kernel is not None:
            return
        code = self._exits.pop(fact.pid, None)
        self._gone(fact.key, " ".join(fact.command)[:MAX_TEXT] or fact.name, code, 0.5)

    def adopt(self, facts: list[Process]) -> None:
        """Those that ran before we came: their start is not news, their end is."""
        for fact in facts:
            text = " ".join(fact.command)[:MAX_TEXT] or fact.name
            self._told[fact.pid] = _Told(fact.start_ticks, fact.key, text, fact.start)

    def take(self) -> list[Event]:
        """Events since the last call."""
        found, self._events = self._events, []
        return found

    def _may_look(self) -> bool:
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._filled) * PER_SECOND)
        self._filled = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def _began(self, pid: int) -> None:
        stat = self._stat(pid)
        if stat is None:
            return
        argv = redact_argv(parse_cmdline(try_read(self._root, f"/proc/{pid}/cmdline", 8192)))
        netns = netns_labels(self._root, [pid]).get(pid, HOST_NETNS)
        key = self._key_of(pid, stat.start_ticks, netns)
        self._tell(pid, stat.start_ticks, argv or [stat.name], self._now(), key)

    def _tell(self, pid: int, start_ticks: int, argv: list[str], at: float, key: str) -> None:
        text = " ".join(argv)[:MAX_TEXT]
        parents = self._parents(pid)
        if self._is_helper(argv, parents):
            return
        origin = origin_of(parents, self._cgroup(pid), argv)
        details: dict[str, str | int | float] = {"pid": pid, "start_ticks": start_ticks}
        if parents:
            details["parent"] = parents[0].pid
            details["under"] = " < ".join(one.name for one in parents)[:MAX_TEXT]
        if origin.kind:
            details["by"] = origin.kind
            details["origin"] = origin.text
        if len(self._told) > MAX_TOLD:
            self._told.clear()
        self._told[pid] = _Told(start_ticks, key, text, at)
        self._events.append(
            Event(
                at=at, kind="process-start", target=key, text=text, source="watch",
                plus_minus=0.05, details=details,
            )
        )  # fmt: skip

    def _is_helper(self, argv: list[str], parents: list[Parent]) -> bool:
        """Whether we sent it ourselves, or who we sent did: that is no news."""
        if not any(one.pid == self._own for one in parents):
            return False
        return any("--helper" in words for words in (argv, *(one.argv for one in parents)))

    def _ended_pid(self, pid: int, code: int) -> None:
        known = self._told.pop(pid, None)
        if known is None:
            return
        self._gone(known.key, known.text, code, 0.05, since=known.at)

    def _gone(
        self, key: str, text: str, code: int | None, plus_minus: float, since: float = 0.0
    ) -> None:
        details: dict[str, str | int | float] = {}
        if code is not None:
            details["signal" if code & 0x7F else "exit"] = code & 0x7F or code >> 8
        if since:
            details["lived"] = round(self._now() - since, 2)
        self._events.append(
            Event(
                at=self._now() - (plus_minus if code is None else 0.0), kind="process-exit",
                target=key, text=text, source="watch", plus_minus=plus_minus, details=details,
            )
        )  # fmt: skip

    def _parents(self, pid: int) -> list[Parent]:
        found: list[Parent] = []
        stat = self._stat(pid)
        while stat is not None and stat.ppid > 0 and len(found) < MAX_PARENTS:
            pid = stat.ppid
            stat = self._stat(pid)
            if stat is None:
                break
            found.append(self._parent(stat))
        return found

    def _parent(self, stat: PidStat) -> Parent:
        """A process above, its command read and redacted once."""
        known = self._above.get(stat.pid)
        if known is not None and known[0] == (stat.start_ticks, stat.name):
            return known[1]
        raw = try_read(self._root, f"/proc/{stat.pid}/cmdline", 4096)
        parent = Parent(stat.pid, stat.name, redact_argv(parse_cmdline(raw)))
        if len(self._above) >= KEPT:
            self._above.clear()
        self._above[stat.pid] = (stat.start_ticks, stat.name), parent
        return parent

    def _stat(self, pid: int) -> PidStat | None:
        return parse_pid_stat(try_read(self._root, f"/proc/{pid}/stat", 1024))

    def _cgroup(self, pid: int) -> str:
        paths = parse_cgroup_of(try_read(self._root, f"/proc/{pid}/cgroup", 4096))
        return clean_text(paths.get("unified") or paths.get("systemd") or "")
