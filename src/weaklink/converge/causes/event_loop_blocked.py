"""One synchronous call on the event loop stops every other request of the process."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="event-loop-blocked",
        layer="app",
        title="has its event loop held up by one call",
        because="its event loop [waits in {stack_loop_blocked_waiting} ]"
        "[computes in {stack_loop_blocked_computing} ]{stack_loop_blocked_file}:"
        "{stack_loop_blocked_line} in {stack_loop_blocked_share} of its stacks",
        explanation="An asynchronous server answers all requests on one thread. A "
        "synchronous call on it (a blocking client, a sleep, a lock, a long "
        "computation) stops every other request of the process, health checks "
        "as well, though the CPU may be idle. It looks like a slow model or a "
        "slow network.",
        roles=("app", "inference", "unknown", "job"),
        prior=-5.0,
        required=("stack.loop-blocked",),
        signs=(
            Weighs(
                sign="stack.loop-blocked",
                present=4.0,
                absent=-5.0,
                names_culprit=True,
                reason="one thread serves everybody, and it is in this call",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=1.5,
                absent=-1.5,
                reason="requests wait in it, unread or unanswered",
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="process.no-progress",
                present=1.0,
                reason="no CPU, nothing sent, though work waits",
            ),
            Weighs(
                sign="link.waits-below",
                present=-1.0,
                reason="the call may wait for another link, which is then slow itself",
            ),
            Weighs(
                sign="stack.prepares-on-cpu",
                present=-2.5,
                reason="then the CPU is full of preparing input, wherever it is called from",
            ),
            Weighs(sign="stack.locked", present=-2.0, reason="then threads hold each other"),
            Weighs(
                sign="cpu.throttled",
                present=-3.0,
                reason="then the quota stops it, whatever it does",
            ),
            Weighs(
                sign="cpu.link-waits-for-cpu",
                present=-2.0,
                reason="then it is not the call but the lack of a CPU that takes long",
            ),
            Weighs(
                sign="process.stopped", present=-6.0, reason="then it is stopped, wherever it was"
            ),
            Weighs(
                sign="cache.answers-late",
                present=-2.5,
                where="callee",
                reason="then the call waits for a slow cache",
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
            "cpu.link-busy",
        ),
        converges="the function, its line, and whether it waits or computes",
        wrong_if="the event loop is in select in most stacks: then the wait is elsewhere",
        contained_by=("eject-member", "add-member", "limit-route", "restart-member"),
        prevented_by=("no-blocking-calls-in-loop", "loop-lag-metric"),
    )
)
