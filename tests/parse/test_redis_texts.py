"""What Redis says: the protocol, INFO, the slow log, and keys grouped by what they are for."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.model.quantities import cache
from weaklink.model.quantity import quantity
from weaklink.parse.keyspaces import OTHER, group_keys, prefix_of
from weaklink.parse.redis_info import Own, info_readings, read_info
from weaklink.parse.redis_slowlog import read_slowlog, redact_command
from weaklink.parse.resp import NeedMore, NotResp, ReplyError, command, read_reply

INFO = """# Server
redis_version:7.0.15
uptime_in_seconds:120

# Clients
connected_clients:3
blocked_clients:1

# Memory
used_memory:1048576
maxmemory:0

# Persistence
loading:0
rdb_bgsave_in_progress:1

# Stats
total_connections_received:10
total_commands_processed:1000
keyspace_hits:91
keyspace_misses:9
expired_keys:17
evicted_keys:0
latest_fork_usec:2500

# Replication
role:master

# Commandstats
cmdstat_get:calls=90,usec=900,usec_per_call=10.00,rejected_calls=0,failed_calls=0
cmdstat_setex:calls=10,usec=100,usec_per_call=10.00,rejected_calls=0,failed_calls=0
cmdstat_keys:calls=2,usec=500000,usec_per_call=250000.00,rejected_calls=0,failed_calls=0
cmdstat_info:calls=5,usec=5000,usec_per_call=1000.00,rejected_calls=0,failed_calls=0
cmdstat_config|get:calls=1,usec=10,usec_per_call=10.00,rejected_calls=0,failed_calls=0

