"""The loop: once a second it reads, keeps, judges whether to look deep, and counts what it costs.

One thread owns the box. Helpers of its own program look around and look deep; a cache is asked in
a thread. Whatever one part meets, the others go on: its trouble is kept and said.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from weaklink import __version__
from weaklink.model.case import SCHEMA, Case, CaseError, decode_case
from weaklink.model.event import Event
from weaklink.model.fact import Process
from weaklink.model.quantities import agent as q
from weaklink.model.quantities import disk as d
from weaklink.model.target import target_key
from weaklink.parse.proc_stat import PidStat
from weaklink.probes.filesystem import Space, ask_all
from weaklink.probes.host import look_at_host
from weaklink.reach.host import Reach
from weaklink.reach.kept_file import Room, raise_limit
from weaklink.reach.kernel_file import try_read
from weaklink.reach.root import Root
from weaklink.recorder import case_files
from weaklink.recorder.asked import condense
from weaklink.recorder.box import Box
from weaklink.recorder.tick import Head
from weaklink.sources.nginx_logs import log_path
from weaklink.watch.aside import Answer
from weaklink.watch.budget import Budget
from weaklink.watch.caches import Caches
from weaklink.watch.felt import Felt
from weaklink.watch.filling import Filling
from weaklink.watch.groups import Groups
from weaklink.watch.helpers import Helpers, Settings
from weaklink.watch.host import Host
from weaklink.watch.lives import Lives
from weaklink.watch.logs import Followed
from weaklink.watch.processes import Processes
from weaklink.watch.sheets import Sheets
from weaklink.watch.triggers import Readings, triggers

PERIOD = 1.0
COALESCE = 0.05
"""Seconds between two times that the kernel's word on processes wakes us."""
GROUPS_EVERY, SPACES_EVERY, AGENT_EVERY = 15, 30, 5
"""Ticks."""
STALL_TICKS = 10


@dataclass
class Status:
    """What the page and the person at the terminal are told."""

    started: float = 0.0
    ticks: int = 0
    late: int = 0
    tick_seconds: float = 0.0
    deep_looks: int = 0
    filed: list[str] = field(default_factory=list)
    last_trigger: str = ""
    troubles: dict[str, str] = field(default_factory=dict)


