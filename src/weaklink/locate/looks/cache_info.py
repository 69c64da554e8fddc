"""A pasted Redis INFO: memory against its limit, hits, refused clients, disk, replication.

Counters run since the server's start, so they date nothing and mix all tenants. Two look-ups are
no hit ratio, and fragmentation of a small data set is noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, known, percent, sized
from weaklink.locate.view import View
from weaklink.model.fact_text_cache import CacheInfo
from weaklink.model.finding import Finding, Verdict
from weaklink.words import texts

texts(
    {
        "finding.redis.full-refuses": "it holds {used} of its maxmemory {limit} ({share}) and its "
        "policy is noeviction: writes fail (OOM command not allowed)",
        "finding.redis.evicts": "it holds {used} of its maxmemory {limit} ({share}) and has "
        "evicted {count} keys since its start: what is missed must be computed again",
        "finding.redis.near": "it holds {used} of its maxmemory {limit} ({share})",
        "finding.redis.misses": "since its start only {share} of {count} look-ups hit ({hits} "
        "hits, {misses} misses); the counter mixes all tenants and dates nothing",
        "finding.redis.rejected": "{count} connections were refused since its start: maxclients "
        "is reached now and then",
        "finding.redis.clients-full": "{clients} of {limit} clients: further connections are "
        "refused",
        "finding.redis.save-error": "{what} failed: {why}; after a failed snapshot it may refuse "
        "writes",
        "finding.redis.fsync-delayed": "{count} writes waited for the disk (aof_delayed_fsync)",
        "finding.redis.fork": "its last fork took {seconds}, and nobody was served meanwhile",
        "finding.redis.replica-down": "it is a replica and its link to the master is down: it "
        "serves old data or errors",
        "finding.redis.loading": "it is loading its data from disk and answers LOADING",
        "finding.redis.cluster": "its cluster is in state {state}: part of the keys is refused",
        "finding.redis.fragmented": "its memory is fragmented: {rss} resident for {used} of data "
        "(ratio {ratio})",
        "finding.redis.swapped": "{used} of data but only {rss} resident (ratio {ratio}): part of "
        "it is swapped out, each touch of it waits for a disk",
        "finding.redis.scans": "{share} of the time spent in commands since its start went to "
        "{command} ({calls} calls, {each} each), whose cost grows with the data",
        "finding.redis.ok": "nothing wrong in what it tells[: holds {used} of {limit} ({share})]"
        "[, {clients} clients][, hits {ratio}][, {ops} commands/s]",
    }
)
NEAR, FULL = 0.9, 0.97
LEAST_LOOKUPS = 1000
LOW_HITS = 0.5
"""A cache that misses more often than it hits pays for itself nowhere; over a whole life, warn."""
LARGE = 100 * 1024.0**2
"""Under 100 MiB of data the allocator's own pages make any ratio."""
FRAGMENTED, SWAPPED = 1.5, 0.9
SLOW_FORK = 0.5
SCANS, SCAN_EACH = 0.5, 0.001
"""Of all command time, and seconds a call: many tiny LRANGEs are normal."""


@look("cache")
def cache_info(view: View) -> Iterable[Judged]:
    """Every INFO in the text."""
    said = Said(view, "cache", "cache")
    for fact in view.case.software:
        if isinstance(fact, CacheInfo):
            found = [
                *_memory(said, fact),
                *_lookups(said, fact),
                *_clients(said, fact),
                *_disk(said, fact),
                *_replication(said, fact),
                *_commands(said, fact),
            ]
            yield from found or [_calm(said, fact)]


def _share_of_limit(fact: CacheInfo) -> float | None:
    used, limit = fact.values.get("used_memory"), fact.values.get("maxmemory")
    return used / limit if used is not None and limit else None


def _memory(said: Said, fact: CacheInfo) -> Iterator[Finding]:
    values, lines = fact.values, fact.lines
    share = _share_of_limit(fact)
    evicted = values.get("evicted_keys", 0.0)
    if share is not None and (share >= NEAR or evicted):
        noeviction = fact.words.get("maxmemory_policy") == "noeviction"
        verdict: Verdict = "warn"
        key = "evicts" if evicted else "near"
        if share >= FULL and noeviction:
            verdict, key = "critical", "full-refuses"
        yield said.finding(
            verdict,
            f"finding.redis.{key}",
            "redis",
            lines.get("evicted_keys" if evicted else "used_memory", ""),
            lines.get("maxmemory_policy" if key == "full-refuses" else "maxmemory", ""),
            cause="cache-eviction",
            sure=0.8,
            next="redis-cli --bigkeys; raise maxmemory or shorten TTLs; info stats twice: a rate",
            used=sized(values["used_memory"]),
            limit=sized(values["maxmemory"]),
            share=percent(share),
            count=int(evicted),
        )
    ratio = values.get("mem_fragmentation_ratio")
    used = values.get("used_memory")
    if ratio is None or used is None or used < LARGE:
        return
    rss = values.get("used_memory_rss", used * ratio)
    if ratio >= FRAGMENTED or ratio <= SWAPPED:
        yield said.finding(
            "warn",
            "finding.redis.fragmented" if ratio >= FRAGMENTED else "finding.redis.swapped",
            "redis",
            lines.get("mem_fragmentation_ratio", ""),
            cause="" if ratio >= FRAGMENTED else "swap-thrash",
            sure=0.7,
            next="redis-cli memory doctor"
            if ratio >= FRAGMENTED
            else "grep VmSwap /proc/PID/status",
            rss=sized(rss),
            used=sized(used),
            ratio=figure(ratio, 2),
        )


