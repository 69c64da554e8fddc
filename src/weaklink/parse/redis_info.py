"""Reads Redis INFO (and that of Valkey and KeyDB) into quantities of a cache.

Source of the fields: redis.io/commands/info. Fields that a version lacks give no reading.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from weaklink.model.quantities import cache
from weaklink.model.series import Reading

MAX_LINES = 20_000
OWN = frozenset({"info", "ping", "slowlog", "client", "hello", "select", "randomkey", "pttl"})
"""What we send ourselves: left out of the time that the server spent for its users."""

SET = frozenset(
    (
        *("set", "setex", "psetex", "setnx", "mset", "msetnx", "getset", "append", "setrange"),
        *("hset", "hmset", "hsetnx", "hincrby", "incr", "incrby", "decr", "decrby", "incrbyfloat"),
        *("zadd", "zincrby", "lpush", "rpush", "sadd", "xadd", "restore", "json.set", "geoadd"),
    )
)
EXPIRE = frozenset(("expire", "pexpire", "expireat", "pexpireat", "getex", "persist"))
DELETE = frozenset(("del", "unlink", "getdel", "flushdb", "flushall"))
FLUSH = frozenset(("flushdb", "flushall"))
PUSH = frozenset(("lpush", "rpush", "lpushx", "rpushx", "xadd"))
POP = frozenset(
    (
        *("lpop", "rpop", "blpop", "brpop", "lmpop", "blmpop", "rpoplpush", "brpoplpush"),
        *("lmove", "blmove", "xreadgroup", "xread", "xack", "xdel", "xautoclaim"),
    )
)
GET = frozenset(
    ("get", "mget", "getex", "getrange", "strlen", "exists", "hget", "hmget", "hexists", "zscore")
)
SLOW_SCAN = frozenset(
    (
        *("keys", "sort", "sort_ro", "lrange", "lrem", "linsert", "lpos", "smembers", "hgetall"),
        *("hkeys", "hvals", "zrange", "zrevrange", "zrangebyscore", "zrevrangebyscore"),
        *("zrangebylex", "zremrangebyscore", "zremrangebyrank", "sinter", "sunion", "sdiff"),
        *("sinterstore", "sunionstore", "sdiffstore", "zunionstore", "zinterstore", "zdiffstore"),
        *("zunion", "zinter", "zdiff", "xrange", "xrevrange", "georadius", "geosearch"),
        *("eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro", "flushall", "flushdb"),
        *("bitcount", "bitop", "bitpos", "migrate", "save", "debug", "ft.search", "ft.aggregate"),
    )
)
"""Their cost grows with the keyspace or with one key; complexity as redis.io documents it."""

_FIELDS: dict[str, tuple[str, float]] = {
    "keyspace_hits": (cache.CACHE_HITS_TOTAL, 1),
    "keyspace_misses": (cache.CACHE_MISSES_TOTAL, 1),
    "expired_keys": (cache.CACHE_EXPIRED_KEYS_TOTAL, 1),
    "evicted_keys": (cache.CACHE_EVICTED_KEYS_TOTAL, 1),
    "total_commands_processed": (cache.CACHE_COMMANDS_TOTAL, 1),
    "total_connections_received": (cache.CACHE_CONNECTIONS_TOTAL, 1),
    "rejected_connections": (cache.CACHE_REJECTED_CONNECTIONS_TOTAL, 1),
    "used_memory": (cache.CACHE_USED_MEMORY_BYTES, 1),
    "maxmemory": (cache.CACHE_MEMORY_LIMIT_BYTES, 1),
    "connected_clients": (cache.CACHE_CLIENTS, 1),
    "blocked_clients": (cache.CACHE_BLOCKED_CLIENTS, 1),
    "uptime_in_seconds": (cache.CACHE_UPTIME_SECONDS, 1),
    "loading": (cache.CACHE_LOADING, 1),
    "latest_fork_usec": (cache.CACHE_LAST_FORK_SECONDS, 1e-6),
    "rdb_bgsave_in_progress": (cache.CACHE_SAVING, 1),
}
_FAMILIES = (
    (cache.CACHE_SET_COMMANDS_TOTAL, SET),
    (cache.CACHE_EXPIRE_COMMANDS_TOTAL, EXPIRE),
    (cache.CACHE_DELETE_COMMANDS_TOTAL, DELETE),
    (cache.CACHE_GET_COMMANDS_TOTAL, GET),
    (cache.CACHE_SLOW_SCAN_COMMANDS_TOTAL, SLOW_SCAN),
    (cache.CACHE_FLUSH_COMMANDS_TOTAL, FLUSH),
    (cache.CACHE_PUSH_COMMANDS_TOTAL, PUSH),
    (cache.CACHE_POP_COMMANDS_TOTAL, POP),
)
REFUSALS = ("OOM", "MISCONF", "READONLY", "LOADING", "MASTERDOWN", "CLUSTERDOWN")
"""Kinds of errors by which a server that answers still serves nobody."""
_ERRORS = re.compile(r"count=(\d{1,20})")
_STAT = re.compile(r"calls=(\d{1,20}),usec=(\d{1,20})")
_DATABASE = re.compile(r"keys=(\d{1,20}),expires=(\d{1,20})(?:,avg_ttl=(\d{1,20}))?")


class CommandStat(NamedTuple):
    """Calls and seconds of one command since the server started."""

    calls: int
    seconds: float


class Database(NamedTuple):
    """One numbered database: keys, keys with an expiry, their mean time to live in seconds."""

    keys: int
    expires: int
    mean_ttl: float


class Info(NamedTuple):
    """Fields by name, command statistics by lower-case command, databases by number."""

    fields: dict[str, str]
    commands: dict[str, CommandStat]
    databases: dict[int, Database]

    def number(self, name: str) -> float | None:
        """A field as a number, None where it is missing or none."""
        return _number(self.fields.get(name))


class Own(NamedTuple):
    """What we did to this server before this INFO: taken out of its counters."""

    commands: int = 0
    connections: int = 0
    hits: int = 0
    misses: int = 0


def read_info(text: str) -> Info:
    """INFO's text, whichever sections it has; lines that are none are passed over."""
    fields: dict[str, str] = {}
    commands: dict[str, CommandStat] = {}
    databases: dict[int, Database] = {}
    for line in text.split("\n", MAX_LINES)[:MAX_LINES]:
        name, colon, value = line.strip().partition(":")
        if not colon or name.startswith("#"):
            continue
        if name.startswith("cmdstat_"):
            if found := _STAT.match(value):
                # `config|get` counts with `config`; both forms exist from version 7 on.
                base = name[8:].lower().partition("|")[0]
                old = commands.get(base, CommandStat(0, 0.0))
                commands[base] = CommandStat(
                    old.calls + int(found[1]), old.seconds + int(found[2]) / 1e6
                )
        elif name[:2] == "db" and name[2:].isdigit() and len(name) < 8:
            if found := _DATABASE.match(value):
                mean = int(found[3] or 0) / 1000
                databases[int(name[2:])] = Database(int(found[1]), int(found[2]), mean)
        else:
            fields.setdefault(name, value[:1024])
    return Info(fields, commands, databases)


