"""One request, or one thing asked for, crashes or hangs every member that takes it."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="poison-request",
        layer="app",
        title="dies or hangs on one request",
        because="{requests_one_resource_percent} % of the bad requests ask for "
        "{requests_one_resource_path}"
        "[; {requests_fail_after_retry_count} of them failed on one member after another]"
        "[; workers died {log_workers_die_count} times in the meantime]",
        explanation="A broken file, an endless loop in a template, a prompt that trips an assert: "
        "the member that takes it dies or hangs, the proxy tries the next one, and that dies as "
        "well. A single user can take a whole service down without any load.",
        roles=("app", "inference", "unknown"),
        prior=-4.5,
        required=("requests.one-resource",),
        signs=(
            Weighs(
                sign="requests.one-resource",
                present=3.0,
                absent=-4.0,
                where="users",
                reason="the same thing each time, others of its route are fine",
            ),
            Weighs(
                sign="requests.fail-after-retry",
                present=2.0,
                absent=-0.5,
                where="users",
                reason="tried on another member it fails there too",
            ),
            Weighs(
                sign="log.workers-die",
                present=2.5,
                names_culprit=True,
                reason="workers die while it is asked for",
            ),
            Weighs(sign="log.exception", present=1.0, reason="the exception that it raises"),
            Weighs(
                sign="process.restarted",
                present=1.5,
                names_culprit=True,
                reason="a process had to be started again",
            ),
            Weighs(
                sign="requests.one-resource-comes-and-goes",
                present=-3.5,
                where="users",
                reason="quick in between: a much-wanted key that expires",
            ),
            Weighs(
                sign="cache.same-key-stored-again",
                present=-3.0,
                where="callee",
                reason="then it is a hot key",
            ),
            Weighs(sign="memory.oom-killed", present=-1.5, reason="then memory is the limit"),
            Weighs(
                sign="requests.many-resources",
                present=-2.0,
                where="users",
                reason="many things fail, not one",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "member.*",
            "process.restarted",
            "process.no-progress",
            "stack.*",
            "cpu.link-busy",
            "log.*",
            "app.*",
        ),
        converges="the path asked for, and the members that took it",
        wrong_if="members die while nobody asks for it",
        contained_by=("refuse-one-path", "restart-member"),
        prevented_by=("input-quarantine",),
    )
)
