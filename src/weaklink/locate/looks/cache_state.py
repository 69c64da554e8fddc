"""Whether a cache can do its work: full, empty, refusing, forking, or at its one core's end."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.cache import LEAST_LOOKUPS, lookups
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.stats.robust import log_ramp, ramp
from weaklink.words import sign

EVICTS = sign(
    "cache.evicts",
    "app-metrics",
    "The cache throws out keys for lack of memory.",
    "{name} throws out {now} keys a minute[, it holds {percent} % of the memory that it may]",
    hurts=True,
)
NEVER_STORED = sign(
    "cache.misses-never-stored",
    "app-metrics",
    "Most look-ups that miss are followed by no store: what is asked for does not exist.",
    "{misses} look-ups of {name} missed, {sets} values were stored",
    hurts=True,
)
EMPTIED = sign(
    "cache.emptied",
    "app-metrics",
    "The cache began anew while its callers ran on: it was restarted or flushed.",
    "{name} began anew[ {ago:seconds} ago][: it was flushed {flushed} times]; it holds {keys} keys",
    hurts=True,
)
REFUSES = sign(
    "cache.refuses",
    "app-metrics",
    "The cache answers commands with an error: loading, read-only, full, or told not to write.",
    "{name} refuses commands, {count} in the window[; it is loading{loading}]"
    "[; its last snapshot failed{save}][; it is a replica{replica}][; its memory is full{full}]",
    hurts=True,
)
NO_CLIENTS_MORE = sign(
    "cache.refuses-connections",
    "app-metrics",
    "The cache refuses connections: as many clients are connected as it allows.",
    "{name} refused {count} connections in the window",
    hurts=True,
)
FORKS = sign(
    "cache.fork-took-long",
    "app-metrics",
    "The cache stood still while it forked for a snapshot.",
    "the last fork of {name} took {ms} ms[, and it is saving now{saving}]",
    hurts=True,
)
BUSIER_THAN_EVER = sign(
    "cache.busier-than-ever",
    "app-metrics",
    "The cache executes several times as many commands as over its life.",
    "{name} executes {now} commands a second, over its life {before}",
)
NOT_READ = sign(
    "cache.not-read",
    "configuration",
    "The cache could not be asked: whether it has lost what it held is unknown.",
    "{name} could not be asked what it holds and what it misses",
)
CORE_FULL = sign(
    "cache.one-core-full",
    "kernel-counters",
    "The cache's main thread uses all of one CPU: it cannot answer more, whatever else is idle.",
    "{name} uses {percent} % of the one CPU that it can use",
    hurts=True,
)

EVICTED = (30.0, 600.0)
"""Keys a minute: a cache at its limit that turns over a key now and then is doing its job."""
EACH, LEAST_THROWN = (0.3, 0.8), 10.0
"""Keys thrown out for each value stored: where it is one, nothing more fits in."""
MISS_SHARE = (0.2, 0.5)
"""Of the look-ups: what misses less often hurts nobody."""
UNSTORED = (0.5, 0.9)
"""Of the misses: a pipeline that stores asynchronously lags, it does not leave nine in ten."""
YOUNG = 900.0
"""Seconds: a cache refills within a quarter of an hour, or it never will."""
OLDER = 60.0
"""Seconds that its callers must be older, else the whole service has just come up."""
REFUSED = (0.0, 5.0)
FORK = (0.1, 1.0)
"""Seconds: 10 to 20 ms a gigabyte on bare metal (redis.io, latency: fork time); 0.1 s is felt."""
FLUSHED = 0.8
"""Strength of a flush whose moment is unknown: few keys may be all that are wanted."""
BUSIER = (2.0, 6.0)
"""Times the mean of its life: evenings double the load."""
CORE = (0.8, 0.97)


@look("cache")
def cache_state(view: View) -> Iterable[Judged]:
    """For every cache on the chain whose counters could be read."""
    for link in view.on_chain():
        if link.role != "cache":
            continue
        read = any(view.series("cache_hits_total", key) for key in link.processes)
        yield evidence(
            NOT_READ,
            link.processes[0] if link.processes else link.key,
            0.0 if read else 1.0,
            link=link.key,
            command="weaklink check",
            name=link.name,
        )
        for key in link.processes:
            yield from _core(view, link, key)
            if view.series("cache_uptime_seconds", key) is None:
                continue
            yield from _busier(view, link, key)
            yield from _evicts(view, link, key)
            yield from _unstored(view, link, key)
            yield from _emptied(view, link, key)
            yield from _refuses(view, link, key)
            yield from _forks(view, link, key)


def _busier(view: View, link: Link, key: str) -> Iterable[Judged]:
    now = view.rate("cache_commands_total", key)
    row = view.series("cache_commands_total", key)
    uptime = view.last("cache_uptime_seconds", key)
    if now is None or row is None or not uptime:
        return
    before = row.values[0] / max(1.0, uptime - view.span("cache_commands_total", key))
    yield evidence(
        BUSIER_THAN_EVER,
        key,
        log_ramp(now / max(before, 1.0), *BUSIER),
        link=link.key,
        value=round(now, 1),
        baseline=round(before, 1),
        command="redis-cli info stats | grep instantaneous_ops",
        name=link.name,
        now=round(now),
        before=round(before),
    )


def _evicts(view: View, link: Link, key: str) -> Iterable[Judged]:
    rate = view.rate("cache_evicted_keys_total", key)
    if rate is None:
        return
    limit, used = (
        view.last("cache_memory_limit_bytes", key),
        view.last("cache_used_memory_bytes", key),
    )
    share = used / limit if limit and used else None
    thrown = view.grown("cache_evicted_keys_total", key) or 0.0
    stored = view.grown("cache_set_commands_total", key) or 0.0
    each = ramp(thrown / stored, *EACH) if stored and thrown >= LEAST_THROWN else 0.0
    yield evidence(
        EVICTS,
        key,
        max(log_ramp(60 * rate, *EVICTED), each),
        link=link.key,
        value=round(60 * rate, 1),
        command="redis-cli info stats | grep evicted; redis-cli info memory | grep max",
        name=link.name,
        now=round(60 * rate),
        **({"percent": round(100 * share)} if share else {}),  # type: ignore[arg-type]
    )


def _unstored(view: View, link: Link, key: str) -> Iterable[Judged]:
    seen = lookups(view, key)
    sets = view.grown("cache_set_commands_total", key)
    if seen is None or sets is None or seen.hits + seen.misses < LEAST_LOOKUPS:
        return
    missing = seen.misses / (seen.hits + seen.misses)
    unstored = 1 - min(1.0, sets / seen.misses) if seen.misses else 0.0
    yield evidence(
        NEVER_STORED,
        key,
        ramp(missing, *MISS_SHARE) * ramp(unstored, *UNSTORED),
        link=link.key,
        value=round(unstored, 3),
        command="redis-cli info stats | grep keyspace; redis-cli info commandstats",
        name=link.name,
        misses=round(seen.misses),
        sets=round(sets),
    )


def _emptied(view: View, link: Link, key: str) -> Iterable[Judged]:
    uptime = view.last("cache_uptime_seconds", key)
    keys = view.last("cache_keys", key)
    flushes = view.last("cache_flush_commands_total", key) or 0.0
    if uptime is None or keys is None:
        return
    callers = [
        view.case.window[1] - process.start
        for caller in view.chain.callers(link.key)
        for process in view.members(caller)
    ]
    age = max(callers, default=0.0)
    young = uptime < YOUNG and age > uptime + OLDER
    in_window = (view.grown("cache_flush_commands_total", key) or 0.0) > 0
    sets = view.last("cache_set_commands_total", key) or 0.0
    # After a flush the keys of today are a small part of all that was ever stored.
    flushed = flushes > 0 and keys < 0.2 * sets and not young
    strength = 1.0 if young or in_window else FLUSHED if flushed else 0.0
    more: dict[str, float] = {}
    if young:
        more["ago"] = round(uptime)
    if flushes:
        more["flushed"] = round(flushes)
    yield evidence(
        EMPTIED,
        key,
        strength,
        link=link.key,
        value=keys,
        onset=view.case.window[1] - uptime if young else None,
        plus_minus=2.0 if young else 0.0,
        command="redis-cli info server | grep uptime; redis-cli info commandstats | grep flush",
        name=link.name,
        keys=round(keys),
        **more,  # type: ignore[arg-type]
    )


def _refuses(view: View, link: Link, key: str) -> Iterable[Judged]:
    def flag(quantity: str) -> bool:
        return (view.last(quantity, key) or 0.0) > 0

    refused = view.grown("cache_refused_commands_total", key)
    loading = flag("cache_loading")
    limit = view.last("cache_memory_limit_bytes", key)
    full = bool(limit) and (view.last("cache_used_memory_bytes", key) or 0.0) >= 0.98 * (limit or 1)
    if refused is not None or loading:
        count = refused or 0.0
        states = {
            "loading": loading,
            "save": flag("cache_save_failed"),
            "replica": flag("cache_replica"),
            "full": full,
        }
        said = {name: "" for name, so in states.items() if so}
        yield evidence(
            REFUSES,
            key,
            1.0 if loading else ramp(count, *REFUSED),
            link=link.key,
            value=count,
            command="redis-cli info errorstats; redis-cli info persistence",
            name=link.name,
            count=round(count),
            **said,  # type: ignore[arg-type]
        )
    rejected = view.grown("cache_rejected_connections_total", key)
    if rejected is not None:
        yield evidence(
            NO_CLIENTS_MORE,
            key,
            ramp(rejected, *REFUSED),
            link=link.key,
            value=rejected,
            command="redis-cli info clients; redis-cli info stats | grep rejected",
            name=link.name,
            count=round(rejected),
        )


def _forks(view: View, link: Link, key: str) -> Iterable[Judged]:
    row = view.series("cache_last_fork_seconds", key)
    if row is None or not row.values:
        return
    saving = (view.peak("cache_saving", key) or 0.0) > 0
    new = len(set(row.values)) > 1
    yield evidence(
        FORKS,
        key,
        ramp(row.values[-1], *FORK) if saving or new else 0.0,
        link=link.key,
        value=row.values[-1],
        command="redis-cli info stats | grep fork; redis-cli info persistence",
        name=link.name,
        ms=round(1000 * row.values[-1]),
        **({"saving": ""} if saving else {}),  # type: ignore[arg-type]
    )


def _core(view: View, link: Link, key: str) -> Iterable[Judged]:
    used = view.rate("process_cpu_seconds_total", key)
    threads = [row for row in view.threads_of(key) if row.tid == _pid(key)]
    if len(threads) > 1 and threads[-1].at > threads[0].at:
        span = threads[-1].at - threads[0].at
        used = (threads[-1].cpu_seconds - threads[0].cpu_seconds) / span
    if used is None:
        return
    yield evidence(
        CORE_FULL,
        key,
        ramp(used, *CORE),
        link=link.key,
        value=round(used, 3),
        command=f"top -H -b -n1 -p {_pid(key)}",
        name=link.name,
        percent=round(100 * used),
    )


def _pid(key: str) -> int:
    pid = key.rpartition("/")[2].partition("@")[0]
    return int(pid) if pid.isdigit() else 0
