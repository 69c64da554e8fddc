"""Redis in pasted text: INFO, SLOWLOG, LATENCY, keys, clients and logs, with our own figures."""

from __future__ import annotations

import pytest

from weaklink.testing.pasted import read_pasted, said


def info(**fields: object) -> str:
    return "# Server\nredis_version:7.0.1\n# Stats\n" + "".join(
        f"{name}:{value}\n" for name, value in fields.items()
    )


def test_two_look_ups_are_no_hit_ratio() -> None:
    few = read_pasted(info(keyspace_hits=1, keyspace_misses=1))
    assert few.verdict == "healthy"
    assert "hit" not in few.findings[0].text
    many = read_pasted(info(keyspace_hits=20000, keyspace_misses=80000))
    assert (many.verdict, many.findings[0].cause) == ("warn", "cache-cold")


@pytest.mark.parametrize(
    ("fields", "verdict", "words"),
    [
        ({"used_memory": 800_000, "mem_fragmentation_ratio": 9.1}, "healthy", "nothing wrong"),
        ({"used_memory": 8_000_000_000, "mem_fragmentation_ratio": 1.9}, "warn", "fragmented"),
        ({"used_memory": 8_000_000_000, "mem_fragmentation_ratio": 0.6}, "warn", "swapped out"),
        ({"used_memory": 300, "maxmemory": 1000}, "healthy", "30 %"),
        (
            {"used_memory": 990, "maxmemory": 1000, "maxmemory_policy": "noeviction"},
            "critical",
            "writes fail",
        ),
        (
            {
                "used_memory": 990,
                "maxmemory": 1000,
                "maxmemory_policy": "allkeys-lru",
                "evicted_keys": 71,
            },
            "warn",
            "evicted 71",
        ),
        ({"connected_clients": 10000, "maxclients": 10000}, "critical", "refused"),
        ({"rejected_connections": 12}, "warn", "12 connections"),
        ({"rdb_last_bgsave_status": "err"}, "critical", "snapshot"),
        ({"role": "slave", "master_link_status": "down"}, "critical", "link to the master"),
        ({"loading": 1}, "critical", "loading"),
        ({"latest_fork_usec": 900_000}, "warn", "fork"),
        ({"aof_delayed_fsync": 40}, "warn", "disk"),
        ({"blocked_clients": 9, "connected_clients": 20}, "healthy", "20 clients"),
    ],
)
def test_info_is_judged_field_by_field(fields: dict[str, object], verdict: str, words: str) -> None:
    reading = read_pasted(info(**fields))
    assert reading.verdict == verdict
    assert words in reading.findings[0].text


def test_time_spent_in_commands_that_scan() -> None:
    text = info() + "# Commandstats\ncmdstat_keys:calls=100,usec=9000000,usec_per_call=90000.0\n"
    text += "cmdstat_get:calls=900000,usec=900000,usec_per_call=1.0\n"
    assert "KEYS (100 calls" in said(text)
    tiny = text.replace("calls=100,usec=9000000", "calls=9000000,usec=9000000")
    assert read_pasted(tiny).verdict == "healthy"


ENTRY = (
    "{n}) 1) (integer) {id}\n   2) (integer) {at}\n   3) (integer) {us}\n"
    '   4) 1) "{command}"\n      2) "job:*"\n   5) "10.0.0.9:4000"\n   6) ""\n'
)


def slowlog(command: str, us: int, count: int) -> str:
    return "127.0.0.1:6379> SLOWLOG GET\n" + "".join(
        ENTRY.format(n=n + 1, id=90 - n, at=1_790_000_000 - 10 * n, us=us, command=command)
        for n in range(count)
    )


def test_keys_in_a_loop_blocks_everybody() -> None:
    reading = read_pasted(slowlog("KEYS", 30_000, 4))
    first = reading.findings[0]
    assert (reading.verdict, first.cause) == ("critical", "slow-command")
    assert "4 of 4" in first.text
    assert "6 a minute" in first.text
    assert '"KEYS"' in first.line
    assert read_pasted(slowlog("KEYS", 30_000, 1)).verdict == "warn"


