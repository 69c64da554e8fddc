"""Threads hold what the others want, and none of them moves again."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="deadlock",
        layer="app",
        title="has threads that wait for each other",
        because="{stack_locked_count} threads have waited for locks in the same lines for "
        "{stack_locked_seconds:seconds}: {stack_locked_where}",
        explanation="Two threads each hold what the other wants. They never move again; "
        "each further request that needs one of the locks joins them. The "
        "process lives, uses no CPU, and may still answer its health check.",
        roles=("app", "inference", "unknown", "job"),
        prior=-5.0,
        required=("stack.locked",),
        signs=(
            Weighs(
                sign="stack.locked",
                present=6.5,
                absent=-5.0,
                names_culprit=True,
                reason="the same lines in every stack, asleep in a lock",
            ),
            Weighs(
                sign="process.no-progress",
                present=2.0,
                absent=-0.7,
                reason="work waits, no CPU used, nothing sent",
            ),
            Weighs(
                sign="link.requests-pile-up", present=1.5, absent=-1.0, reason="requests wait in it"
            ),
            Weighs(
                sign="member.times-out",
                present=0.7,
                reason="its requests end at the proxy's timeout",
            ),
            Weighs(
                sign="member.fails",
                present=0.7,
                reason="its requests fail or take long, as they must",
            ),
            Weighs(
                sign="stack.waits-for-connection",
                present=-3.0,
                reason="then they wait for connections, not for each other",
            ),
            Weighs(
                sign="link.waits-below",
                present=-2.0,
                reason="then the holder of the lock waits for another link",
            ),
            Weighs(
                sign="stack.prepares-on-cpu",
                present=-3.0,
                reason="then the holder of the lock computes",
            ),
            Weighs(
                sign="process.stopped", present=-6.0, reason="then it is stopped, wherever it was"
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "member.fails",
            "member.times-out",
            "member.takes-all",
            "process.no-progress",
            "member.gets-nothing",
        ),
        converges="the threads and the lines that they wait in",
        wrong_if="one of the threads leaves its line: then somebody held the lock for long",
        contained_by=("eject-member", "restart-member"),
        prevented_by=("lock-order", "lock-timeouts", "watchdog"),
    )
)