class Agent:
    """See the module. `say` is told what a person should know, one line each."""

    def __init__(self, settings: Settings, tell: Callable[[str], None]) -> None:
        self.settings = settings
        self.tell = tell
        self.status = Status(started=time.time())
        self.budget = Budget()
        root = Root("/")
        self.root = root
        take = look_at_host(_hands(root), _empty())
        self.case = msgspec.structs.replace(_empty(), host=take.host or _empty().host)
        host = self.case.host
        room = Room(raise_limit())
        boot = try_read(root, "/proc/sys/kernel/random/boot_id", 64).decode("ascii", "replace")
        head = Head(__version__, host.name, boot.strip(), f"{os.getpid()}-{time.time_ns():x}", 0)
        self.box = Box(
            settings.folder,
            head=head,
            cap=settings.cap,
            hours=settings.hours,
            spare=settings.spare,
        )
        self.sheets = Sheets(self.box)
        self.host = Host(self.sheets, host.name, host.clock_ticks, room)
        self.lives = Lives(time.time, self._key_of)
        self.processes = Processes(
            self.box, self.case, room, started=self._started, ended=self._ended
        )
        self.groups = Groups(self.sheets, host.name, room)
        self.caches = Caches()
        self.felt = Felt()
        self.filling = Filling()
        self.logs: dict[str, Followed] = {}
        self.triggers = triggers()
        self.helpers = Helpers(settings)
        self._stalls: list[dict[str, float]] = []
        self._first = True
        self._said = ""

    # the loop

    def run(self, stop: Callable[[], bool]) -> None:
        """Until told to stop; then the block is sealed."""
        start = time.monotonic()
        number = 0
        try:
            while not stop():
                self.step()
                number += 1
                due = start + number * PERIOD
                late = time.monotonic() - due
                if late > PERIOD:
                    self.status.late += int(late)
                    number += int(late)
                self._wait(start + number * PERIOD, stop)
        finally:
            self.box.close()

    def step(self) -> None:
        """One tick."""
        began = time.monotonic()
        tick = self.status.ticks
        self._part("host", lambda: self.host.look(self._is_whole))
        self._part("processes", lambda: self.processes.look(self.budget.thinner))
        self._first = False
        if tick % GROUPS_EVERY == 0:
            facts = [one.fact for one in self.processes.followed.values()]
            self._part("cgroups", lambda: self.groups.choose(facts, set()))
        self._part("cgroups", self.groups.look)
        self._part("caches", self._caches)
        self._part("logs", self._logs)
        if tick % SPACES_EVERY == 0:
            self._part("filesystems", self._spaces)
        if tick % AGENT_EVERY == 0:
            self._own_cost()
        for event in self.lives.take():
            self.box.event(event)
        self._part("helpers", self._helpers)
        self._part("triggers", self._judge)
        self.box.tick()
        self._tell_trouble()
        self.status.ticks += 1
        self.status.tick_seconds = time.monotonic() - began
        self.budget.step(self._stalled("cpu"))

    def _wait(self, until: float, stop: Callable[[], bool]) -> None:
        """Until the next tick, listening to the kernel meanwhile.

        Waits are spans, never moments of a clock: one that is set must not end us.
        """
        while not stop():
            left = until - time.monotonic()
            if left <= 0:
                return
            kernel = self.lives.kernel
            try:
                ready, _, _ = select.select([kernel] if kernel else [], [], [], min(left, PERIOD))
            except InterruptedError:
                continue
            if ready:
                self._part("process events", self.lives.listen)
                # A storm of short processes wakes us twenty times a second and not oftener.
                select.select([], [], [], max(0.0, min(COALESCE, until - time.monotonic())))

    def _part(self, name: str, work: Callable[[], None]) -> None:
        """One part of a tick; what it meets is kept as its trouble and never ends the loop."""
        try:
            work()
        except Exception as error:
            from weaklink.reach.runner import one_line

            self.status.troubles[name] = one_line(error)
        else:
            self.status.troubles.pop(name, None)

    # parts

    def _started(self, fact: Process) -> None:
        if self._first:
            self.lives.adopt([fact])
        else:
            self.helpers.came(fact.key)
            self.lives.started(fact)

    def _ended(self, fact: Process, stat: PidStat | None) -> None:
        self.helpers.went(fact.key)
        self.lives.ended(fact, stat)

    def _key_of(self, pid: int, start_ticks: int, netns: str) -> str:
        name = f"{pid}@{start_ticks}"
        return target_key("process", name, host=self.case.host.name, netns=netns)

    def _is_whole(self, name: str) -> bool:
        return self.root.exists(f"/sys/block/{name.replace('/', '!')}")

    def _caches(self) -> None:
        for key, values in self.caches.take().items():
            group = f"cache {key}"
            target = key
            self.sheets.put(f"{target}", values, group)
            self.box.read(group)

    def _logs(self) -> None:
        for followed in self.logs.values():
            grown = followed.grown()
            if grown is not None:
                rows = condense(grown.requests, weight=grown.weight)
                self.box.asked(rows)
                self.felt.add(rows)

    def _spaces(self) -> None:
        paths = [mount.path for mount in self.case.mounts]
        for path, space in ask_all(paths, 0.5).items() if paths else ():
            if isinstance(space, Space):
                key = target_key("mount", path, host=self.case.host.name)
                values = {d.FILESYSTEM_SIZE_BYTES: space.size, d.FILESYSTEM_FREE_BYTES: space.free}
                if space.inodes:
                    values[d.FILESYSTEM_FREE_INODES] = space.inodes_free
                self.sheets.put(key, values, "mount")
                self.filling.add(path, time.monotonic(), space.size, space.free)
        self.box.read("mount")

    def _own_cost(self) -> None:
        values = {
            q.AGENT_CPU_SECONDS_TOTAL: time.process_time(),
            q.AGENT_RESIDENT_BYTES: float(self.budget.resident),
            q.AGENT_TICK_SECONDS: self.status.tick_seconds,
            q.AGENT_TURNS: float(self.processes.turns * self.budget.thinner),
        }
        key = target_key("agent", "watch", host=self.case.host.name)
        self.sheets.put(key, values, "agent")
        self.box.read("agent")

    # helpers

    def _helpers(self) -> None:
        answer = self.helpers.step()
        self.status.deep_looks = self.helpers.deep_looks
        if answer is not None:
            self._answered(answer)

    def _answered(self, answer: Answer) -> None:
        if answer.what == "scene":
            self._scene(answer)
        elif answer.output and answer.code in (0, 1):
            self._file(answer)
        if answer.trouble:
            self.status.troubles[answer.what] = answer.trouble
        else:
            self.status.troubles.pop(answer.what, None)

    def _scene(self, answer: Answer) -> None:
        try:
            case = decode_case(case_files.unpack(answer.output, "scene"), "scene")
        except CaseError as error:
            self.status.troubles["scene"] = str(error)
            return
        self.box.scene(answer.output)
        self.helpers.learned({(one.netns, one.address) for one in case.listeners})
        self.case = msgspec.structs.replace(self.case, mounts=case.mounts)
        self.caches.choose(case)
        owners = {process.key: process for process in case.processes}
        found: dict[str, Followed] = {}
        for log in case.logs:
            if log.kind != "access" or log.same_as or log.path == "off":
                continue
            path, problem = log_path(_hands(self.root), owners.get(log.owner), log)
            key = log.key or log.path
            if problem is None and key not in found:
                old = self.logs.pop(key, None)
                found[key] = old if old is not None and old.path == path else Followed(log, path)
        for followed in self.logs.values():
            followed.close()
        self.logs = found

    def _file(self, answer: Answer) -> None:
        """File what the deep look saw; a look that found no pain is filed too, it was asked for."""
        name = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        try:
            path = case_files.file_packed(name, answer.output, self.settings.cases)
        except case_files.CannotFile as error:
            from weaklink.words import render

            self.status.troubles["filing"] = render(error.reason)
            return
        self.status.troubles.pop("filing", None)
        self.status.filed.append(str(path))
        del self.status.filed[:-20]
        key = target_key("agent", "watch", host=self.case.host.name)
        self.box.event(
            Event(at=time.time(), kind="case-filed", target=key, text=path.name, source="watch")
        )
        self.tell(f"filed {path}")

    # triggers

    def _judge(self) -> None:
        self._stalls.append(
            {
                name: self.host.last.get(f"host_pressure_{name}_some_seconds_total", 0.0)
                for name in ("cpu", "memory")
            }
        )
        del self._stalls[: -STALL_TICKS - 1]
        readings = Readings(
            now=time.time(),
            felt=self.felt.moment(time.time()),
            memory_stall=self._stalled("memory"),
            full_in=self.filling.full_in(),
        )
        for trigger in self.triggers:
            if trigger.step(readings):
                self._fire(trigger.name, trigger.says)

    def _stalled(self, name: str) -> float:
        if len(self._stalls) < 2:
            return 0.0
        return (self._stalls[-1][name] - self._stalls[0][name]) / (len(self._stalls) - 1)

    def _fire(self, name: str, says: str) -> None:
        self.status.last_trigger = name
        self.helpers.want_deep(says)
        key = target_key("agent", "watch", host=self.case.host.name)
        self.box.event(
            Event(at=time.time(), kind="trigger", target=key, text=says, source="watch",
                  details={"trigger": name})
        )  # fmt: skip
        self.tell(f"looking deep: {says}")

    def _tell_trouble(self) -> None:
        if self.box.store.trouble != self._said:
            self._said = self.box.store.trouble
            if self._said:
                where_now = self.box.store.place or "memory"
                self.tell(f"not kept on disk: {self._said}; kept in {where_now}")
                self.status.troubles["disk"] = self._said
            else:
                self.tell("kept on disk again")
                self.status.troubles.pop("disk", None)


def _hands(root: Root) -> Reach:
    now = time.monotonic()
    return Reach(root=root, window=0.0, until=now, deadline=now + 2.0)


def _empty() -> Case:
    from weaklink.incident.gather import UNKNOWN_HOST

    return Case(
        schema=SCHEMA, id="watch", created=time.time(), version=__version__, host=UNKNOWN_HOST,
        window=(0.0, 0.0),
    )  # fmt: skip
