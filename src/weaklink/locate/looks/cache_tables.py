"""What redis-cli shows beside INFO: slow commands, latency spikes, big and hot keys, clients.

Redis runs one command at a time: one that takes 30 ms holds up everybody for 30 ms. The LFU
counter of --hotkeys is logarithmic and ends at 255, so it is no number of requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, lasting, sized
from weaklink.locate.view import View
from weaklink.model.fact import SlowCommand
from weaklink.model.fact_text_cache import (
    CacheClients,
    CacheCount,
    CacheKeyRow,
    CacheLatency,
    CacheProbe,
    CacheStat,
)
from weaklink.model.finding import Finding, Verdict
from weaklink.parse.redis_info import SLOW_SCAN
from weaklink.words import texts

texts(
    {
        "finding.redis.slowlog-scan": "{command} is {count} of {total} slow commands, up to "
        "{longest} each[, {rate} a minute]: its cost grows with the data and it blocks every "
        "client meanwhile; use SCAN or an index",
        "finding.redis.slowlog": "{total} slow commands, up to {longest}: {command}",
        "finding.redis.slowlog-ok": "{total} entries in the slow log, none above {longest}",
        "finding.redis.spikes": "{count} latency spikes of kind {event}[, one each {period}]: "
        "{average} on average, worst {worst}; {meaning}",
        "finding.redis.spike": "latency event {event}: latest {latest}, worst {worst}; {meaning}",
        "finding.redis.no-spikes": "it has seen no latency spike",
        "finding.redis.big-key": "the {sort} {key} has {size} {unit}: reading or deleting the "
        "whole of it blocks every client",
        "finding.redis.no-big-key": "no key is large: the largest has {size} {unit}",
        "finding.redis.hot-keys": "hottest keys (LFU counter {counter} of 255, logarithmic: no "
        "count of requests; only under an LFU policy): {keys}",
        "finding.redis.no-hot-keys": "no key stands out (LFU counter at most {counter} of 255)",
        "finding.redis.leak": "{unused} of {clients} clients were never used again since they "
        "connected (idle as long as they are old): connections leak[, most from {host}]",
        "finding.redis.output": "a client has {size} of replies waiting that it does not read",
        "finding.redis.clients-ok": "{clients} clients, longest idle {idle}",
        "finding.redis.idle-pool": "{clients} clients are open but only {requests} requests/s come "
        "and none waits: idle connections pile up, the load itself is nil",
        "finding.redis.stat-ok": "{requests} requests/s from {clients} clients",
        "finding.redis.reconnects": "{connections} new connections/s at {requests} requests/s: "
        "clients connect anew for their requests",
        "finding.redis.late": "a PING takes {average} on average, worst {maximum}",
        "finding.redis.prompt": "a PING takes {average} on average",
        "finding.redis.machine": "the machine itself makes a running program wait up to {maximum} "
        "(intrinsic latency): not Redis' doing",
        "finding.redis.machine-ok": "the machine itself makes a program wait at most {maximum}",
        "finding.redis.keys": "{count} keys",
    }
)
SLOW, VERY_SLOW = 0.01, 0.1
"""Seconds: the server's own threshold, and what a person begins to notice for all requests."""
REPEATED = 3
BIG_ELEMENTS, BIG_BYTES = 10_000, 1024.0**2
"""As operators of hosted Redis define a big key: 10 000 elements, or a string of 1 MB and more."""
HOT, NEARLY = 200, 0.95
"""LFU counter: with the default factor 10, 200 is some hundred thousand hits; how near the top."""
LEAK, LEAK_SHARE = 10, 0.3
OUTPUT = 16 * 1024.0**2
IDLE_CLIENTS, CLIENTS_PER_REQUEST = 200, 50
LATE, VERY_LATE = 0.005, 0.05
MACHINE = 0.01
"""Seconds; a virtual machine shows up to 1-2 ms, redis.io's own examples 9.7 ms for a bad one."""
SPIKES: dict[str, tuple[str, str, str]] = {
    "command": ("slow commands: look in SLOWLOG for O(N) commands and big keys", "slow-command",
                "redis-cli slowlog get 20"),
    "fast-command": ("commands that are fast by nature took long: the machine or the memory "
                     "stalls it", "cpu-noisy-neighbour", "redis-cli --intrinsic-latency 10"),
    "fork": ("forking for a snapshot stops it", "cache-fork-stall",
             "info persistence: latest_fork_usec"),
    "expire-cycle": ("many keys expire at once", "cache-mass-expiry", "info stats: expired_keys"),
    "eviction-cycle": ("evicting at its limit takes its time", "cache-eviction", "info memory"),
    "eviction-del": ("evicting large keys takes its time", "cache-eviction",
                     "redis-cli --bigkeys"),
    "active-defrag-cycle": ("its defragmentation takes the thread", "", "config get activedefrag"),
}  # fmt: skip
DISK_SPIKE = ("the disk is slow: the main thread waits for a write or its fsync", "disk-saturated",
              "iostat -x 1 3; is the disk shared")  # fmt: skip


