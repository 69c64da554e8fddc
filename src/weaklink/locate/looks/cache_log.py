"""What Redis and Sentinel say in their log."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.log_rules import Rule, judge
from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said
from weaklink.locate.view import View
from weaklink.model.fact_text_log import Saying
from weaklink.words import texts

texts(
    {
        "finding.redis-log.aof-fsync-slow": "the disk is too slow for its AOF: fsync takes long"
        "[ ({times} times)], and what it writes waits for it",
        "finding.redis-log.fork-failed": "it could not fork for a snapshot[: {why}]",
        "finding.redis-log.disk-full": "its disk is full: writes are refused",
        "finding.redis-log.aof-write-failed": "it could not write its append-only file[: {why}]",
        "finding.redis-log.save-failed": "snapshots fail[ ({times} times)]: it may refuse writes "
        "(stop-writes-on-bgsave-error)",
        "finding.redis-log.max-clients": "the largest number of clients was reached: connections "
        "are refused",
        "finding.redis-log.output-limit": "a client did not read its replies and was cut off"
        "[ ({times} times)]",
        "finding.redis-log.files": "it ran out of file descriptors: connections are refused",
        "finding.redis-log.no-lfu": "hot keys cannot be told: maxmemory-policy is no LFU policy, "
        "so accesses are not counted",
        "finding.redis-log.crashed": "it crashed (bug report in its log)",
        "finding.redis-log.out-of-memory": "an allocation failed: it ends",
        "finding.redis-log.slow-script": "a script runs for [{ms} ms or ]long and blocks everybody",
        "finding.redis-log.replica-lost": "a replica was lost[ ({times} times)]",
        "finding.redis-log.master-lost": "the connection to the master was lost[ ({times} times)]",
        "finding.redis-log.full-sync": "a replica copies everything anew[ ({times} times)]: fork, "
        "disk and network on the master",
        "finding.redis-log.failover": "Sentinel made another server the master: {who}",
        "finding.redis-log.objectively-down": "the Sentinels agree that it is down: {who}",
        "finding.redis-log.subjectively-down": "one Sentinel takes it for down: {who}",
        "finding.redis-log.cluster-down": "the cluster fails: keys of some slots are refused",
        "finding.redis-log.load-failed": "it cannot load its data and does not start",
        "finding.redis-log.ok": "it started and saves without trouble, as far as its log goes",
    }
)
RULES = {
    "aof-fsync-slow": Rule("critical", "disk-saturated", 0.85, "iostat -x 1 3 of the AOF's disk"),
    "fork-failed": Rule("critical", "cache-fork-stall", 0.8, "free -m; vm.overcommit_memory"),
    "disk-full": Rule("critical", "disk-full", 0.95, "df -h of its directory"),
    "aof-write-failed": Rule("critical", "disk-errors", 0.6, "df -h; dmesg"),
    "save-failed": Rule("critical", "disk-full", 0.5, "df -h; free -m; its log before this line"),
    "max-clients": Rule("critical", "connection-pool-exhausted", 0.85, "redis-cli client list"),
    "output-limit": Rule("warn", "", 0.7, "who: the line names the client", 20),
    "files": Rule("critical", "fd-exhausted", 0.9, "ulimit -n of redis-server; maxclients"),
    "no-lfu": Rule("unknown", "", 0.95, "set an LFU policy for a while, or sample the callers"),
    "crashed": Rule("critical", "cache-down", 0.9, "the bug report below; memory test"),
    "out-of-memory": Rule("critical", "cache-down", 0.9, "free -m; maxmemory"),
    "slow-script": Rule("critical", "slow-command", 0.85, "SCRIPT KILL, if it has not written"),
    "replica-lost": Rule("warn", "", 0.7, "the network, and repl-timeout"),
    "master-lost": Rule("warn", "cache-down", 0.6, "the master: is it up, is it blocked", 5),
    "full-sync": Rule("warn", "cache-fork-stall", 0.6, "repl-backlog-size; info replication", 5),
    "failover": Rule("warn", "cache-down", 0.8, "which clients still write to the old one"),
    "objectively-down": Rule("critical", "cache-down", 0.85, "that server's own log"),
    "subjectively-down": Rule("warn", "cache-down", 0.5, "that server, and the way to it"),
    "cluster-down": Rule("critical", "cache-down", 0.9, "redis-cli cluster nodes"),
    "load-failed": Rule("critical", "cache-down", 0.9, "redis-check-aof, redis-check-rdb"),
}


@look("cache")
def cache_log(view: View) -> Iterable[Judged]:
    """Known statements; calm ones only where nothing else was said."""
    rows = [f for f in view.case.software if isinstance(f, Saying) and f.tool == "redis"]
    said = Said(view, "cache", "cache")
    found = list(judge(said, rows, RULES, "finding.redis-log."))
    yield from found
    if rows and not found:
        yield said.finding(
            "healthy", "finding.redis-log.ok", "redis", rows[0].line, rows[0].last_line, sure=0.6
        )
