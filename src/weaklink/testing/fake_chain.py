"""A made-up chain as a Case that nobody judged yet: nginx, a gateway, three workers, a cache.

Healthy to begin with; every method makes one thing sick, in facts and readings alone, as probes
would bring them. `case()` gives the Case, `incident.judge` judges it. Times: the log goes back
ten minutes, the onset is `ONSET` seconds before the window ends.
"""

from __future__ import annotations

import random
from collections import defaultdict

from weaklink.model.case import SCHEMA, Case, grow
from weaklink.model.event import Event, EventKind
from weaklink.model.fact import (
    Cgroup,
    Connection,
    CpuSamples,
    Frame,
    Host,
    Keyspace,
    Listener,
    LogFile,
    Process,
    ProxyServer,
    SlowCommand,
    Stack,
    StackThread,
    Thread,
    Upstream,
    UpstreamMember,
)
from weaklink.model.look import Look
from weaklink.model.requests import Requests
from weaklink.model.series import Reading, to_series
from weaklink.model.target import target_key

HOST = "h1"
END = 1_800_000_000.0
WINDOW = 6.0
ONSET = 30.0
LOG_SECONDS = 600.0
FRONT, GATE, CACHE = 100, 200, 500
WORKERS = (301, 302, 303)
READ_TIMEOUT = 10.0
RATE = 20.0
LOG = "/var/log/nginx/access.log"


def process_key(pid: int) -> str:
    """Key of a made-up process."""
    return target_key("process", f"{pid}@{pid}", host=HOST)


def group_key(pid: int) -> str:
    """Key of the control group that a made-up process lives in."""
    return target_key("cgroup", f"/pods/{pid}", host=HOST)


def address(pid: int) -> str:
    """Where a made-up process listens."""
    return f"10.0.0.{pid % 100 or 1}:{8000 + pid}"


