"""What a Redis-like cache says about itself while users use it.

Order matters, since looking pollutes: two whole INFO readings first, with nothing but PING and
INFO between them; then the slow log; then a sample of at most 200 keys (PTTL counts as a look-up).
Never KEYS, MONITOR, DEBUG, EVAL, never a write.
"""

from __future__ import annotations

import threading
import time
from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.fact import Keyspace, Process, SlowCommand
from weaklink.model.look import Look, Outcome
from weaklink.model.message import Message, say
from weaklink.model.quantities import cache
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.model.target import target_key
from weaklink.parse.keyspaces import group_keys
from weaklink.parse.redis_info import Info, Own, info_readings, read_info
from weaklink.parse.redis_slowlog import read_slowlog
from weaklink.parse.resp import NotResp, Reply, ReplyError
from weaklink.reach.host import NotAllowed, NotHere, Reach, TooLate
from weaklink.reach.registry import probe
from weaklink.sources.redis_client import RedisClient
from weaklink.words import texts

texts(
    {
        "redis.none": "no Redis-like server runs here",
        "redis.no-listener": "{name} (pid {pid}) listens nowhere that could be found",
        "redis.refused": "{name} (pid {pid}) at {address}: {reason}",
        "redis.silent": "{name} (pid {pid}) at {address} did not answer a PING in {seconds:.1f} s",
        "redis.stopped": "{name} (pid {pid}) at {address} gave no answer in {seconds:.1f} s",
        "redis.password": "{name} (pid {pid}) at {address} wants a password",
        "redis.forbidden": "{name} (pid {pid}) at {address} does not allow {command}",
        "redis.not-resp": "{name} (pid {pid}) at {address} does not speak plain Redis (TLS?)",
        "redis.gone": "{name} (pid {pid}) at {address} hung up: {reason}",
    }
)

NAMES = ("redis-server", "valkey-server", "keydb-server", "dragonfly")
MAX_SERVERS = 8
MAX_KEYS = 200
MAX_DATABASES = 4
SLOW_ENTRIES = 32
PING_EVERY = 0.5
"""Seconds; a command that blocks the server for longer is met by a PING."""
MAX_BETWEEN = 8
"""Cheap `INFO stats` between the two whole ones."""
TAIL = 1.2
"""Seconds before the window ends at which the second whole INFO is read: time for the sample."""
CONNECT = 1.0
BUSY = 0.02
"""Seconds for an INFO: 0.3 ms is usual; such a server is read in the order of importance."""
MARGIN = 0.4
"""Seconds before our deadline at which a server that hangs is given up, to tell about it."""
PASSWORD_REMEDY = "read-only user: ACL SETUSER weaklink on >… ~* +info +ping +slowlog|get"  # noqa: S105


class Server(NamedTuple):
    """One server and where it listens."""

    process: Process
    address: str
    name: str


@probe(
    "redis",
    subject="cache",
    phase="deep",
    about="Redis-like caches: hits, expiries, slow commands, a sample of keys and their expiry",
    touches="PING, INFO; afterwards SLOWLOG GET and at most 200 RANDOMKEY and PTTL a server",
    frozen=False,
)
def redis(reach: Reach, case: Case) -> Take:
    """Readings `cache_*`, Keyspace and SlowCommand facts. Raises NotHere where none runs."""
    found, looks = servers(case, reach.now())
    if not found and not looks:
        raise NotHere(say("redis.none"))
    visits = [Visit(reach, case, server) for server in found[:MAX_SERVERS]]
    threads = [
        threading.Thread(target=visit.run, name=f"weaklink-redis-{i}", daemon=True)
        for i, visit in enumerate(visits)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.05, reach.left() - MARGIN / 2))
    takes = [visit.take() for visit in visits]
    return Take(
        readings=[one for take in takes for one in take.readings],
        keyspaces=[one for take in takes for one in take.keyspaces],
        slow_commands=[one for take in takes for one in take.slow_commands],
        looks=looks + [one for take in takes for one in take.looks],
    )


def servers(case: Case, at: float) -> tuple[list[Server], list[Look]]:
    """Servers with an address, and looks for those without one."""
    found: list[Server] = []
    looks: list[Look] = []
    for process in case.processes:
        base = process.exe.rpartition("/")[2]
        if process.name not in NAMES and base not in NAMES:
            continue
        listening = [one.address for one in case.listeners if process.pid in one.pids]
        address = min(listening, key=_preference, default="")
        if address:
            found.append(Server(process, address, _short(process, address)))
        elif not any(other.pid == process.ppid for other in case.processes if _same(other, base)):
            # A child of its own kind writes a snapshot and listens nowhere: no server.
            reason = say("redis.no-listener", name=process.name, pid=process.pid)
            looks.append(
                Look(name="redis", target=process.key, outcome="failed", at=at, reason=reason)
            )
    return found, looks


