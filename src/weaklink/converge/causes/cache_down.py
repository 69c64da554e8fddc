"""The cache answers, but refuses what it is asked."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="cache-down",
        layer="cache",
        title="does not serve",
        because="[{cache_refuses_name} refuses commands ({cache_refuses_count} in the "
        "window)][; it is loading its data{cache_refuses_loading}][; its last "
        "snapshot failed{cache_refuses_save}][; it is a read-only "
        "replica{cache_refuses_replica}][; its memory is "
        "full{cache_refuses_full}][; {cache_refuses_connections_name} refused "
        "{cache_refuses_connections_count} connections]",
        explanation="The cache's process lives and its port answers, but it refuses what "
        "it is asked: it loads its data, it became a read-only replica, a "
        "failed snapshot made it refuse writes, it is full and may not evict, "
        "or it has as many clients as it allows. Callers fail, or fall through "
        "to what the cache protects.",
        roles=("cache",),
        prior=-5.0,
        required=("cache.refuses", "cache.refuses-connections"),
        signs=(
            Weighs(
                sign="cache.refuses",
                present=5.5,
                decisive=True,
                absent=-2.5,
                names_culprit=True,
                reason="its own count of refusals, or its word that it is loading",
            ),
            Weighs(
                sign="cache.refuses-connections",
                present=5.0,
                decisive=True,
                absent=-1.0,
                names_culprit=True,
                reason="its own count of refused connections",
            ),
            Weighs(
                sign="users.errors",
                present=0.7,
                where="users",
                reason="callers that get errors pass them on",
            ),
            Weighs(
                sign="log.errors-rose",
                present=0.7,
                where="caller",
                reason="its callers' logs fill with errors",
            ),
            Weighs(
                sign="log.exception",
                present=0.7,
                where="caller",
                reason="its callers' logs tell of it",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=0.5,
                where="caller",
                reason="its callers compute what they cannot fetch or store",
            ),
            Weighs(
                sign="link.slower-than-before",
                present=0.5,
                where="caller",
                reason="its callers take longer without it",
            ),
            Weighs(
                sign="users.slow",
                present=0.7,
                where="users",
                reason="they wait while everything is computed again",
            ),
            Weighs(
                sign="process.stopped",
                present=-4.0,
                reason="then it is stopped, and refuses nothing",
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
        converges="the server, and why it refuses",
        wrong_if="it refuses nothing while callers still fail",
        contained_by=("limit-route", "free-space"),
        prevented_by=("cache-is-optional", "snapshot-alarm", "client-limits"),
    )
)
