"""Many keys expire at one moment, and every request computes again what the cache used to hold."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="cache-mass-expiry",
        layer="cache",
        title="computes again what the cache has lost",
        because="keys of the cache expired together"
        "[: {cache_fewer_keys_than_usual_keys} are left of about "
        "{cache_fewer_keys_than_usual_usual}]"
        "[, hits fell from {cache_hit_ratio_fell_before} to {cache_hit_ratio_fell_now}]"
        "[; {cache_expiry_set_by_name} (pid {cache_expiry_set_by_pid}) had given "
        "{cache_expiry_set_by_keys} keys their end]",
        explanation="A batch (a refresh, a warm-up, a deploy) gave many keys the same moment of "
        "expiry. When it comes, each request misses and computes its answer again; CPU and "
        "latency of the computing link explode, and it looks as if the model had become slow. "
        "The refilled keys often expire together again.",
        roles=("inference", "app"),
        prior=-5.0,
        required=("cache.hit-ratio-fell", "cache.fewer-keys-than-usual"),
        signs=(
            Weighs(
                sign="cache.ttls-aligned",
                present=1.5,
                absent=-0.3,
                where="callee",
                names_culprit=True,
                reason="keys that were refilled together will expire together",
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=3.0,
                absent=-4.0,
                where="callee",
                names_culprit=True,
                reason="without misses an expiry hurts nobody",
            ),
            Weighs(
                sign="cache.fewer-keys-than-usual",
                present=3.5,
                absent=-0.5,
                where="callee",
                reason="the burst is over: what is left of it is the missing keys",
            ),
            Weighs(
                sign="cache.expiry-burst",
                present=2.0,
                where="callee",
                reason="seen only while it lasts, so its absence says nothing",
            ),
            Weighs(
                sign="cache.many-keys-refilled",
                present=1.5,
                absent=-1.0,
                where="callee",
                reason="misses of many keys are stored under many keys again",
            ),
            Weighs(
                sign="requests.many-resources",
                present=1.5,
                absent=-0.7,
                where="users",
                reason="all things of a route are slow, not one",
            ),
            Weighs(
                sign="requests.one-resource",
                present=-4.0,
                where="users",
                reason="one thing only: a hot key, not many keys",
            ),
            Weighs(
                sign="cache.same-key-stored-again",
                present=-2.5,
                where="callee",
                reason="the same key again and again: a hot key",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=0.7,
                reason="the link that computes again is where requests pile up",
            ),
            Weighs(sign="cpu.link-busy", present=0.5, reason="computing again costs CPU"),
            Weighs(sign="link.slower-than-before", present=0.5, reason="misses take longer"),
            Weighs(
                sign="cache.busy-with-scans",
                present=-2.0,
                where="callee",
                reason="then the cache itself is slow",
            ),
            Weighs(
                sign="cache.misses-never-stored",
                present=-5.0,
                where="callee",
                reason="then nothing is stored again: what is asked for does not exist",
            ),
            Weighs(
                sign="cache.emptied",
                present=-4.5,
                where="callee",
                reason="then it began anew: nothing has expired",
            ),
            Weighs(
                sign="cache.evicts",
                present=-4.0,
                where="callee",
                reason="then it throws out what it cannot hold",
            ),
            Weighs(
                sign="cache.expiry-set-by",
                present=1.5,
                where="callee",
                reason="that is who gave the keys one end",
            ),
            Weighs(
                sign="schedule.runs-before-each",
                present=0.7,
                where="any",
                reason="a program that comes again gives keys their end again",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "cpu.link-busy",
            "cpu.link-waits-for-cpu",
            "cpu.host-full",
            "member.fails",
            "member.times-out",
            "cache.hit-ratio-fell",
        ),
        converges="the key prefix, the moment, when it comes again, who was running at that moment",
        wrong_if="hits recover and P99 stays: then look at the CPU quota of the computing link",
        contained_by=("stop-next-run", "limit-route", "spread-expiry", "warm-missing"),
        prevented_by=("jittered-expiry", "single-flight", "stale-while-revalidate"),
        next_danger="[the refilled keys of {cache_ttls_aligned_prefix} expire together again in "
        "{cache_ttls_aligned_when:seconds}; ]"
        "[{schedule_runs_before_each_name} runs again at {schedule_runs_before_each_next:clock}]",
    )
)
