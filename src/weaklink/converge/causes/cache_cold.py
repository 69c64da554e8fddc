"""The cache was restarted or flushed, and everything is computed again at full load."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="cache-cold",
        layer="cache",
        title="computes everything, because the cache began anew",
        because="{cache_emptied_name} began anew[ {cache_emptied_ago:seconds} ago][: "
        "flushed {cache_emptied_flushed} times]; it holds {cache_emptied_keys} "
        "keys[, hits {cache_hit_ratio_fell_now}]",
        explanation="A cache that was restarted without its data, flushed, or replaced by "
        "an empty one misses everything at first. The callers compute at full "
        "load what they never had to, until enough is stored again; more load "
        "keeps it from ever catching up.",
        roles=("inference", "app", "unknown", "job"),
        prior=-5.0,
        required=("cache.emptied",),
        signs=(
            Weighs(
                sign="cache.emptied",
                present=5.5,
                absent=-5.0,
                where="callee",
                names_culprit=True,
                reason="it is younger than those who use it, or was flushed",
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=1.5,
                absent=-0.5,
                where="callee",
                reason="it misses what it used to hold",
            ),
            Weighs(
                sign="cache.many-keys-refilled",
                present=1.5,
                absent=-0.7,
                where="callee",
                reason="it is being filled again",
            ),
            Weighs(
                sign="link.requests-pile-up", present=0.7, reason="what is missing is computed here"
            ),
            Weighs(sign="link.slower-than-before", present=0.5, reason="misses take longer"),
            Weighs(
                sign="cache.evicts",
                present=-2.0,
                where="callee",
                reason="then it throws out what it cannot hold",
            ),
            Weighs(
                sign="cache.refuses",
                present=-1.0,
                where="callee",
                reason="then it does not serve at all",
            ),
            Weighs(
                sign="requests.one-resource",
                present=-1.5,
                where="users",
                reason="one thing only: a hot key",
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
            "process.restarted",
        ),
        converges="the cache, when it began anew, and how much is stored again",
        wrong_if="hits are back and P99 stays",
        contained_by=("warm-missing", "limit-route"),
        prevented_by=("warm-before-traffic", "persistent-cache", "single-flight"),
    )
)
