"""The engine behind an inference server is dead or hangs, while its front still answers."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="engine-dead",
        layer="inference",
        title="its engine is dead, only its front answers",
        because="[{engine_no_tokens_waiting} requests wait and {engine_no_tokens_running} run, and "
        "not one token came out in {engine_no_tokens_seconds} s; ]"
        "[its log says so {log_engine_dead_count} times; ]the port and the health page still work",
        explanation="An inference server is a web front and an engine in another process. When "
        "the engine dies or hangs (a CUDA error, a lost worker, a deadlock of the scheduler), the "
        "front goes on to accept requests and to answer its health check; they queue up, or fail "
        "at once.",
        roles=("inference", "app", "unknown"),
        prior=-4.5,
        required=("engine.no-tokens", "log.engine-dead"),
        signs=(
            Weighs(
                sign="engine.no-tokens",
                present=4.5,
                absent=-4.0,
                names_culprit=True,
                reason="work is there and nothing comes out: progress, not the port, is life",
            ),
            Weighs(
                sign="log.engine-dead",
                present=3.5,
                names_culprit=True,
                reason="the engine's own words",
            ),
            Weighs(sign="engine.requests-wait", present=0.7, reason="nobody takes from its queue"),
            Weighs(
                sign="link.requests-pile-up",
                present=0.7,
                where="caller",
                reason="a stream begins at once and then makes wait: its caller holds what is open",
            ),
            Weighs(
                sign="link.slower-than-before",
                present=0.5,
                where="caller",
                reason="who calls its caller waits longer",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=1.0,
                reason="the kernel sees what came in and was not answered",
            ),
            Weighs(
                sign="process.no-progress",
                present=0.7,
                reason="neither CPU nor bytes, although work waits",
            ),
            Weighs(sign="member.fails", present=1.0, reason="its requests fail or hang"),
            Weighs(
                sign="member.fails",
                present=1.0,
                where="caller",
                reason="whoever calls it fails with it",
            ),
            Weighs(
                sign="log.errors-rose", present=0.5, reason="each request is refused in its log"
            ),
            Weighs(sign="users.errors", present=0.5, where="users", reason="users get errors"),
            Weighs(sign="member.times-out", present=0.7, reason="its requests hang"),
            Weighs(sign="log.gpu-fault", present=1.0, reason="what engines die of"),
            Weighs(sign="log.gpu-out-of-memory", present=0.7, reason="what engines die of"),
            Weighs(sign="log.out-of-memory", present=0.5, reason="what engines die of"),
            Weighs(sign="log.workers-die", present=0.5, reason="a worker of it is gone"),
            Weighs(
                sign="process.stopped", present=-5.0, reason="then somebody stopped the process"
            ),
            Weighs(sign="memory.oom-killed", present=-2.0, reason="then the kernel killed it"),
            Weighs(sign="member.not-listening", present=-4.0, reason="then all of it is gone"),
            Weighs(
                sign="link.waits-below",
                present=-1.5,
                reason="then it waits for another link, as it should",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "engine.*",
            "member.*",
            "process.no-progress",
            "stack.*",
            "log.*",
            "app.*",
        ),
        converges="the engine of one member, and what its log says it died of",
        wrong_if="its token counters move between two looks",
        contained_by=("eject-member", "restart-member"),
        prevented_by=("deep-health", "watchdog"),
    )
)