def test_a_slow_log_of_fast_commands_is_healthy() -> None:
    assert read_pasted(slowlog("LRANGE", 4000, 4)).verdict == "healthy"


def test_latency_doctor_across_broken_lines_and_without_spikes() -> None:
    text = (
        "Dave, I have observed latency spikes in this Redis instance.\n\n"
        "1. fork: 4 latency spikes (average 400ms, mean deviation 20ms,\n"
        "   period 60.00 sec). Worst all time event 900ms.\n"
    )
    first = read_pasted(text).findings[0]
    assert (first.verdict, first.cause) == ("warn", "cache-fork-stall")
    assert "900 ms" in first.text
    disk = text.replace("fork:", "aof-fsync-always:")
    assert read_pasted(disk).findings[0].cause == "disk-saturated"
    calm = "Dave, no latency spike was observed during the lifetime of this Redis instance.\n"
    assert read_pasted(calm).verdict == "healthy"


def test_the_lfu_counter_is_no_number_of_requests() -> None:
    text = (
        "Sampled 900 keys in the keyspace!\n"
        "hot key found with counter: 250\tkeyname: feed:top\n"
        "hot key found with counter: 90\tkeyname: feed:new\n"
    )
    first = read_pasted(text).findings[0]
    assert first.cause == "hot-key"
    assert "no count of requests" in first.text
    assert "feed:new" not in first.text
    assert read_pasted(text.replace("250", "70")).verdict == "healthy"


def test_hot_keys_without_an_lfu_policy_are_unknown() -> None:
    text = "$ redis-cli --hotkeys\nError: ERR An LFU maxmemory policy is not selected, access ...\n"
    assert read_pasted(text).verdict == "unknown"


@pytest.mark.parametrize(
    ("size", "unit", "verdict"),
    [(200_000, "items", "warn"), (12, "items", "healthy"), (9_000_000, "bytes", "warn")],
)
def test_big_keys_by_their_size(size: int, unit: str, verdict: str) -> None:
    kind = "string" if unit == "bytes" else "  hash"
    text = f"-------- summary -------\n\nBiggest {kind} found '\"cart\"' has {size} {unit}\n"
    assert read_pasted(text).verdict == verdict


def clients(idle: int, count: int) -> str:
    return "".join(
        f"id={n} addr=10.0.0.{n % 3}:4{n:04} fd=8 name= age=9000 idle={idle} flags=N db=0 sub=0 "
        "psub=0 multi=-1 qbuf=0 omem=0 events=r cmd=get user=default\n"
        for n in range(count)
    )


def test_clients_as_idle_as_they_are_old_are_a_leak() -> None:
    assert "connections leak" in said(clients(9000, 30))
    assert read_pasted(clients(3, 30)).verdict == "healthy"


def test_many_clients_with_hardly_a_request_pile_up() -> None:
    text = (
        "------- data ------ --------------------- load -------------------- - child -\n"
        "keys       mem      clients blocked requests            connections\n"
        "900        9.00M    700     0       1000 (+0)           900\n"
        "900        9.00M    700     0       100{more} (+{step})     900\n"
    )
    assert "idle connections pile up" in said(text.format(more=2, step=2))
    assert read_pasted(text.format(more=9000, step=8000)).verdict == "healthy"


@pytest.mark.parametrize(
    ("line", "verdict", "cause"),
    [
        (
            "# Can't save in background: fork: Cannot allocate memory",
            "critical",
            "cache-fork-stall",
        ),
        (
            "* Asynchronous AOF fsync is taking too long (disk is busy?). Writing the AOF buffer",
            "critical",
            "disk-saturated",
        ),
        ("# Error writing to the AOF file: No space left on device", "critical", "disk-full"),
        ("* 10 changes in 300 seconds. Saving...", "unknown", ""),
        ("* Ready to accept connections", "healthy", ""),
    ],
)
def test_the_servers_log(line: str, verdict: str, cause: str) -> None:
    reading = read_pasted(f"1:M 02 Mar 2026 10:00:00.001 {line}\n")
    assert reading.verdict == verdict
    assert reading.findings[0].cause == cause
