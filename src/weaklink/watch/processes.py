"""Every process, once a second: a stat line that is as it was costs one pread and nothing more.

Who came and went is told by the folder; a process that reads and writes, or waits for a CPU, shows
that in files which are read only when its CPU time moved. With very many processes those that
sleep are looked at in turns.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from weaklink.model.case import Case
from weaklink.model.fact import Process
from weaklink.model.quantities import process as q
from weaklink.parse.proc_process import parse_io
from weaklink.parse.proc_stat import PF_KTHREAD, PidStat, parse_pid_stat, parse_schedstat
from weaklink.probes.process_table import describe
from weaklink.reach.kept_file import KeptFile, Room
from weaklink.reach.root import Root
from weaklink.recorder.block import MISSING
from weaklink.recorder.box import Box, Table
from weaklink.watch.sheets import step

BUSY, IDLE = "process", "process-idle"
NAMES = (
    q.PROCESS_CPU_SECONDS_TOTAL,
    q.PROCESS_RESIDENT_BYTES,
    q.PROCESS_THREADS,
    q.PROCESS_MAJOR_FAULTS_TOTAL,
    q.PROCESS_IO_DELAY_SECONDS_TOTAL,
    q.PROCESS_RUN_DELAY_SECONDS_TOTAL,
    q.PROCESS_READ_BYTES_TOTAL,
    q.PROCESS_WRITTEN_BYTES_TOTAL,
)
MAX_FOLLOWED = 8_192
"""Beyond it processes are counted by the kernel's own counter only."""
MAX_NEW = 40
"""New processes described at one tick, about 0.1 ms each; the others wait for the next."""
AWAKE_TICKS = 30
"""A process counts as awake this long after it last used a CPU."""
CROWD = 400
"""Processes from which on those that sleep are read in turns, this many a second."""


class Followed:
    """One process that is being watched."""

    __slots__ = ("awake", "fact", "io", "raw", "seen", "stat", "stat_file", "table", "waits")

    def __init__(self, fact: Process, room: Room) -> None:
        self.fact = fact
        self.stat_file = KeptFile(f"/proc/{fact.pid}/stat", room, 1024)
        self.io: KeptFile | None = None
        self.waits: KeptFile | None = None
        self.raw = b""
        self.stat: PidStat | None = None
        self.table: Table | None = None
        self.awake = AWAKE_TICKS
        self.seen = 0

    def close(self) -> None:
        for kept in (self.stat_file, self.io, self.waits):
            if kept is not None:
                kept.close()


