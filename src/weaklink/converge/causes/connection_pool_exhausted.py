"""All connections of a client's pool are lent out; requests wait for one in the application."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="connection-pool-exhausted",
        layer="app",
        title="waits for a free connection of its own pool",
        because="{stack_waits_for_connection_count} threads wait for a connection of "
        "{stack_waits_for_connection_package}'s pool, for "
        "{stack_waits_for_connection_function} "
        "{stack_waits_for_connection_file}:{stack_waits_for_connection_line}",
        explanation="A client keeps a fixed number of connections to a database or cache. "
        "When they are all lent out (a leak, a transaction left open, a slow "
        "query, too small a pool) requests queue inside the application, while "
        "the server behind it is idle and quick: looking at the database shows "
        "nothing.",
        roles=("app", "inference", "unknown", "job"),
        prior=-5.0,
        required=("stack.waits-for-connection",),
        signs=(
            Weighs(
                sign="stack.waits-for-connection",
                present=5.0,
                absent=-5.0,
                names_culprit=True,
                reason="the queue in front of the pool itself",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=1.5,
                absent=-1.5,
                reason="requests are inside it and not passed on",
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="stack.pool-taken",
                present=0.5,
                reason="its threads are all taken by that wait",
            ),
            Weighs(
                sign="link.waits-below",
                present=-2.0,
                reason="then what is connected answers late: the pool empties because of it",
            ),
            Weighs(
                sign="cache.answers-late",
                present=-3.0,
                where="callee",
                reason="then the cache is slow, and holds the connections",
            ),
            Weighs(
                sign="process.stopped", present=-6.0, reason="then it is stopped, wherever it was"
            ),
            Weighs(sign="cpu.throttled", present=-2.0, reason="then the quota stops it"),
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
        converges="the package, the function that waits, and the size of its pool",
        wrong_if="the pool has idle connections while threads wait",
        contained_by=("limit-route", "restart-member", "add-member"),
        prevented_by=("pool-timeouts", "return-connections", "pool-metrics"),
    )
)
