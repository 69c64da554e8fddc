"""Everything that an action may be filled in with, from facts of the Case.

Names that come out of logs are never used in a command, except a route of plain characters.
"""

from __future__ import annotations

import re
import shlex
import statistics

from weaklink.contain import groups, proxy
from weaklink.contain.shell import Raw
from weaklink.model.case import Case
from weaklink.model.cause import causes
from weaklink.model.chain import Link
from weaklink.model.diagnosis import JudgedCause, Pain
from weaklink.model.fact import Process
from weaklink.model.message import Argument

_CRON_FILES = ("/etc/cron", "/var/spool/cron")
_GLOB = re.compile(r"([\\*?\[\]])")
WARM_PER_CPU = 2
"""Keys a second to warm for each CPU of the host: a start that a person raises while P99 falls."""


MORE_CACHE, MOST_CACHE = 1.5, 0.5
"""Times the limit that a cache gets, and the share of the host's memory that it may end at."""
MORE_FILES = 4
"""Times the limit of open files: enough for a burst, and still a limit for a leak."""


def arguments(case: Case, judged: JudgedCause, pain: Pain) -> dict[str, Argument]:
    """Values by name; one that is not known is not there."""
    link = case.chain.link(judged.link) or case.chain.link(judged.link.partition(">")[2])
    values: dict[str, Argument] = {"warm_rate": max(1, case.host.cpus * WARM_PER_CPU)}
    if link is not None:
        values |= _link_values(case, link, judged, pain)
    process = _culprit(case, judged, link)
    if process is not None:
        values |= {
            "culprit": process.name,
            "culprit_pid": process.pid,
            "culprit_start": process.start_ticks,
            "culprit_nice": process.nice,
        }
        values |= groups.held_values(case, process)
    values |= _files_values(case, judged)
    values |= _cache_values(case, judged)
    values |= _job_values(case, judged)
    values |= _slow_values(case, judged)
    return values


def _files_values(case: Case, judged: JudgedCause) -> dict[str, Argument]:
    """`files_limit`, `files_more` of a process; `mount`, the path of a file system."""
    kind, _, name = judged.target.partition(":")
    if kind == "mount":
        path = name.split("/", 2)[-1]
        return {"mount": path} if any(mount.path == path for mount in case.mounts) else {}
    limit = next(
        (
            row.values[-1]
            for row in case.series
            if row.quantity == "process_open_files_limit" and row.target == judged.target
        ),
        None,
    )
    if not limit:
        return {}
    return {"files_limit": round(limit), "files_more": round(limit * MORE_FILES)}


def _link_values(case: Case, link: Link, judged: JudgedCause, pain: Pain) -> dict[str, Argument]:
    members = [case.chain.link(key) for key in judged.members]
    sick = [member for member in members if member is not None] or [link]
    values: dict[str, Argument] = {"link": link.name, "sick": len(sick)}
    values["all"] = 1 + len(case.chain.peers(link.key))
    if sick[0].listen:
        values["member"] = sick[0].listen[0]
    process = _process_of(case, sick[0])
    if process is not None:
        values |= {"pid": process.pid, "start": process.start_ticks, "program": process.name}
        values |= groups.service_values(process)
    values |= groups.cpu_values(case, sick)
    values |= groups.memory_values(case, sick)
    values |= proxy.proxy_values(case, link, sick)
    values |= proxy.entry_values(case, link)
    return values | proxy.hold_values(case, link, pain, misses=_is_cache(judged))


def _is_cache(judged: JudgedCause) -> bool:
    cause = causes().get(judged.id)
    return cause is not None and cause.layer == "cache"


def _process_of(case: Case, link: Link) -> Process | None:
    for key in link.processes:
        for process in case.processes:
            if process.key == key:
                return process
    return None


def _culprit(case: Case, judged: JudgedCause, link: Link | None) -> Process | None:
    """The process that the cause's target is; for a target that is the link, its first one."""
    for process in case.processes:
        if process.key == judged.target:
            return process
    if link is not None and judged.target == link.key:
        return _process_of(case, link)
    return None