class Processes:
    """All processes of this machine. `started` and `ended` are told what came and went."""

    def __init__(
        self,
        box: Box,
        case: Case,
        room: Room,
        *,
        started: Callable[[Process], None],
        ended: Callable[[Process, PidStat | None], None],
    ) -> None:
        self._box = box
        self._case = case
        self._room = room
        self._root = Root("/")
        self._started, self._ended = started, ended
        self._page = float(case.host.page_bytes)
        self._columns = [
            (name, self._page if name == q.PROCESS_RESIDENT_BYTES else step(name)) for name in NAMES
        ]
        self.followed: dict[int, Followed] = {}
        self._kernel: set[int] = set()
        self.unfollowed = 0
        self._tick = 0
        self._first = True

    @property
    def turns(self) -> int:
        """Every how many ticks a sleeping process is read."""
        return max(1, len(self.followed) // CROWD)

    def look(self, thinner: int = 1) -> None:
        """One round; `thinner` lengthens the turns of those that sleep."""
        self._tick += 1
        self._come_and_go()
        turns = self.turns * thinner
        everyone = self._tick % turns == 0
        for pid, one in list(self.followed.items()):
            if one.awake <= 0 and not everyone:
                continue
            try:
                raw = one.stat_file.read()
            except OSError as error:
                if error.errno in (errno.ESRCH, errno.ENOENT):
                    self._gone(pid, one)
                continue
            one.seen += 1
            if raw != one.raw or one.seen == 2:
                self._moved(pid, one, raw)
            elif one.awake > 0:
                one.awake -= 1
                if one.awake == 0:
                    self._regroup(one, IDLE)
        self._box.read(BUSY)
        if everyone:
            self._box.read(IDLE)

    def _come_and_go(self) -> None:
        pids = {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208 - 230 names a second
        known = self.followed
        for pid in known.keys() - pids:
            self._gone(pid, known[pid])
        self._kernel &= pids
        fresh = pids - known.keys() - self._kernel
        room = MAX_FOLLOWED - len(known)
        self.unfollowed = max(0, len(fresh) - room)
        if not fresh or room <= 0:
            return
        most = len(fresh) if self._first else MAX_NEW
        self._first = False
        stats = []
        for pid in sorted(fresh)[: min(room, most)]:
            stat = parse_pid_stat(KeptFile(f"/proc/{pid}/stat", Room(0), 1024).try_read())
            if stat is None or stat.pid != pid:
                continue
            if stat.flags & PF_KTHREAD:
                self._kernel.add(pid)
            else:
                stats.append(stat)
        if stats:
            for pid, fact in describe(self._root, self._case, stats).items():
                known[pid] = Followed(fact, self._room)
                self._started(fact)

    def _gone(self, pid: int, one: Followed) -> None:
        one.close()
        if one.table is not None:
            self._box.end(one.table)
        del self.followed[pid]
        self._ended(one.fact, one.stat)

    def _moved(self, pid: int, one: Followed, raw: bytes) -> None:
        stat = parse_pid_stat(raw)
        if stat is None:
            return
        before, one.raw, one.stat = one.stat, raw, stat
        ran = before is None or before.cpu_ticks != stat.cpu_ticks
        if stat.name != one.fact.name:
            self._renamed(pid, one, stat)
        if one.seen < 2:
            return  # most processes of a busy machine do not live for a second: no table for them
        if ran:
            if one.awake <= 0:
                self._regroup(one, BUSY)
            one.awake = AWAKE_TICKS
        if one.table is None:
            one.table = Table(one.fact.key, BUSY, self._columns)
            ran = True
        held = one.table.values
        if ran or not held:
            more = (self._waited(pid, one, stat), *self._disk(pid, one))
        else:
            more = tuple(held[5:])  # type: ignore[assignment]
        self._box.put(
            one.table,
            (
                stat.cpu_ticks,
                stat.resident,
                stat.threads,
                stat.major_faults,
                stat.io_delay_ticks,
                *more,
            ),
        )

    def _waited(self, pid: int, one: Followed, stat: PidStat) -> int:
        """Microseconds that it waited for a CPU; of one with threads only the main one is told."""
        if stat.threads != 1:
            return MISSING
        if one.waits is None:
            one.waits = KeptFile(f"/proc/{pid}/schedstat", self._room, 128)
        found = parse_schedstat(one.waits.try_read())
        return MISSING if found is None else round(found[1] * 1e6)

    def _disk(self, pid: int, one: Followed) -> tuple[int, int]:
        if one.io is None:
            one.io = KeptFile(f"/proc/{pid}/io", self._room, 512)
        found = parse_io(one.io.try_read())
        return (MISSING, MISSING) if found is None else (round(found[0]), round(found[1]))

    def _regroup(self, one: Followed, group: str) -> None:
        """From those that are read each tick to those in turns, or back; alike without a crowd."""
        if one.table is None or one.table.group == group:
            return
        if group == IDLE and self.turns == 1:
            one.awake = 1  # no crowd: it stays where it is
            return
        values = one.table.values
        self._box.end(one.table)
        one.table = Table(one.fact.key, group, self._columns)
        self._box.put(one.table, values)

    def _renamed(self, pid: int, one: Followed, stat: PidStat) -> None:
        """It was seen between fork and exec, or gave itself a name: described once more."""
        fact = describe(self._root, self._case, [stat]).get(pid)
        if fact is None:
            return
        one.fact = fact
        self._started(fact)
