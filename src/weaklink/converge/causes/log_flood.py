"""The log is written faster than helps, and requests wait for their lines."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="log-flood",
        layer="app",
        title="is held up by its own log",
        because="[it writes {process_log_floods_rate} MB/s to {process_log_floods_path}][; "
        "{stack_in_logging_percent} % of its working threads are in the logging "
        "library][; {process_blocked_on_output_count} threads wait until somebody "
        "reads its output]",
        explanation="A debug level left on, or an error logged for each retry, makes every "
        "request write kilobytes under one lock; or the reader of the "
        "process's output is stuck and each line waits for room in the pipe. "
        "It looks like a slow application or a slow disk.",
        roles=(),
        prior=-5.0,
        required=("process.log-floods", "process.blocked-on-output", "stack.in-logging"),
        signs=(
            Weighs(
                sign="process.log-floods",
                present=3.5,
                absent=-0.5,
                names_culprit=True,
                reason="the end of its log moves by megabytes each second",
            ),
            Weighs(
                sign="stack.in-logging",
                present=5.5,
                absent=-2.0,
                reason="threads are caught writing lines, or waiting to",
            ),
            Weighs(
                sign="process.blocked-on-output",
                present=6.0,
                absent=-0.3,
                names_culprit=True,
                reason="asleep in a write to a full pipe in every reading",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=1.0,
                absent=-0.5,
                reason="requests wait inside it",
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="stack.prepares-on-cpu",
                present=-3.0,
                reason="then its CPU goes into preparing input",
            ),
            Weighs(sign="cpu.throttled", present=-1.5, reason="then the quota stops it as well"),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-2.0,
                where="any",
                reason="then there is more to do, because the cache lost what it held",
            ),
            Weighs(
                sign="process.stopped", present=-6.0, reason="then it is stopped, wherever it was"
            ),
            Weighs(sign="link.waits-below", present=-1.5, reason="then it waits for another link"),
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
        ),
        converges="the file, its rate, and the line of code that writes it",
        wrong_if="with the level set to warnings users still wait",
        contained_by=("lower-log-level", "restart-member"),
        prevented_by=("async-logging", "log-rate-limit", "log-levels-reviewed"),
    )
)