def _lookups(said: Said, fact: CacheInfo) -> Iterator[Finding]:
    hits, misses = fact.values.get("keyspace_hits"), fact.values.get("keyspace_misses")
    if hits is None or misses is None or hits + misses < LEAST_LOOKUPS:
        return
    share = hits / (hits + misses)
    if share < LOW_HITS:
        yield said.finding(
            "warn",
            "finding.redis.misses",
            "redis",
            fact.lines.get("keyspace_hits", ""),
            fact.lines.get("keyspace_misses", ""),
            cause="cache-cold",
            sure=0.6,
            next="info stats twice, a minute apart: the ratio now, expired_keys, evicted_keys",
            share=percent(share),
            count=int(hits + misses),
            hits=int(hits),
            misses=int(misses),
        )


def _clients(said: Said, fact: CacheInfo) -> Iterator[Finding]:
    clients, limit = fact.values.get("connected_clients"), fact.values.get("maxclients")
    if clients is not None and limit and clients >= 0.98 * limit:
        yield said.finding(
            "critical",
            "finding.redis.clients-full",
            "redis",
            fact.lines.get("connected_clients", ""),
            fact.lines.get("maxclients", ""),
            cause="connection-pool-exhausted",
            next="redis-cli client list: whose connections, how long idle",
            clients=int(clients),
            limit=int(limit),
        )
    elif rejected := fact.values.get("rejected_connections"):
        yield said.finding(
            "warn",
            "finding.redis.rejected",
            "redis",
            fact.lines.get("rejected_connections", ""),
            cause="connection-pool-exhausted",
            sure=0.7,
            next="redis-cli client list; config get maxclients",
            count=int(rejected),
        )


def _disk(said: Said, fact: CacheInfo) -> Iterator[Finding]:
    for name, what in (
        ("rdb_last_bgsave_status", "the last snapshot"),
        ("aof_last_write_status", "the last write to the append-only file"),
    ):
        why = fact.words.get(name, "ok")
        if why not in {"ok", ""}:
            yield said.finding(
                "critical",
                "finding.redis.save-error",
                "redis",
                fact.lines.get(name, ""),
                cause="disk-full",
                sure=0.5,
                next="the server's log; df -h of its directory; free memory for the fork",
                what=what,
                why=why,
            )
    if delayed := fact.values.get("aof_delayed_fsync"):
        yield said.finding(
            "warn",
            "finding.redis.fsync-delayed",
            "redis",
            fact.lines.get("aof_delayed_fsync", ""),
            cause="disk-saturated",
            sure=0.6,
            next="iostat -x 1 3 of the disk that holds the AOF",
            count=int(delayed),
        )
    fork = fact.values.get("latest_fork_usec", 0.0) / 1e6
    if fork >= SLOW_FORK:
        yield said.finding(
            "warn",
            "finding.redis.fork",
            "redis",
            fact.lines.get("latest_fork_usec", ""),
            cause="cache-fork-stall",
            sure=0.7,
            next="transparent huge pages off; snapshots on a replica",
            seconds=f"{figure(fork)} s",
        )
    if fact.values.get("loading"):
        yield said.finding(
            "critical", "finding.redis.loading", "redis", fact.lines.get("loading", ""),
            cause="cache-cold", next="its log: how much is loaded; shed load until then",
        )  # fmt: skip


def _replication(said: Said, fact: CacheInfo) -> Iterator[Finding]:
    if fact.words.get("master_link_status") == "down":
        yield said.finding(
            "critical", "finding.redis.replica-down", "redis",
            fact.lines.get("master_link_status", ""),
            cause="cache-down", sure=0.8, next="the master's log and the network between them",
        )  # fmt: skip
    state = fact.words.get("cluster_state", "ok")
    if state not in {"ok", ""}:
        yield said.finding(
            "critical", "finding.redis.cluster", "redis", fact.lines.get("cluster_state", ""),
            cause="cache-down", next="redis-cli cluster nodes", state=state,
        )  # fmt: skip


def _commands(said: Said, fact: CacheInfo) -> Iterator[Finding]:
    if not fact.command_seconds or not fact.slow_commands:
        return
    name, (calls, spent) = max(fact.slow_commands.items(), key=lambda item: item[1][1])
    if spent >= SCANS * fact.command_seconds and calls and spent / calls >= SCAN_EACH:
        yield said.finding(
            "warn",
            "finding.redis.scans",
            "redis",
            fact.lines.get(f"cmdstat_{name}", ""),
            cause="slow-command",
            sure=0.7,
            next="redis-cli slowlog get 20: who calls it",
            share=percent(spent / fact.command_seconds),
            command=name.upper(),
            calls=int(calls),
            each=f"{figure(1000 * spent / calls)} ms",
        )


def _calm(said: Said, fact: CacheInfo) -> Finding:
    values = fact.values
    more = known()
    share = _share_of_limit(fact)
    if share is not None:
        more |= {"used": sized(values["used_memory"]), "limit": sized(values["maxmemory"])}
        more["share"] = percent(share)
    if "connected_clients" in values:
        more["clients"] = int(values["connected_clients"])
    hits, misses = values.get("keyspace_hits"), values.get("keyspace_misses")
    if hits is not None and misses is not None and hits + misses >= LEAST_LOOKUPS:
        more["ratio"] = percent(hits / (hits + misses))
    if "instantaneous_ops_per_sec" in values:
        more["ops"] = int(values["instantaneous_ops_per_sec"])
    names = ("used_memory", "maxmemory", "connected_clients", "redis_version")
    lines = [fact.lines[name] for name in names if name in fact.lines]
    return said.finding("healthy", "finding.redis.ok", "redis", *lines, sure=0.7, more=more)