def info_readings(info: Info, target: str, at: float, own: Own = Own()) -> list[Reading]:  # noqa: B008 - frozen
    """Readings of `cache_*` quantities, our own calls taken out."""
    values: dict[str, float] = {}
    for name, (quantity, scale) in _FIELDS.items():
        value = info.number(name)
        if value is not None:
            values[quantity] = value * scale
    subtract = (
        (cache.CACHE_COMMANDS_TOTAL, own.commands),
        (cache.CACHE_CONNECTIONS_TOTAL, own.connections),
        (cache.CACHE_HITS_TOTAL, own.hits),
        (cache.CACHE_MISSES_TOTAL, own.misses),
        (cache.CACHE_CLIENTS, 1 if own.connections else 0),
    )
    for quantity, count in subtract:
        if quantity in values:
            values[quantity] = max(0.0, values[quantity] - count)
    if "role" in info.fields:
        values[cache.CACHE_REPLICA] = float(info.fields["role"] in ("slave", "replica"))
    if "rdb_last_bgsave_status" in info.fields:
        values[cache.CACHE_SAVE_FAILED] = float(info.fields["rdb_last_bgsave_status"] == "err")
    if "total_error_replies" in info.fields:
        counted = (_ERRORS.match(info.fields.get(f"errorstat_{kind}", "")) for kind in REFUSALS)
        values[cache.CACHE_REFUSED_COMMANDS_TOTAL] = sum(int(one[1]) for one in counted if one)
    if info.commands:
        for quantity, family in _FAMILIES:
            values[quantity] = sum(info.commands[c].calls for c in family if c in info.commands)
        spent = {name: stat.seconds for name, stat in info.commands.items() if name not in OWN}
        values[cache.CACHE_COMMAND_SECONDS_TOTAL] = sum(spent.values())
        values[cache.CACHE_SLOW_SCAN_SECONDS_TOTAL] = sum(
            seconds for name, seconds in spent.items() if name in SLOW_SCAN
        )
    if _whole(info):
        keys = sum(one.keys for one in info.databases.values())
        expires = sum(one.expires for one in info.databases.values())
        values[cache.CACHE_KEYS] = keys
        values[cache.CACHE_KEYS_WITH_EXPIRY] = expires
        if expires:
            weighted = sum(one.expires * one.mean_ttl for one in info.databases.values())
            values[cache.CACHE_MEAN_TTL_SECONDS] = weighted / expires
    return [
        Reading(quantity=quantity, target=target, at=at, value=float(value))
        for quantity, value in values.items()
    ]


def _whole(info: Info) -> bool:
    """Whether the section of key counts was asked for: an empty one has no lines at all."""
    return bool(info.databases) or ("redis_version" in info.fields and "role" in info.fields)


def _number(text: str | None) -> float | None:
    if text is None or len(text) > 40:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e300 else None