class FakeChain:
    """See the module. Seeded: the same seed gives the same Case."""

    def __init__(self, seed: int = 1) -> None:
        self.random = random.Random(seed)  # noqa: S311 - made-up data
        self.processes: dict[int, Process] = {}
        self.stacks: list[Stack] = []
        self.threads: list[Thread] = []
        self.cpu_samples: list[CpuSamples] = []
        self.events: list[Event] = []
        self.keyspaces: list[Keyspace] = []
        self.slow: list[SlowCommand] = []
        self.cpus = 4
        self.rates: dict[tuple[str, str], tuple[float, float]] = {}
        self.listening = {FRONT, GATE, CACHE, *WORKERS}
        self.quota: dict[int, float] = {}
        self.frozen_groups: set[int] = set()
        self.open_connections: list[Connection] = []
        self.idle_workers: set[int] = set()
        self.silent: set[int] = set()
        self.slow_share: dict[int, float] = dict.fromkeys(WORKERS, 0.0)
        self.slow_seconds = 2.0
        self.status_when_slow = 200
        self.one_path = ""
        self.refused: set[int] = set()
        self.shrunk_to = 0
        """Bytes of each answer since the onset; 0: as ever."""
        self.past: dict[tuple[str, str], float] = {}
        """What a gauge was in the minutes before the window: `chain.past[quantity, target]`."""
        self.also: dict[str, list[object]] = defaultdict(list)
        """Facts of further kinds, by the Case's field: `chain.also["hardware"].append(nic)`."""
        self._build()

    def _build(self) -> None:
        for pid, name in ((FRONT, "nginx"), (GATE, "python3"), (CACHE, "redis-server")):
            self._process(pid, name)
        for pid in WORKERS:
            self._process(pid, "python3", libraries=["av"])
        for pid in self.processes:
            self.cpu(pid, 0.05)
            self.counter("process_run_delay_seconds_total", process_key(pid), 0.01)
            self.counter("cgroup_cpu_periods_total", group_key(pid), 10.0, start=5000)
            self.counter("cgroup_cpu_throttled_periods_total", group_key(pid), 0.0, start=3)
            self.counter("cgroup_oom_kills_total", group_key(pid), 0.0)
        self.host_cpu(busy=0.2)
        self.cache(hits=36.0, misses=4.0, sets=4.0, keys=9000.0, key_growth=0.0, expired=4.0)

    def _process(self, pid: int, name: str, **more: object) -> None:
        script = {"python3": ["python3", "/app/gate.py" if pid == GATE else "/app/worker.py"]}
        self.processes[pid] = Process(
            key=process_key(pid),
            pid=pid,
            start_ticks=pid,
            start=END - 86_400,
            ppid=1,
            name=name,
            state="S",
            session=pid,
            command=script.get(name, [name]),
            exe=f"/usr/bin/{name}",
            cgroup={"cpu": f"/pods/{pid}"},
            python=name == "python3",
            **more,  # type: ignore[arg-type]
        )

    # -- making things sick ---------------------------------------------------------------------

    def counter(self, quantity: str, target: str, rate: float, start: float = 0.0) -> None:
        """A counter that stood at `start` and grows by `rate` a second."""
        self.rates[(quantity, target)] = (start, rate)

    def cpu(self, pid: int, cpus: float) -> None:
        """A process uses this many CPUs."""
        self.counter("process_cpu_seconds_total", process_key(pid), cpus, start=100.0)

    def host_cpu(self, *, busy: float) -> None:
        """Share of the machine's CPUs that is busy."""
        key = target_key("host", "-", host=HOST)
        for name in ("nice", "system", "irq", "steal", "iowait"):
            self.counter(f"host_cpu_{name}_seconds_total", key, 0.0)
        self.counter("host_cpu_user_seconds_total", key, busy * self.cpus)
        self.counter("host_cpu_idle_seconds_total", key, (1 - busy) * self.cpus)

    def cache(
        self,
        *,
        hits: float,
        misses: float,
        sets: float,
        keys: float,
        key_growth: float,
        expired: float,
        past_expired: float = 20_000.0,
    ) -> None:
        """The cache's counters, per second; its life so far had nine hits in ten look-ups."""
        key = process_key(CACHE)
        self.counter("cache_hits_total", key, hits, start=900_000)
        self.counter("cache_misses_total", key, misses, start=100_000)
        self.counter("cache_set_commands_total", key, sets, start=100_000)
        self.counter("cache_expired_keys_total", key, expired, start=past_expired)
        self.counter("cache_commands_total", key, hits + misses + sets, start=1_200_000)
        self.counter("cache_keys", key, key_growth, start=keys)
        self.counter("cache_uptime_seconds", key, 1.0, start=86_400)
        self.counter("cache_ping_seconds", key, 0.0, start=0.0002)
        self.counter("cache_slow_scan_seconds_total", key, 0.0)

    def ttls(self, ttls: list[float]) -> None:
        """A sample of the cache's keys."""
        self.keyspaces = [
            Keyspace(
                cache=process_key(CACHE),
                key=target_key("keyspace", f"{address(CACHE)}/thumb:", host=HOST),
                prefix="thumb:",
                sampled=len(ttls),
                ttls=ttls,
                at=END,
            )
        ]

    def slow_members(
        self, *pids: int, share: float, seconds: float = 2.0, status: int = 200
    ) -> None:
        """Since the onset this share of the members' requests takes `seconds`."""
        for pid in pids:
            self.slow_share[pid] = share
        self.slow_seconds = seconds
        self.status_when_slow = status

    def waiting(self, pid: int, *, caller: int, count: int, age: float) -> None:
        """Requests that `caller` sent to `pid` and that are not answered, at every tick."""
        for tick in self._ticks():
            for n in range(count):
                self._pair(pid, caller, 50_000 + n, tick, age, idle=False)

    def busy_in(
        self, pid: int, *, cpus: float, frames: list[Frame], native: str = "", count: int = 4
    ) -> None:
        """A process burns CPU with its stacks in these frames, or in native threads."""
        self.cpu(pid, cpus)
        for at in (END - 5, END - 4, END - 3, END - 2):
            threads = [
                StackThread(tid=pid + n, name=f"w{n}", running=not native, frames=frames)
                for n in range(count)
            ]
            self.stacks.append(Stack(process=process_key(pid), at=at, threads=threads))
        name = native or "python3"
        for at, used in ((END - WINDOW, 0.0), (END, cpus * WINDOW)):
            self.threads.append(
                Thread(
                    process=process_key(pid), tid=pid, name=name, state="R", at=at, cpu_seconds=used
                )
            )

    def sampled(self, pid: int, libraries: dict[str, int], *, kernel: int = 0) -> None:
        """The kernel's samples of a process's CPU, by mapped library."""
        self.cpu_samples.append(
            CpuSamples(
                process=process_key(pid),
                at=END,
                hertz=49.0,
                seconds=WINDOW,
                samples=kernel + sum(libraries.values()),
                kernel=kernel,
                libraries=libraries,
            )
        )

    def outsider(self, pid: int, name: str, *, cpus: float, nice: int = 0) -> None:
        """A process that is not part of the chain."""
        self._process(pid, name)
        self.processes[pid] = Process(
            **{
                **{f: getattr(self.processes[pid], f) for f in Process.__struct_fields__},
                "nice": nice,
            }
        )
        self.cpu(pid, cpus)

    def state(self, pid: int, state: str) -> None:
        """Scheduler state of a process, as in /proc/PID/stat."""
        fields = {f: getattr(self.processes[pid], f) for f in Process.__struct_fields__}
        self.processes[pid] = Process(**{**fields, "state": state})

    def event(self, kind: EventKind, at: float, pid: int, text: str) -> None:
        """Something that happened `at` seconds before the end."""
        self.events.append(
            Event(at=END - at, kind=kind, target=process_key(pid), text=text, source="/dev/kmsg")
        )

    def refuses(self, pid: int, at: float) -> None:
        """A line of the proxy's error log: a member refused a connection."""
        self.events.append(
            Event(
                at=END - at,
                kind="log",
                target=process_key(FRONT),
                text="connect() failed (111: Connection refused)",
                source="nginx-error",
                details={"code": "connect-refused", "upstream": address(pid), "count": 1},
            )
        )

    # -- the Case -------------------------------------------------------------------------------

    def _ticks(self) -> list[float]:
        return [END - WINDOW + n for n in range(int(WINDOW) + 1)]

    def _pair(
        self, pid: int, caller: int, port: int, tick: float, age: float, *, idle: bool
    ) -> None:
        here, there = address(pid), f"10.0.0.{caller % 100 or 1}:{port}"
        recent, older = age, age + 20.0
        self.open_connections += [
            Connection(
                local=here, remote=there, netns="-", pid=pid, at=tick,
                received_age=older if idle else recent, sent_age=recent if idle else older,
            ),
            Connection(
                local=there, remote=here, netns="-", pid=caller, at=tick,
                received_age=recent if idle else older, sent_age=older if idle else recent,
            ),
        ]  # fmt: skip

    def _requests(self) -> Requests:
        rows: dict[str, list[object]] = defaultdict(list)
        count = int(LOG_SECONDS * RATE)
        for n in range(count):
            at = END - LOG_SECONDS + n / RATE
            after = at >= END - ONSET
            members = [pid for pid in WORKERS if not (after and pid in self.idle_workers)]
            pid = members[n % len(members)]
            path = f"/v1/thumb/{self.random.randrange(400)}"
            one = bool(self.one_path) and self.random.random() < 0.3
            slow = after and self.random.random() < self.slow_share[pid]
            if self.one_path:
                slow = after and one
                path = self.one_path if one else path
            took = self.slow_seconds * self.random.uniform(0.8, 1.2) if slow else 0.02
            took = took if slow else took * self.random.uniform(0.7, 1.6)
            status = self.status_when_slow if slow else 200
            if status == 504:
                took = READ_TIMEOUT
            if after and pid in self.refused:
                status, took = 502, 0.001
            if at + took > END:
                continue
            for name, value in (
                ("start", at), ("end", at + took), ("duration", took), ("status", status),
                ("method", "GET"), ("path", path), ("route", "/v1/thumb/{}"),
                ("client", "10.9.9.9"), ("upstream", address(pid)), ("upstream_status", status),
                ("upstream_duration", took), ("tries", 1),
                ("sent", self.shrunk_to if after and self.shrunk_to else 2000),
            ):  # fmt: skip
                rows[name].append(value)
        return Requests(
            source=target_key("log", LOG, host=HOST),
            covered_from=END - LOG_SECONDS,
            **rows,  # type: ignore[arg-type]
        )

    def _idle_connections(self) -> None:
        for tick in self._ticks():
            self._pair(FRONT, 900, 40_000, tick, 0.1, idle=True)
            for pid in WORKERS:
                if pid in self.listening - self.idle_workers - self.silent:
                    self._pair(pid, FRONT, 41_000 + pid, tick, 0.2, idle=True)
                    self._pair(CACHE, pid, 42_000 + pid, tick, 0.2, idle=True)

    def case(self) -> Case:
        """The Case as collected: facts and readings, no judgement."""
        self._idle_connections()
        readings = [
            Reading(
                quantity=quantity,
                target=target,
                at=tick,
                value=start + rate * (tick - END + WINDOW),
            )
            for (quantity, target), (start, rate) in self.rates.items()
            for tick in self._ticks()
        ] + [
            Reading(quantity=quantity, target=target, at=END - LOG_SECONDS + 30 * n, value=value)
            for (quantity, target), value in self.past.items()
            for n in range(18)
        ]
        owner = process_key(FRONT)
        members = [UpstreamMember(address=address(pid)) for pid in WORKERS]
        made = Case(
            schema=SCHEMA,
            id="fake",
            created=END - WINDOW,
            version="0",
            host=Host(name=HOST, boot=END - 1e6, cpus=self.cpus, memory_bytes=8e9),
            window=(END - WINDOW, END),
            looks=[
                Look(
                    name="redis", target=process_key(CACHE), outcome="value", at=END,
                    touched=["SLOWLOG GET"],
                )
            ],
            series=to_series(readings),
            processes=list(self.processes.values()),
            threads=self.threads,
            listeners=[
                Listener(address=address(pid), netns="-", pids=[pid])
                for pid in sorted(self.listening)
            ],
            connections=self.open_connections,
            upstreams=[Upstream(owner=owner, name="workers", members=members)],
            servers=[
                ProxyServer(
                    owner=owner, listen=[address(FRONT)], passes=["workers"],
                    read_timeout=READ_TIMEOUT,
                )
            ],
            logs=[
                LogFile(owner=owner, path=LOG, kind="access"),
                LogFile(owner=owner, path="/var/log/nginx/error.log", kind="error"),
            ],
            stacks=self.stacks,
            cpu_samples=self.cpu_samples,
            cgroups=[
                Cgroup(
                    key=group_key(pid), path=f"/pods/{pid}", version=2, pids=[pid],
                    cpu_quota=self.quota.get(pid), frozen=pid in self.frozen_groups,
                )
                for pid in self.processes
            ],
            keyspaces=self.keyspaces,
            slow_commands=self.slow,
            requests=[self._requests()],
            events=self.events,
        )  # fmt: skip
        return grow(
            made, **{name: [*getattr(made, name), *rows] for name, rows in self.also.items()}
        )
