"""A process holds as many descriptors as it may, so it accepts no connection."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="fd-exhausted",
        layer="app",
        title="has no descriptor left",
        because="pid {process_descriptors_full_pid} holds {process_descriptors_full_used} "
        "of the {process_descriptors_full_limit} descriptors that it may",
        explanation="Each connection and each open file takes a descriptor, and a process "
        "may hold only so many. At the limit it accepts no connection (they "
        "wait in the kernel, which calls the port open) and opens no file; "
        "callers see timeouts, the log says EMFILE or nothing at all.",
        roles=(),
        prior=-5.0,
        required=("process.descriptors-full",),
        signs=(
            Weighs(
                sign="process.descriptors-full",
                present=6.5,
                absent=-6.0,
                decisive=True,
                names_culprit=True,
                reason="the kernel's count against its limit",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=1.0,
                absent=-0.3,
                reason="connections wait to be accepted",
            ),
            Weighs(
                sign="users.errors",
                present=0.7,
                where="users",
                reason="what cannot be opened fails",
            ),
            Weighs(
                sign="process.stopped",
                present=-4.0,
                reason="then connections pile up because it is stopped",
            ),
            Weighs(
                sign="link.waits-below",
                present=-1.5,
                reason="then it holds so many because what it calls is slow",
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
        ),
        converges="the process, its limit, and what the descriptors are",
        wrong_if="descriptors are far below the limit while users wait",
        contained_by=("raise-open-files", "restart-member", "limit-route", "eject-member"),
        prevented_by=("limits-from-load-test", "close-what-is-opened", "descriptor-alarm"),
    )
)
