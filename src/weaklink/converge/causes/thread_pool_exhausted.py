"""Every thread of a pool waits for something slow, and quick requests wait for a thread."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="thread-pool-exhausted",
        layer="app",
        title="has no free thread left",
        because="all {stack_pool_taken_count} threads of {stack_pool_taken_pool} are "
        "taken, and wait in {stack_pool_taken_function} "
        "{stack_pool_taken_file}:{stack_pool_taken_line}",
        explanation="The server works with a fixed number of threads. When all of them "
        "wait for something slow, every further request waits for a thread, "
        "quick ones as well: CPU is low, the machine looks idle, and nothing "
        "moves.",
        roles=("app", "inference", "unknown", "job"),
        prior=-5.0,
        required=("stack.pool-taken",),
        signs=(
            Weighs(
                sign="stack.pool-taken",
                present=4.0,
                absent=-5.0,
                names_culprit=True,
                reason="not one thread is free, and they wait",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=2.0,
                absent=-2.0,
                reason="requests wait for a thread inside it",
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="link.waits-below",
                present=-2.5,
                reason="then they wait for another link, which is slow itself",
            ),
            Weighs(
                sign="stack.waits-for-connection",
                present=-3.0,
                reason="then connections are used up, threads only wait for them",
            ),
            Weighs(sign="stack.locked", present=-3.0, reason="then threads hold each other"),
            Weighs(
                sign="stack.loop-blocked", present=-1.5, reason="then the loop is what is held up"
            ),
            Weighs(
                sign="stack.prepares-on-cpu",
                present=-3.0,
                reason="then they compute: more threads would not help",
            ),
            Weighs(sign="cpu.throttled", present=-3.0, reason="then the quota stops them"),
            Weighs(sign="cpu.link-waits-for-cpu", present=-2.0, reason="then they wait for a CPU"),
            Weighs(
                sign="member.gets-nothing",
                present=-4.0,
                where="peer",
                reason="then it does its peers' work as well",
            ),
            Weighs(
                sign="member.takes-all", present=-4.0, reason="then it does its peers' work as well"
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-3.0,
                where="any",
                reason="then there is more to do, because the cache lost what it held",
            ),
            Weighs(
                sign="cache.answers-late",
                present=-3.0,
                where="callee",
                reason="then they wait for a slow cache",
            ),
            Weighs(
                sign="requests.one-resource",
                present=-1.5,
                where="users",
                reason="then one thing takes all threads",
            ),
            Weighs(
                sign="process.stopped", present=-6.0, reason="then it is stopped, wherever it was"
            ),
            Weighs(sign="memory.oom-killed", present=-2.0, reason="then it starts again and again"),
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
        ),
        converges="the pool, its size, and the line that its threads wait in",
        wrong_if="threads of the pool are free while requests wait",
        contained_by=("limit-route", "add-member", "restart-member"),
        prevented_by=("pool-from-load-test", "timeouts-on-calls", "bulkheads"),
    )
)
