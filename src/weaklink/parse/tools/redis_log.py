"""The log that redis-server and Sentinel write."""

from __future__ import annotations

import re

from weaklink.model.take import Take
from weaklink.parse.sayings import Phrase, sayings
from weaklink.parse.text_tool import Passage, tool

_HEAD = re.compile(
    r"(?:\[\d{1,9}\]|\d{1,9}:[XCSM]) \d{1,2} [A-Z][a-z]{2}(?: \d{4})? \d\d:\d\d:\d\d"
    r"(?:\.\d{1,3})? [.\-*#] "
)

PHRASES = (
    Phrase("aof-fsync-slow", "AOF fsync is taking too long"),
    Phrase("fork-failed", "Can't save in background: fork", re.compile(r"fork: (?P<why>.{1,80})$")),
    Phrase("disk-full", "No space left on device"),
    Phrase("aof-write-failed", "Error writing to the AOF file",
           re.compile(r"AOF file: (?P<why>.{1,80})$")),
    Phrase("save-failed", "Background saving error"),
    Phrase("save-failed", "Failed opening the temp RDB file"),
    Phrase("max-clients", "max number of clients reached"),
    Phrase("files", "Too many open files"),
    Phrase("output-limit", "overcoming of output buffer limits"),
    Phrase("crashed", "REDIS BUG REPORT START"),
    Phrase("crashed", "crashed by signal"),
    Phrase("out-of-memory", "Out Of Memory allocating",
           re.compile(r"allocating (?P<bytes>\d{1,15}) bytes")),
    Phrase("slow-script", "Slow script detected",
           re.compile(r"after (?P<ms>\d{1,12}) milliseconds")),
    Phrase("replica-lost", "Connection with replica", None, "", ("lost", "timedout", "timeout")),
    Phrase("master-lost", "Connection with master lost"),
    Phrase("master-lost", "MASTER timeout"),
    Phrase("master-lost", "Error condition on socket for SYNC"),
    Phrase("full-sync", "Full resync requested by replica"),
    Phrase("full-sync", "Full resync from master"),
    Phrase("failover", "+switch-master", re.compile(r"\+switch-master (?P<who>\S{1,80})")),
    Phrase("objectively-down", "+odown", re.compile(r"\+odown (?P<who>.{1,120}?)(?: #|$)")),
    Phrase("subjectively-down", "+sdown", re.compile(r"\+sdown (?P<who>.{1,120})$")),
    Phrase("cluster-down", "Cluster state changed: fail"),
    Phrase("cluster-ok", "Cluster state changed: ok"),
    Phrase("load-failed", "Bad file format reading the append only file"),
    Phrase("load-failed", "Fatal error loading the DB"),
    Phrase("loaded", "DB loaded from", re.compile(r": (?P<seconds>\d{1,9}\.\d{1,6}) seconds")),
    Phrase("stopped", "Received SIGTERM scheduling shutdown"),
    Phrase("no-lfu", "An LFU maxmemory policy is not selected"),
    Phrase("ready", "Ready to accept connections"),
    Phrase("saved", "Background saving terminated with success"),
)  # fmt: skip


_ALONE = ("AOF fsync is taking", "REDIS BUG REPORT", "LFU maxmemory policy is not selected")
"""Statements that are its own even without the head of a log line."""


def _starts(line: str) -> bool:
    return _HEAD.match(line.lstrip()[:120]) is not None


@tool(
    "redis-log",
    heads=("[", *"0123456789"),
    needles=("AOF fsync is taking too long", "REDIS BUG REPORT START", "LFU maxmemory policy"),
    starts=lambda line: _starts(line) or any(words in line for words in _ALONE),
    scattered=True,
)
def redis_log(passage: Passage) -> Take | None:
    """What it says of disks, memory, clients, replication and crashes."""
    found = sayings("redis", passage.lines, PHRASES)
    if not found and not any(_starts(line) for line in passage.lines[:20]):
        return None
    return Take(software=list(found))