def _cache_values(case: Case, judged: JudgedCause) -> dict[str, Argument]:
    """Address of the cache that the cause is about, and the keys' prefix with its lifetimes."""
    space = next((space for space in case.keyspaces if space.key == judged.target), None)
    cache = _cache_link(case, space.cache if space else judged.link)
    values: dict[str, Argument] = {}
    if cache is not None and cache.listen:
        values["cache"] = cache.name
        values["cli"] = Raw(_cli(cache))
        values |= _memory_of(case, cache)
    if space is not None and space.prefix:
        values["prefix"] = space.prefix
        values["pattern"] = _GLOB.sub(r"\\\1", space.prefix) + "*"
        alive = [ttl for ttl in space.ttls if ttl > 0]
        if alive:
            middle = statistics.median(alive)
            values["ttl_from"] = max(1, round(middle * 0.8))
            values["ttl_spread"] = max(1, round(middle * 0.4))
    key = said(judged, "key")
    if key and not re.search(r"[…*{}]", key):
        values["key"] = key
    return values


def _memory_of(case: Case, cache: Link) -> dict[str, Argument]:
    """`cache_limit`, `cache_more` (bytes): half as much again, where the host has it free."""
    limit = next(
        (
            row.values[-1]
            for row in case.series
            if row.quantity == "cache_memory_limit_bytes" and row.target in cache.processes
        ),
        0.0,
    )
    more = limit * MORE_CACHE
    free = case.host.memory_bytes * MOST_CACHE
    return {"cache_limit": limit, "cache_more": more} if 0 < more <= free else {}


def _cache_link(case: Case, key: str) -> Link | None:
    links = case.chain.links
    for link in links:
        if link.role == "cache" and (link.key == key or key in link.processes):
            return link
    caches = [link for link in links if link.role == "cache"]
    return caches[0] if len(caches) == 1 else None


def _cli(cache: Link) -> str:
    address = cache.listen[0]
    if address.startswith("unix:"):
        return f"redis-cli -s {shlex.quote(address[5:])}"
    host, _, port = address.rpartition(":")
    host = {"0.0.0.0": "127.0.0.1", "[::]": "::1", "*": "127.0.0.1"}.get(host, host.strip("[]"))
    inside = f"nsenter -t {cache.pids[0]} -n " if cache.netns != "-" and cache.pids else ""
    return f"{inside}redis-cli -h {shlex.quote(host)} -p {shlex.quote(port)}"


def _job_values(case: Case, judged: JudgedCause) -> dict[str, Argument]:
    """The job that set it off, and the crontab it stands in: only what a crontab itself says."""
    job = said(judged, "job")
    if not job:
        return {}
    values: dict[str, Argument] = {"job": job}
    for event in case.events:
        if event.kind == "cron-run" and event.source.startswith(_CRON_FILES) and job in event.text:
            flat = event.source.strip("/").replace("/", "-")
            values["cron_file"] = event.source
            values["cron_copy"] = f"/root/{flat}.before-weaklink"
            break
    return values


def said(judged: JudgedCause, name: str) -> str:
    """The argument of this name, its own or of its evidence (`<sign>_<name>`); '' for none."""
    found = [
        value
        for key, value in sorted(judged.args.items())
        if (key == name or key.endswith(f"_{name}")) and isinstance(value, str)
    ]
    return found[0] if found else ""


def _slow_values(case: Case, judged: JudgedCause) -> dict[str, Argument]:
    """Who sent the cache's slowest command, where its slow log and the sockets tell."""
    slow = sorted(case.slow_commands, key=lambda one: -one.duration)
    if not slow:
        return {}
    worst = slow[0]
    values: dict[str, Argument] = {"command": worst.command.split(" ")[0][:40]}
    if re.fullmatch(r"[0-9a-fA-F:.\[\]]{3,60}", worst.client):
        values["client"] = worst.client
    for connection in case.connections:
        if connection.pid and connection.local == worst.client:
            for process in case.processes:
                if process.pid == connection.pid:
                    values["caller"] = process.name
                    values["caller_pid"] = process.pid
    return values
