"""A new version, configuration or model was taken in just before users hurt."""

from weaklink.model.cause import Cause, Weighs, cause

OTHER = "then that is the reason, and the start is its consequence"

cause(
    Cause(
        id="bad-deploy",
        layer="app",
        title="runs something new since just before",
        because="{deploy_just_before_what} was changed, and it started with it "
        "{deploy_just_before_ago} s before users hurt"
        "[; its log: {log_exception_type}][ in {log_exception_where}]"
        "[; {deploy_only_the_changed_ones_bad} % of the requests to the new ones are bad, "
        "{deploy_only_the_changed_ones_fine} % of the others']",
        explanation="Most incidents follow a change. What is new fails or is slow from its first "
        "request on; members that still run the old version are fine. A deploy of hours ago is "
        "not to blame for what began now.",
        roles=("app", "inference", "proxy", "unknown"),
        prior=-4.5,
        required=("deploy.just-before",),
        signs=(
            Weighs(
                sign="deploy.just-before",
                present=3.0,
                absent=-4.0,
                names_culprit=True,
                reason="changed, taken in, and then it began: in that order, within two minutes",
            ),
            Weighs(
                sign="deploy.only-the-changed-ones",
                present=2.5,
                absent=-2.0,
                reason="the old version is fine next to it",
            ),
            Weighs(sign="log.exception", present=1.5, reason="an exception that is new"),
            Weighs(sign="log.errors-rose", present=0.7, reason="its log is louder than before"),
            Weighs(sign="member.fails", present=1.0, reason="its requests fail or are slow"),
            Weighs(sign="link.slower-than-before", present=0.7, reason="it takes longer"),
            Weighs(
                sign="app.counts-more-errors", present=0.7, reason="it counts more errors itself"
            ),
            Weighs(
                sign="app.counts-slower-requests", present=0.5, reason="it is slower by its count"
            ),
            Weighs(
                sign="link.waits-below",
                present=-1.5,
                reason="then it waits for another link, old or new",
            ),
            Weighs(sign="memory.oom-killed", present=-3.0, reason=OTHER),
            Weighs(sign="log.disk-full", present=-2.0, reason=OTHER),
            Weighs(sign="log.callee-refused", present=-1.0, where="callee", reason=OTHER),
            Weighs(
                sign="cpu.throttled", present=-1.0, reason="a start that is short of CPU is slow"
            ),
            Weighs(sign="process.stopped", present=-4.0, reason="then somebody stopped it"),
            Weighs(sign="load.rose", present=-1.0, where="users", reason="then load is the change"),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "member.*",
            "process.restarted",
            "stack.*",
            "cpu.link-busy",
            "deploy.*",
            "log.*",
            "app.*",
            "answers.*",
            "engine.*",
        ),
        converges="the file, when it was changed and taken in, and on which members",
        wrong_if="a member on the old version fares as badly",
        contained_by=("roll-back", "eject-member"),
        prevented_by=("canary-deploy",),
    )
)