# Keyspace
db0:keys=100,expires=90,avg_ttl=60000
db3:keys=10,expires=10,avg_ttl=30000
""".replace("\n", "\r\n")


def values(text: str, own: Own = Own()) -> dict[str, float]:  # noqa: B008 - frozen
    return {one.quantity: one.value for one in info_readings(read_info(text), "t", 5.0, own)}


def test_info_becomes_declared_quantities() -> None:
    got = values(INFO)
    for name in got:
        quantity(name)
    assert got[cache.CACHE_HITS_TOTAL] == 91
    assert got[cache.CACHE_GET_COMMANDS_TOTAL] == 90
    assert got[cache.CACHE_SET_COMMANDS_TOTAL] == 10
    assert got[cache.CACHE_SLOW_SCAN_COMMANDS_TOTAL] == 2
    assert got[cache.CACHE_SLOW_SCAN_SECONDS_TOTAL] == 0.5
    assert got[cache.CACHE_COMMAND_SECONDS_TOTAL] == pytest.approx(0.50101)
    assert got[cache.CACHE_KEYS] == 110
    assert got[cache.CACHE_MEAN_TTL_SECONDS] == pytest.approx(57.0)
    assert got[cache.CACHE_SAVING] == 1
    assert got[cache.CACHE_LAST_FORK_SECONDS] == pytest.approx(0.0025)
    assert got[cache.CACHE_REPLICA] == 0


def test_our_own_calls_are_taken_out() -> None:
    got = values(INFO, Own(commands=4, connections=1))
    assert got[cache.CACHE_COMMANDS_TOTAL] == 996
    assert got[cache.CACHE_CONNECTIONS_TOTAL] == 9
    assert got[cache.CACHE_CLIENTS] == 2


def test_a_part_of_info_says_nothing_about_the_rest() -> None:
    got = values("# Stats\r\nkeyspace_hits:5\r\nkeyspace_misses:1\r\n")
    assert got == {cache.CACHE_HITS_TOTAL: 5, cache.CACHE_MISSES_TOTAL: 1}


def test_an_empty_server_has_no_keys_and_says_so() -> None:
    got = values(INFO.partition("# Keyspace")[0])
    assert got[cache.CACHE_KEYS] == 0
    assert cache.CACHE_MEAN_TTL_SECONDS not in got


def test_replies() -> None:
    data = b"*4\r\n+OK\r\n:7\r\n$-1\r\n*1\r\n$3\r\nabc\r\n-NOAUTH no\r\n"
    reply, at = read_reply(data)
    assert reply == ["OK", 7, None, ["abc"]]
    error, end = read_reply(data, at)
    assert isinstance(error, ReplyError)
    assert error.kind == "NOAUTH"
    assert end == len(data)
    assert command("PTTL", "k") == b"*2\r\n$4\r\nPTTL\r\n$1\r\nk\r\n"


@pytest.mark.parametrize("cut", range(1, 30))
def test_a_part_of_a_reply_is_waited_for(cut: int) -> None:
    data = b"*2\r\n$10\r\n0123456789\r\n:123\r\n"
    if cut < len(data):
        with pytest.raises(NeedMore):
            read_reply(data[:cut])


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 400 Bad Request\r\n",
        b"\x15\x03\x01\x00\x02\x02",
        b"$999999999999\r\n",
        b"*999999\r\n",
        b"$abc\r\n",
        b"*1\r\n" * 50 + b":1\r\n",
        b"+" + b"x" * 100_000,
    ],
)
def test_what_is_not_redis_is_refused(data: bytes) -> None:
    with pytest.raises(NotResp):
        read_reply(data)


def test_the_slow_log_is_redacted() -> None:
    reply: list[object] = [
        [7, 1796101159, 250_000, ["KEYS", "preview:*"], "10.0.0.1:4000", "worker"],
        [
            6,
            1796101158,
            20_000,
            ["SET", "user:alice", "a prompt that is private"],
            "10.0.0.2:1",
            "",
        ],
        ["bad"],
        [5, 1796101157, 11_000, ["EVAL", "return redis.call('get','secret')", "0"]],
    ]
    got = read_slowlog(reply, "process:h/-/1@2")  # type: ignore[arg-type]
    assert [one.number for one in got] == [7, 6, 5]
    assert (got[0].duration, got[0].command, got[0].client) == (
        0.25,
        "KEYS preview:*",
        "10.0.0.1:4000",
    )
    text = " ".join(one.command for one in got)
    assert "private" not in text
    assert "alice" not in text
    assert "secret" not in text
    assert got[1].command.startswith("SET user:{")


def test_commands_keep_what_tells_their_cost() -> None:
    assert redact_command(["lrange", "queue", "0", "-1"]) == "LRANGE queue 0 -1"
    assert redact_command(["AUTH", "hunter2"]) == "AUTH …"
    assert redact_command(["CONFIG", "SET", "requirepass", "x"]) == "CONFIG …"
    assert redact_command(["\x1b[31m", "x"]) == "(unreadable)"
    assert "8 arguments" in redact_command(["DEL", *[f"k{i}" for i in range(8)]])
    assert redact_command([]) == ""


def test_keys_are_grouped_by_what_they_are_for() -> None:
    keys: list[tuple[str, float | None]] = [
        (f"preview:{i:016x}:1080", 100.0 + i) for i in range(60)
    ]
    keys += [(f"session:{i:032x}", None) for i in range(30)]
    keys += [("alice:likes", 5.0)]
    groups = group_keys(keys)
    assert [(g.prefix, g.sampled) for g in groups] == [
        ("preview", 60),
        ("session", 30),
        (OTHER, 1),
    ]
    assert groups[0].ttls[:2] == [100.0, 101.0]
    assert groups[1].ttls == []
    assert len(groups[0].examples) == 3
    assert "alice" not in str(groups)


@pytest.mark.parametrize(
    ("key", "prefix"),
    [
        ("preview:8f14e45fceea167a", "preview"),
        ("cache:v2:preview:17", "cache:v2:preview"),
        ("celery-task-meta-550e8400-e29b-41d4-a716-446655440000", "celery-task-meta"),
        ("feature_flags", "feature_flags"),
        ("user123", "user"),
        ("8f14e45fceea167a", "{}"),
        ("", ""),
    ],
)
def test_prefix(key: str, prefix: str) -> None:
    assert prefix_of(key) == prefix


@given(st.text(max_size=200), st.binary(max_size=200))
def test_anything_is_read(text: str, data: bytes) -> None:
    values(text)
    prefix_of(text)
    redact_command([text, text])
    with contextlib.suppress(NeedMore, NotResp):
        read_reply(data)