def _same(process: Process, base: str) -> bool:
    return process.name in NAMES or (bool(base) and process.exe.endswith(f"/{base}"))


def _preference(address: str) -> tuple[int, int]:
    """TCP before unix, IPv4 before IPv6, low ports first: a cluster's bus is its port + 10000."""
    port = address.rpartition(":")[2]
    return (
        2 if address.startswith("unix:") else int(address.startswith("[")),
        int(port) if port.isdigit() else 0,
    )


def _short(process: Process, address: str) -> str:
    port = address.rpartition(":")[2] if not address.startswith("unix:") else address
    return f"{process.name.partition('-')[0]}:{port}"


class Visit:
    """One server's visit, in a thread of its own; what it gathered so far can always be taken."""

    def __init__(self, reach: Reach, case: Case, server: Server) -> None:
        self.reach, self.case, self.server = reach, case, server
        self.readings: list[Reading] = []
        self.keyspaces: list[Keyspace] = []
        self.slow: list[SlowCommand] = []
        self.looks: list[Look] = []
        self.client: RedisClient | None = None
        self.started = time.monotonic()
        self.asked_at = self.started

    def take(self) -> Take:
        """What is there now."""
        touched = self.client.touched() if self.client is not None else []
        said = Look(
            name="redis",
            target=self.server.process.key,
            outcome="value",
            at=self.reach.now(),
            seconds=time.monotonic() - self.started,
            touched=[f"{self.server.address}: {one}" for one in touched],
        )
        return Take(
            readings=list(self.readings),
            keyspaces=list(self.keyspaces),
            slow_commands=list(self.slow),
            looks=[*self.looks, said] if touched else list(self.looks),
        )

    def run(self) -> None:
        """Visit; every way in which it can fail becomes a look with a reason."""
        try:
            left = max(0.05, min(CONNECT, self._left()))
            self.client = RedisClient(
                self.server.address, pid=self.server.process.pid, timeout=left
            )
        except NotAllowed as error:
            self._say("denied", error.reason, error.remedy)
            return
        except NotHere as error:
            self._say("absent", error.reason)
            return
        except Exception as error:
            self._refused(error)
            return
        try:
            self._look()
        except TimeoutError:
            waited = time.monotonic() - self.asked_at
            self._ping(waited)
            self._say("timeout", self._reason("redis.stopped", seconds=round(waited, 2)))
        except (_Ended, TooLate):
            pass
        except NotResp:
            self._say("failed", self._reason("redis.not-resp"))
        except OSError as error:
            reason = error.strerror or str(error) or type(error).__name__
            self._say("failed", self._reason("redis.gone", reason=reason))
        except Exception as error:
            self._say("failed", self._reason("redis.gone", reason=type(error).__name__))
        finally:
            self.client.close()

    def _look(self) -> None:
        self._check(self._ask("PING"), "PING", ping=True)
        self._info("all")
        slowness = time.monotonic() - self.asked_at
        if slowness > BUSY:
            self.slow = self._slow_log()  # while there still is time: it answers late
        info_due = time.monotonic() + 1.0
        between = 0
        # Four answers are still to come at the end, each as late as those so far.
        tail = TAIL + 4 * slowness
        until = min(self.reach.until - tail, self.reach.deadline - MARGIN - tail)
        while (left := until - time.monotonic()) > 0:
            self.reach.pause(min(PING_EVERY, left))
            if self.reach.stop.is_set():
                return
            if until - time.monotonic() <= 0:
                break
            self._check(self._ask("PING"), "PING", ping=True)
            if between < MAX_BETWEEN and time.monotonic() >= info_due:
                self._info("stats")
                between += 1
                info_due = time.monotonic() + 1.0
        info = self._info("all")
        known = {one.number for one in self.slow}
        self.slow += [one for one in self._slow_log() if one.number not in known]
        self.keyspaces = self._sample(info)

    def _info(self, section: str) -> Info:
        before = sum(self.client.sent.values()) if self.client is not None else 0
        at = self.reach.now()
        reply = self._check(self._ask("INFO", section), "INFO")
        info = read_info(reply if isinstance(reply, str) else "")
        own = Own(commands=before, connections=1)
        self.readings += info_readings(info, self.server.process.key, at, own)
        return info

    def _slow_log(self) -> list[SlowCommand]:
        reply = self._ask("SLOWLOG", "GET", SLOW_ENTRIES)
        if isinstance(reply, ReplyError):
            self._forbidden(reply, "SLOWLOG GET")
            return []
        return read_slowlog(reply, self.server.process.key)

    def _sample(self, info: Info) -> list[Keyspace]:
        total = sum(one.keys for one in info.databases.values())
        if not total:
            return []
        largest = sorted(info.databases.items(), key=lambda pair: -pair[1].keys)[:MAX_DATABASES]
        found: dict[tuple[int, str], float | None] = {}
        at = self.reach.now()
        for number, database in largest:
            count = max(1, round(MAX_KEYS * database.keys / total))
            if number and isinstance(self._ask("SELECT", number), ReplyError):
                continue
            replies = self._ask_all([("RANDOMKEY",)] * min(count, MAX_KEYS))
            if replies and isinstance(replies[0], ReplyError):
                self._forbidden(replies[0], "RANDOMKEY")
                return []
            keys = list(dict.fromkeys(key for key in replies if isinstance(key, str)))
            lives = self._ask_all([("PTTL", key) for key in keys])
            for key, life in zip(keys, lives, strict=False):
                if isinstance(life, int) and life != -2:
                    found[number, key] = life / 1000 if life >= 0 else None
        groups = group_keys([(key, ttl) for (_, key), ttl in found.items()])
        process = self.server.process
        return [
            Keyspace(
                cache=process.key,
                key=target_key(
                    "keyspace",
                    f"{self.server.name}/{group.prefix}",
                    host=self.case.host.name,
                    netns=process.netns,
                ),
                prefix=group.prefix,
                sampled=group.sampled,
                ttls=group.ttls,
                at=at,
                examples=group.examples,
            )
            for group in groups
        ]

    def _ask(self, *args: str | int) -> Reply:
        return self._ask_all([args])[0]

    def _ask_all(self, commands: list[tuple[str | int, ...]]) -> list[Reply]:
        if self.client is None:
            raise ConnectionResetError("not connected")
        self.asked_at = time.monotonic()
        return self.client.ask_all(commands, timeout=max(0.05, self._left()))

    def _check(self, reply: Reply, command: str, *, ping: bool = False) -> Reply:
        """The reply, or _Ended after saying why there is none; times a PING."""
        if ping:
            self._ping(time.monotonic() - self.asked_at)
        if isinstance(reply, ReplyError):
            if reply.kind == "LOADING":
                key, at = self.server.process.key, self.reach.now()
                reading = Reading(quantity=cache.CACHE_LOADING, target=key, at=at, value=1.0)
                self.readings.append(reading)
                return reply
            self._forbidden(reply, command)
            raise _Ended
        return reply

    def _ping(self, seconds: float) -> None:
        key, at = self.server.process.key, self.reach.now()
        self.readings.append(
            Reading(quantity=cache.CACHE_PING_SECONDS, target=key, at=at, value=seconds)
        )

    def _forbidden(self, reply: ReplyError, command: str) -> None:
        if reply.kind == "NOAUTH":
            self._say("denied", self._reason("redis.password"), PASSWORD_REMEDY)
        elif reply.kind in ("NOPERM", "DENIED"):
            reason = self._reason("redis.forbidden", command=command)
            self._say("denied", reason, PASSWORD_REMEDY)
        else:
            self._say("failed", self._reason("redis.gone", reason=reply.kind[:40]))

    def _refused(self, error: Exception) -> None:
        if isinstance(error, TimeoutError):
            waited = time.monotonic() - self.started
            self._ping(waited)
            self._say("timeout", self._reason("redis.silent", seconds=round(waited, 2)))
            return
        reason = getattr(error, "strerror", None) or type(error).__name__
        outcome: Outcome = "denied" if isinstance(error, PermissionError) else "failed"
        self._say(outcome, self._reason("redis.refused", reason=str(reason)))

    def _left(self) -> float:
        return self.reach.left() - MARGIN

    def _reason(self, key: str, **more: str | float) -> Message:
        process = self.server.process
        return say(key, name=process.name, pid=process.pid, address=self.server.address, **more)

    def _say(self, outcome: Outcome, reason: Message, remedy: str = "") -> None:
        self.looks.append(
            Look(
                name="redis",
                target=self.server.process.key,
                outcome=outcome,
                at=self.reach.now(),
                seconds=time.monotonic() - self.started,
                reason=reason,
                remedy=remedy,
            )
        )


class _Ended(Exception):  # noqa: N818 - the visit ends here, and has said why
    pass
