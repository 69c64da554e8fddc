"""A process answers the health check, accepts connections, and makes no progress."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="worker-frozen",
        layer="app",
        title="makes no progress",
        because="[pid {process_stopped_pid} is {process_stopped_how}; ]"
        "[requests wait in it for {process_no_progress_oldest:seconds} while it uses "
        "{process_no_progress_cpu} ms of CPU a second; ]its port still accepts connections",
        explanation="A stopped, frozen or deadlocked process keeps its port open: the kernel "
        "accepts connections for it, so that a shallow health check calls it alive. Its share of "
        "the requests waits until the proxy's timeout.",
        roles=(),
        prior=-5.0,
        required=("process.stopped", "process.no-progress"),
        signs=(
            Weighs(
                sign="process.stopped",
                present=8.0,
                absent=-0.5,
                decisive=True,
                names_culprit=True,
                reason="the kernel's own word: it cannot run",
            ),
            Weighs(
                sign="process.no-progress",
                present=4.5,
                absent=-1.5,
                names_culprit=True,
                reason="work waits, no CPU used, nothing sent: looks alive, is not",
            ),
            Weighs(
                sign="member.times-out",
                present=1.5,
                reason="its requests end at the proxy's timeout",
            ),
            Weighs(
                sign="member.fails",
                present=1.0,
                reason="its requests fail, those of its peers do not",
            ),
            Weighs(sign="link.requests-pile-up", present=0.7, reason="requests stay inside it"),
            Weighs(
                sign="link.waits-below",
                present=-4.0,
                reason="then it waits for another link, as it should",
            ),
            Weighs(
                sign="stack.locked",
                present=-5.0,
                reason="then its threads hold each other: a deadlock",
            ),
            Weighs(
                sign="stack.loop-blocked",
                present=-3.0,
                reason="then its event loop is held up by one call",
            ),
            Weighs(
                sign="stack.pool-taken",
                present=-2.0,
                reason="then its threads wait for something, all of them",
            ),
            Weighs(
                sign="stack.waits-for-connection",
                present=-3.0,
                reason="then its pool of connections is used up",
            ),
            Weighs(
                sign="memory.oom-killed", present=-2.0, reason="then it is starting, not frozen"
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "member.fails",
            "member.times-out",
            "member.takes-all",
            "member.gets-nothing",
            "member.no-connections",
            "process.*",
            "stack.*",
            "cpu.link-busy",
        ),
        converges="the process and how it is stopped, or the function that it sits in",
        wrong_if="it uses CPU or answers other requests: then it is slow, not frozen",
        contained_by=("eject-member", "resume-process", "restart-member"),
        prevented_by=("deep-health", "watchdog"),
    )
)