@look("cache")
def slow_log(view: View) -> Iterable[Judged]:
    """The slow log of a paste, where no chain tells whose cache it is."""
    rows = [row for row in view.case.slow_commands if row.cache.startswith("cache:text/")]
    if rows:
        yield _slow(Said(view, "cache", "cache"), rows)


def _slow(said: Said, rows: list[SlowCommand]) -> Finding:
    longest = max(rows, key=lambda row: row.duration)
    scans = [row for row in rows if row.command.split(" ", 1)[0].lower() in SLOW_SCAN]
    scans = [row for row in scans if row.duration >= SLOW]
    if scans:
        worst = max(scans, key=lambda row: row.duration)
        name = worst.command.split(" ", 1)[0]
        same = [row for row in scans if row.command.split(" ", 1)[0] == name]
        span = max(row.at for row in same) - min(row.at for row in same)
        rate = {"rate": figure(60 * (len(same) - 1) / span, 0)} if span > 0 else {}
        bad = len(same) >= REPEATED or worst.duration >= VERY_SLOW
        return said.finding(
            "critical" if bad else "warn",
            "finding.redis.slowlog-scan",
            "redis",
            worst.line,
            cause="slow-command",
            next="redis-cli client list | grep -i cmd=: who sends it; replace it in the caller",
            command=worst.command,
            count=len(same),
            total=len(rows),
            longest=lasting(worst.duration),
            more=rate,
        )
    verdict: Verdict = "healthy" if longest.duration < SLOW else "warn"
    return said.finding(
        verdict,
        "finding.redis.slowlog-ok" if verdict == "healthy" else "finding.redis.slowlog",
        "redis",
        longest.line,
        cause="slow-command",
        sure=0.7,
        next="" if verdict == "healthy" else "its size: redis-cli memory usage KEY",
        total=len(rows),
        longest=lasting(longest.duration),
        command=longest.command,
    )


@look("cache")
def latency(view: View) -> Iterable[Judged]:
    """LATENCY DOCTOR and LATEST, --latency, --intrinsic-latency."""
    said = Said(view, "cache", "cache")
    for fact in view.case.software:
        if isinstance(fact, CacheLatency):
            yield _spike(said, fact)
        elif isinstance(fact, CacheProbe):
            yield _probe(said, fact)


def _spike(said: Said, fact: CacheLatency) -> Finding:
    if not fact.event:
        return said.finding("healthy", "finding.redis.no-spikes", "redis", fact.line, sure=0.7)
    meaning, cause, after = SPIKES.get(fact.event, ("its kind is not known", "", ""))
    if any(word in fact.event for word in ("fsync", "aof", "rdb", "write", "rename")):
        meaning, cause, after = DISK_SPIKE
    return said.finding(
        "warn",
        "finding.redis.spikes" if fact.spikes is not None else "finding.redis.spike",
        "redis",
        fact.line,
        cause=cause,
        sure=0.75,
        next=after,
        event=fact.event,
        count=fact.spikes or 0,
        average=lasting(fact.average),
        latest=lasting(fact.latest),
        worst=lasting(fact.worst),
        meaning=meaning,
        more={"period": lasting(fact.period)} if fact.period else {},
    )


def _probe(said: Said, fact: CacheProbe) -> Finding:
    if fact.kind == "intrinsic":
        bad = (fact.maximum or 0.0) >= MACHINE
        key = "machine" if bad else "machine-ok"
        verdict: Verdict = "warn" if bad else "healthy"
    else:
        average = fact.average or 0.0
        bad = average >= LATE
        key = "late" if bad else "prompt"
        verdict = "critical" if average >= VERY_LATE else "warn" if bad else "healthy"
    return said.finding(
        verdict,
        f"finding.redis.{key}",
        "redis",
        fact.line,
        sure=0.7,
        next="redis-cli slowlog get; redis-cli --intrinsic-latency 10" if bad else "",
        average=lasting(fact.average),
        maximum=lasting(fact.maximum),
    )


