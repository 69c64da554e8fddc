"""What a cache's own counters say: hits, expiry, refills, and what keeps it busy.

The baseline is the server's own past: counters since its start, less those of the window. Two
look-ups that missed are no evidence: shares are bounded by Wilson's interval first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import Evidence, evidence
from weaklink.model.message import Argument
from weaklink.stats.quantiles import quantile
from weaklink.stats.robust import log_ramp, ramp, wilson_low
from weaklink.stats.windows import increase
from weaklink.words import sign

HIT_RATIO_FELL = sign(
    "cache.hit-ratio-fell",
    "app-metrics",
    "The cache finds far fewer keys than over its life so far.",
    "{name} hits {now}, [over its life{life} ][in the {minutes} min before ]{before}",
    hurts=True,
)
EXPIRY_BURST = sign(
    "cache.expiry-burst",
    "app-metrics",
    "Keys expire, or have just expired, far more often than over the cache's life.",
    "{now} keys a minute expire in {name}; [over its life{life} ][in the {minutes} min before ]"
    "{before} a minute",
)
FEWER_KEYS = sign(
    "cache.fewer-keys-than-usual",
    "app-metrics",
    "The cache holds far fewer keys than its own past says it usually does.",
    "{name} holds {keys} keys; [{expired} that expired so far say that it usually holds ]"
    "[{minutes} min before it held ]{usual}",
)
TTLS_ALIGNED = sign(
    "cache.ttls-aligned",
    "app-metrics",
    "Many keys of one prefix have the same moment of expiry.",
    "{percent} % of {prefix}* keys expire within {width:seconds} of each other, in {when:seconds}",
)
REFILLING = sign(
    "cache.many-keys-refilled",
    "app-metrics",
    "The cache is being filled again: keys are stored for what was missed.",
    "{sets} keys a minute are stored again in {name}, {grown} more keys than before",
)
SAME_KEY = sign(
    "cache.same-key-stored-again",
    "app-metrics",
    "Values are stored again and again without more keys: the same keys are being rebuilt.",
    "{sets} values stored in {name}, but only {grown} new keys",
)
LEAST_LOOKUPS = 40
"""Look-ups in the window below which a ratio is no evidence."""
FALL = (0.1, 0.35)
"""How much lower than over its life the hit ratio must be (difference of shares)."""
BURST = (4.0, 20.0)
"""Times the mean rate over the cache's life."""
ALIGNED = (0.3, 0.7)
"""Share of a prefix's sampled keys whose expiry falls into one narrow span."""
NARROW, WIDEST = 0.05, 60.0
"""The span: a share of the longest time to live seen, at least two seconds, at most a minute."""
STALE = (0.35, 0.7)
"""Share of stored values that made no new key: a rebuild now and then overlaps, most do not."""
MAIN_SHARE = 0.8
"""Share of the sampled keys with one prefix from which on it is said to be the cache's content."""
LEAST_SETS = 5
LEAST_KEYS = 10
FEWER_SEEN = (1.3, 2.5)
"""Times fewer than minutes before, where that was seen: no evening halves a cache in minutes."""
FEWER = (3.0, 10.0)
"""Times fewer than usual: load that halves in the evening is no burst."""


class Lookups(NamedTuple):
    """Look-ups in the window and before it, since the server started."""

    hits: float
    misses: float
    hits_before: float
    misses_before: float
    minutes: float = 0.0
    """Of a recording that the past is taken from; 0: it is the server's life."""

    @property
    def ratio(self) -> float:
        """Share of hits in the window."""
        return self.hits / (self.hits + self.misses)

    @property
    def ratio_before(self) -> float | None:
        """Share of hits before the window; None for too few look-ups."""
        total = self.hits_before + self.misses_before
        return self.hits_before / total if total >= LEAST_LOOKUPS else None


@look("cache")
def counters(view: View) -> Iterable[Judged]:
    """For every cache on the chain."""
    for link in view.on_chain():
        if link.role != "cache":
            continue
        for key in link.processes:
            if view.series("cache_commands_total", key) is None:
                continue
            yield from _hits(view, link, key)
            yield from _expiry(view, link, key)
            yield from _refills(view, link, key)
        yield from _aligned(view, link)


