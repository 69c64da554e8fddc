"""The cache throws out keys that are still wanted, and every miss is computed again."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="cache-eviction",
        layer="cache",
        title="computes again what the cache had to throw out",
        because="{cache_evicts_name} throws out {cache_evicts_now} keys a minute for lack "
        "of memory[, hits fell from {cache_hit_ratio_fell_before} to "
        "{cache_hit_ratio_fell_now}]",
        explanation="The cache is at its memory limit and throws out keys that are still "
        "wanted: a larger working set, values that grew, or another tenant's "
        "keys. Hits fall slowly, each miss is computed again, and the "
        "computing link looks slow.",
        roles=("inference", "app", "unknown", "job"),
        prior=-5.0,
        required=("cache.evicts",),
        signs=(
            Weighs(
                sign="cache.evicts",
                present=5.0,
                absent=-5.0,
                where="callee",
                names_culprit=True,
                reason="its own count of keys thrown out",
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=2.0,
                absent=-1.5,
                where="callee",
                reason="without misses an eviction hurts nobody",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=0.7,
                reason="what is missing is computed again here",
            ),
            Weighs(sign="link.slower-than-before", present=0.5, reason="misses take longer"),
            Weighs(
                sign="cache.fewer-keys-than-usual",
                present=-1.0,
                where="callee",
                reason="then keys expired together",
            ),
            Weighs(sign="cache.emptied", present=-2.0, where="callee", reason="then it began anew"),
            Weighs(
                sign="requests.one-resource",
                present=-1.5,
                where="users",
                reason="one thing only: a hot key, not lack of room",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "member.*",
            "process.no-progress",
            "cpu.link-busy",
            "cpu.link-waits-for-cpu",
            "cpu.host-full",
            "log.*",
            "cache.*",
        ),
        converges="the cache, its limit, and what fills it",
        wrong_if="evictions stop and hits stay low",
        contained_by=("raise-cache-memory", "limit-route"),
        prevented_by=("memory-alarm", "smaller-values", "separate-tenants"),
    )
)