@look("cache")
def keys(view: View) -> Iterable[Judged]:
    """--bigkeys, --memkeys and --hotkeys."""
    said = Said(view, "cache", "cache")
    rows = [fact for fact in view.case.software if isinstance(fact, CacheKeyRow)]
    big = [row for row in rows if row.about == "big"]
    hot = [row for row in rows if row.about == "hot"]
    large = [
        row
        for row in big
        if row.size >= (BIG_BYTES if row.unit.startswith("byte") else BIG_ELEMENTS)
    ]
    for row in large:
        yield said.finding(
            "warn", "finding.redis.big-key", row.key, row.line, cause="slow-command", sure=0.7,
            next="split it; UNLINK instead of DEL; HSCAN, LRANGE with bounds",
            sort=row.sort, key=row.key, size=_count(row), unit=_unit(row),
        )  # fmt: skip
    if big and not large:
        row = max(big, key=lambda one: one.size)
        yield said.finding(
            "healthy", "finding.redis.no-big-key", "redis", row.line, sure=0.7,
            size=_count(row), unit=_unit(row),
        )  # fmt: skip
    if hot:
        yield _hot(said, hot)


def _count(row: CacheKeyRow) -> str:
    return sized(row.size) if row.unit.startswith("byte") else figure(row.size)


def _unit(row: CacheKeyRow) -> str:
    return "in all" if row.unit.startswith("byte") else row.unit


def _hot(said: Said, rows: list[CacheKeyRow]) -> Finding:
    top = max(row.size for row in rows)
    hottest = [row for row in rows if row.size >= NEARLY * top]
    if top < HOT:
        return said.finding(
            "healthy", "finding.redis.no-hot-keys", "redis", hottest[0].line, sure=0.6,
            counter=figure(top),
        )  # fmt: skip
    return said.finding(
        "warn",
        "finding.redis.hot-keys",
        hottest[0].key,
        *[row.line for row in hottest[:2]],
        cause="hot-key",
        sure=0.6,
        next="a short local cache in the callers for these keys; redis-cli object freq KEY",
        counter=figure(top),
        keys=", ".join(row.key for row in hottest[:5]),
    )


@look("cache")
def clients(view: View) -> Iterable[Judged]:
    """CLIENT LIST, --stat and counts."""
    said = Said(view, "cache", "cache")
    for fact in view.case.software:
        if isinstance(fact, CacheClients):
            yield from _clients(said, fact)
        elif isinstance(fact, CacheStat):
            yield _stat(said, fact)
        elif isinstance(fact, CacheCount) and fact.command.endswith("DBSIZE"):
            yield said.finding(
                "healthy", "finding.redis.keys", "redis", fact.line, sure=0.5,
                count=figure(fact.value),
            )  # fmt: skip


def _clients(said: Said, fact: CacheClients) -> Iterator[Finding]:
    if fact.never_used >= LEAK and fact.never_used >= LEAK_SHARE * fact.clients:
        most = fact.busiest_count >= 0.5 * fact.clients
        yield said.finding(
            "warn",
            "finding.redis.leak",
            "redis",
            fact.line,
            cause="connection-pool-exhausted",
            sure=0.75,
            next="the client library's pool in that program; config set timeout closes idle ones",
            unused=fact.never_used,
            clients=fact.clients,
            more={"host": fact.busiest} if most and fact.busiest else {},
        )
    elif fact.largest_output >= OUTPUT:
        yield said.finding(
            "warn", "finding.redis.output", "redis", fact.line, sure=0.7,
            next="who: cmd= and addr= of that client; client-output-buffer-limit",
            size=sized(fact.largest_output),
        )  # fmt: skip
    else:
        yield said.finding(
            "healthy", "finding.redis.clients-ok", "redis", fact.line, sure=0.6,
            clients=fact.clients, idle=lasting(fact.oldest_idle),
        )  # fmt: skip


def _stat(said: Said, fact: CacheStat) -> Finding:
    requests = fact.requests
    many = fact.clients >= IDLE_CLIENTS and not fact.blocked
    if requests is not None and many and requests * CLIENTS_PER_REQUEST < fact.clients:
        return said.finding(
            "warn", "finding.redis.idle-pool", "redis", fact.line,
            cause="connection-pool-exhausted", sure=0.7,
            next="redis-cli client list: idle against age, and whose",
            clients=fact.clients, requests=figure(requests),
        )  # fmt: skip
    new = fact.connections
    if requests and new is not None and new >= 20 and new > 0.3 * requests:
        return said.finding(
            "warn", "finding.redis.reconnects", "redis", fact.line, cause="port-exhaustion",
            sure=0.6, next="ss -s; a connection pool in the client",
            connections=figure(new), requests=figure(requests),
        )  # fmt: skip
    return said.finding(
        "healthy" if requests is not None else "unknown", "finding.redis.stat-ok", "redis",
        fact.line, sure=0.6, requests=figure(requests), clients=fact.clients,
    )  # fmt: skip