def lookups(view: View, key: str) -> Lookups | None:
    hits, misses = view.grown("cache_hits_total", key), view.grown("cache_misses_total", key)
    first_hits = view.series("cache_hits_total", key)
    first_misses = view.series("cache_misses_total", key)
    if hits is None or misses is None or first_hits is None or first_misses is None:
        return None
    past_hits, past_misses = (
        view.past("cache_hits_total", key),
        view.past("cache_misses_total", key),
    )
    if past_hits is not None and past_misses is not None:
        before = increase(past_hits.values) or 0.0, increase(past_misses.values) or 0.0
        if sum(before) >= LEAST_LOOKUPS:
            return Lookups(hits, misses, *before, view.past_minutes("cache_hits_total", key))
    return Lookups(hits, misses, first_hits.values[0], first_misses.values[0])


def _basis(minutes: float) -> dict[str, Argument]:
    """The argument that says whose past it is: a recording's minutes, else the server's life."""
    return {"minutes": minutes} if minutes else {"life": ""}


def _hits(view: View, link: Link, key: str) -> Iterable[Judged]:
    seen = lookups(view, key)
    if seen is None or seen.hits + seen.misses < LEAST_LOOKUPS or seen.ratio_before is None:
        return
    missed = wilson_low(round(seen.misses), round(seen.hits + seen.misses))
    fall = seen.ratio_before - (1 - missed)
    yield evidence(
        HIT_RATIO_FELL,
        key,
        ramp(fall, *FALL),
        link=link.key,
        value=round(seen.ratio, 3),
        baseline=round(seen.ratio_before, 3),
        command="redis-cli info stats",
        name=link.name,
        now=round(seen.ratio, 2),
        before=round(seen.ratio_before, 2),
        **_basis(seen.minutes),  # type: ignore[arg-type]
    )


def _per_minute(view: View, quantity: str, key: str) -> tuple[float, float] | None:
    """Rate in the window and over the life before it, per minute."""
    now = view.rate(quantity, key)
    row = view.series(quantity, key)
    uptime = view.last("cache_uptime_seconds", key)
    if now is None or row is None or not uptime:
        return None
    past = view.rate_before(quantity, key)
    if past is not None:
        return 60 * now, 60 * past
    before = row.values[0] / max(1.0, uptime - view.span(quantity, key))
    return 60 * now, 60 * before


def _expiry(view: View, link: Link, key: str) -> Iterable[Judged]:
    rates = _per_minute(view, "cache_expired_keys_total", key)
    row = view.series("cache_expired_keys_total", key)
    keys = view.last("cache_keys", key)
    if rates is None or row is None or keys is None:
        return
    now, before = rates
    going_on = log_ramp(now / max(before, 1.0), *BURST) if now >= 30 else 0.0
    yield evidence(
        EXPIRY_BURST,
        key,
        going_on,
        link=link.key,
        value=round(now, 1),
        baseline=round(before, 1),
        command="redis-cli info stats | grep expired_keys",
        name=link.name,
        now=round(now),
        before=round(before),
        **_basis(view.past_minutes("cache_expired_keys_total", key)),  # type: ignore[arg-type]
    )
    held = view.level_before("cache_keys", key)
    if held is not None and held >= LEAST_LOOKUPS:
        yield _fewer(view, link, key, keys, held)
        return
    longest = _longest_ttl(view, link, key)
    uptime = view.last("cache_uptime_seconds", key)
    if longest and uptime and row.values[-1] >= LEAST_LOOKUPS:
        # In a steady state, keys / time to live expire a second: the past tells the usual number.
        usual = row.values[-1] / uptime * min(longest, uptime)
        yield evidence(
            FEWER_KEYS,
            key,
            log_ramp(usual / max(keys, 1.0), *FEWER),
            link=link.key,
            value=keys,
            baseline=round(usual),
            command="redis-cli info keyspace; redis-cli info stats | grep expired_keys",
            name=link.name,
            keys=round(keys),
            expired=round(row.values[-1]),
            usual=round(usual),
        )


