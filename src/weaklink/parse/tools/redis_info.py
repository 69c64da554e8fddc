"""Redis INFO (Valkey, KeyDB) as people paste it: whole, one section, or some of its lines."""

from __future__ import annotations

import re

from weaklink.model.fact_text_cache import CacheInfo
from weaklink.model.take import Take
from weaklink.parse.quote import quoted
from weaklink.parse.redis_info import OWN, SLOW_SCAN, read_info
from weaklink.parse.text_tool import Passage, tool

_NUMBERS = frozenset(
    """
    connected_clients maxclients blocked_clients used_memory used_memory_rss maxmemory
    used_memory_peak mem_fragmentation_ratio mem_fragmentation_bytes keyspace_hits keyspace_misses
    expired_keys evicted_keys rejected_connections total_commands_processed
    instantaneous_ops_per_sec uptime_in_seconds loading latest_fork_usec aof_delayed_fsync
    aof_pending_bio_fsync rdb_bgsave_in_progress connected_slaves total_system_memory
    total_connections_received sync_full master_last_io_seconds_ago used_memory_dataset
    """.split()  # noqa: SIM905 - read as a list of words
)
_WORDS = frozenset(
    """
    redis_version valkey_version role maxmemory_policy master_link_status rdb_last_bgsave_status
    aof_last_write_status aof_last_bgrewrite_status redis_mode cluster_state
    """.split()  # noqa: SIM905
)
_FIELD = re.compile(
    r"[a-z][a-z0-9_.]{2,60}:(?:\S|$)|(?:cmdstat_|errorstat_|latency_percentiles_)\S|"
    r"db\d{1,5}:keys="
)
_SECTIONS = frozenset(
    """
    Server Clients Memory Persistence Stats Replication CPU Modules Commandstats Errorstats
    Latencystats Cluster Keyspace Sentinel Keysizes
    """.split()  # noqa: SIM905
)
_FIRST = ("redis_version:", "connected_clients:", "used_memory", "keyspace_hits:", "role:master",
          "role:slave", "total_connections_received:", "maxmemory", "rdb_changes_since_last_save:",
          "cmdstat_", "evicted_keys:", "expired_keys:", "loading:", "total_commands_processed:",
          "instantaneous_ops_per_sec:", "mem_fragmentation_ratio:", "db0:keys=",
          "uptime_in_seconds:", "master_link_status:", "blocked_clients:",
          "rejected_connections:")  # fmt: skip


def _is_section(line: str) -> bool:
    return line.startswith("# ") and line[2:].strip() in _SECTIONS


def _goes_on(line: str) -> bool:
    bare = line.strip()
    return not bare or _is_section(bare) or _FIELD.match(bare) is not None


@tool(
    "redis-info",
    heads=("# ", *_FIRST),
    starts=lambda line: _is_section(line.strip()) or line.lstrip().startswith(_FIRST),
    goes_on=_goes_on,
    commands=("info", "INFO"),
)
def redis_info(passage: Passage) -> Take | None:
    """The fields that looks judge, and what slow kinds of commands cost since the start."""
    info = read_info("\n".join(passage.lines))
    values = {name: number for name in _NUMBERS if (number := info.number(name)) is not None}
    words = {name: info.fields[name][:80] for name in _WORDS if name in info.fields}
    if not values and not words and not info.commands:
        return None
    wanted = values.keys() | words.keys()
    lines = {
        name: quoted(line)
        for line in passage.lines
        if (name := line.strip().partition(":")[0]) in wanted
    }
    slow = {
        name: [float(stat.calls), stat.seconds]
        for name, stat in info.commands.items()
        if name in SLOW_SCAN
    }
    spent = sum(stat.seconds for name, stat in info.commands.items() if name not in OWN)
    for line in passage.lines:
        name = line.strip().partition(":")[0]
        if name.startswith("cmdstat_") and name[8:] in slow:
            lines[name] = quoted(line)
    fact = CacheInfo(
        values=values,
        words=words,
        lines=lines,
        slow_commands=slow,
        command_seconds=spent if info.commands else None,
    )
    return Take(software=[fact])
