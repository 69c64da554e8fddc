"""The cache forks for a snapshot, and nobody is answered until it has."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="cache-fork-stall",
        layer="cache",
        title="stands still while it forks for a snapshot",
        because="the last fork of {cache_fork_took_long_name} took "
        "{cache_fork_took_long_ms} ms[, and it is saving "
        "now{cache_fork_took_long_saving}]",
        explanation="For a snapshot (or a rewrite of its log) the cache forks. With much "
        "memory, large pages or a virtual machine the fork itself takes long, "
        "and nobody is answered meanwhile; afterwards every written page is "
        "copied. Spikes come with the save's own period, all callers at once.",
        roles=("cache",),
        prior=-5.0,
        required=("cache.fork-took-long",),
        signs=(
            Weighs(
                sign="cache.fork-took-long",
                present=4.0,
                absent=-5.0,
                names_culprit=True,
                reason="its own clock of the last fork",
            ),
            Weighs(sign="cache.answers-late", present=2.0, absent=-0.5, reason="a PING met it"),
            Weighs(
                sign="link.waits-below",
                present=1.0,
                where="caller",
                reason="its callers wait for it",
            ),
            Weighs(
                sign="stack.waits-for-callee",
                present=1.0,
                where="caller",
                reason="they sit in their client library",
            ),
            Weighs(sign="link.requests-pile-up", present=0.5, reason="commands wait in it"),
            Weighs(
                sign="cache.busy-with-scans",
                present=-3.0,
                reason="then expensive commands block it",
            ),
            Weighs(
                sign="cache.slow-commands", present=-1.5, reason="then single commands block it"
            ),
            Weighs(sign="cache.one-core-full", present=-1.5, reason="then it is full all the time"),
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
            "cache.answers-late",
        ),
        converges="the server, its fork, and its schedule of saves",
        wrong_if="latency stays while no save runs",
        contained_by=("save-elsewhere",),
        prevented_by=("replica-saves", "no-huge-pages", "smaller-instances"),
    )
)