def _fewer(view: View, link: Link, key: str, keys: float, held: float) -> Evidence:
    """The number of keys against what our own recording says it was."""
    fewest = min(view.series("cache_keys", key).values, default=keys)  # type: ignore[union-attr]
    return evidence(
        FEWER_KEYS,
        key,
        log_ramp(held / max(fewest, 1.0), *FEWER_SEEN),
        link=link.key,
        value=fewest,
        baseline=round(held),
        command="redis-cli info keyspace",
        name=link.name,
        keys=round(fewest),
        usual=round(held),
        minutes=view.past_minutes("cache_keys", key),
    )


def _longest_ttl(view: View, link: Link, key: str) -> float | None:
    """The time to live that keys are given, from the longest that is left (90th percentile)."""
    ttls = sorted(
        ttl for space in view.case.keyspaces if space.cache in (link.key, key) for ttl in space.ttls
    )
    return quantile(ttls, 0.9) if len(ttls) >= LEAST_KEYS else None


def _refills(view: View, link: Link, key: str) -> Iterable[Judged]:
    sets = view.grown("cache_set_commands_total", key)
    row = view.series("cache_keys", key)
    span = view.span("cache_set_commands_total", key)
    if sets is None or row is None or span <= 0:
        return
    grown = row.values[-1] - row.values[0] + (view.grown("cache_expired_keys_total", key) or 0.0)
    busy = sets >= LEAST_SETS
    fresh = ramp(grown / sets, 0.3, 0.7) if sets else 0.0
    yield evidence(
        REFILLING,
        key,
        fresh if busy else 0.0,
        link=link.key,
        value=round(60 * sets / span, 1),
        command="redis-cli info commandstats",
        name=link.name,
        sets=round(60 * sets / span),
        grown=round(grown),
    )
    stale = ramp(1 - grown / sets, *STALE) if sets else 0.0
    yield evidence(
        SAME_KEY,
        _main_keyspace(view, link, key) or key,
        stale if busy else 0.0,
        link=link.key,
        value=float(sets),
        command="redis-cli info commandstats; redis-cli dbsize",
        name=link.name,
        sets=round(sets),
        grown=round(max(grown, 0.0)),
    )


def _main_keyspace(view: View, link: Link, key: str) -> str | None:
    """The prefix that nearly all keys of a cache have, where there is one."""
    spaces = [space for space in view.case.keyspaces if space.cache in (link.key, key)]
    total = sum(space.sampled for space in spaces)
    main = max(spaces, key=lambda space: (space.sampled, space.key), default=None)
    return main.key if main and main.sampled >= MAIN_SHARE * total else None


def _aligned(view: View, link: Link) -> Iterable[Judged]:
    spaces = [
        space
        for space in view.case.keyspaces
        if space.cache in (link.key, *link.processes) and len(space.ttls) >= LEAST_KEYS
    ]
    best = max(spaces, key=lambda space: (len(space.ttls), space.prefix), default=None)
    if best is None:
        return
    scored = [(*densest(space.ttls), space) for space in spaces]
    share, at, width, space = max(scored, key=lambda row: (row[0] * len(row[3].ttls), row[1]))
    yield evidence(
        TTLS_ALIGNED,
        space.key,
        ramp(share, *ALIGNED),
        link=link.key,
        value=round(share, 3),
        command=f"redis-cli --scan --pattern '{space.prefix}*' | head -50  # then TTL",
        percent=round(100 * share),
        prefix=space.prefix,
        width=round(width, 1),
        when=round(at),
    )


def densest(ttls: list[float]) -> tuple[float, float, float]:
    """The narrow span that holds most of the times to live: share, start, real width."""
    ordered = sorted(ttls)
    width = min(WIDEST, max(2.0, NARROW * quantile(ordered, 0.95)))
    best, start, end, low = 0, 0.0, 0.0, 0
    for high, ttl in enumerate(ordered):
        while ttl - ordered[low] > width:
            low += 1
        if high - low + 1 > best:
            best, start, end = high - low + 1, ordered[low], ttl
    return best / len(ordered), start, end - start
