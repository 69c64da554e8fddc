"""A process dies and is started again and again, and takes requests with it each time."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="worker-crash-loop",
        layer="app",
        title="dies and is started again and again",
        because="{process_starts_again_started} processes of it were started since users hurt"
        "[, {process_starts_again_ended} ended while we looked]"
        "[; {member_refused_count} connections to it were refused]",
        explanation="Somebody (a supervisor, a container's runtime, a process manager) "
        "brings a dying process back each time: it is alive whenever one "
        "looks, answers its health check for a moment, and fails the requests "
        "that it holds when it dies.",
        roles=("app", "inference", "unknown", "cache", "store", "job"),
        prior=-5.0,
        required=("process.starts-again",),
        signs=(
            Weighs(
                sign="process.starts-again",
                present=4.0,
                absent=-5.0,
                names_culprit=True,
                reason="deaths and births of the same program within seconds",
            ),
            Weighs(
                sign="users.errors",
                present=1.5,
                absent=-2.5,
                where="users",
                reason="what it held fails when it dies",
            ),
            Weighs(sign="member.fails", present=1.0, reason="its requests fail"),
            Weighs(sign="member.answered-502", present=1.0, reason="connections to it break off"),
            Weighs(
                sign="member.breaks-off",
                present=2.0,
                reason="the proxy saw it close connections that it had not answered",
            ),
            Weighs(
                sign="member.none-left",
                present=0.7,
                where="caller",
                reason="the proxy took all of them out",
            ),
            Weighs(sign="member.refused", present=1.0, reason="nobody listens while it starts"),
            Weighs(
                sign="memory.oom-killed",
                present=-3.0,
                reason="then the kernel kills it for its memory",
            ),
            Weighs(
                sign="process.descriptors-full",
                present=-1.5,
                reason="then it dies for lack of descriptors",
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
            "process.restarted",
            "cpu.link-busy",
        ),
        converges="the program, who starts it, and its last lines",
        wrong_if="its processes are old, and users still see errors",
        contained_by=("eject-member", "limit-route"),
        prevented_by=("readiness-before-traffic", "crash-alarm", "backoff-on-restart"),
    )
)
