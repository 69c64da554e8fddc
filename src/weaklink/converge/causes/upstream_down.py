"""A proxy passes requests to an address at which nobody listens."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="upstream-down",
        layer="entry",
        title="is down",
        because="connections to it are refused[: {member_refused_count} times in the error log]"
        "[, {member_answered_502_count} requests got no connection]"
        "[, the log of {log_callee_refused_caller} says so {log_callee_refused_count} times]"
        "[, nobody listens at {member_not_listening_address}]",
        explanation="The process behind an address of the upstream is gone. The proxy gets a "
        "refusal within milliseconds; with a single member every request fails, with several a "
        "share of them, until the proxy ejects it, and after each ejection's end again.",
        roles=(),
        prior=-4.5,
        required=(
            "member.refused",
            "member.not-listening",
            "member.answered-502",
            "log.callee-refused",
        ),
        signs=(
            Weighs(
                sign="member.refused",
                present=3.0,
                absent=-0.7,
                names_culprit=True,
                reason="the proxy's own words",
            ),
            Weighs(
                sign="member.not-listening",
                present=3.0,
                absent=-2.0,
                names_culprit=True,
                reason="the kernel knows of no listener there",
            ),
            Weighs(
                sign="member.answered-502",
                present=2.5,
                absent=-0.5,
                names_culprit=True,
                reason="no connection within milliseconds is a refusal, not slowness",
            ),
            Weighs(
                sign="log.callee-refused",
                present=2.5,
                names_culprit=True,
                reason="an application that balances by itself is its own proxy: its words count",
            ),
            Weighs(sign="member.fails", present=1.0, reason="its requests fail"),
            Weighs(sign="users.errors", present=0.5, where="users", reason="users get errors"),
            Weighs(
                sign="memory.oom-killed",
                present=-5.0,
                reason="then the kernel killed it: that is the cause",
            ),
            Weighs(
                sign="process.stopped", present=-3.0, reason="a stopped process does not refuse"
            ),
            Weighs(
                sign="link.connects-fail",
                present=2.5,
                absent=-0.3,
                where="caller",
                reason="the kernel counts the connections that its caller could not make",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "member.*",
            "stack.*",
            "cpu.link-busy",
            "cpu.link-waits-for-cpu",
            "cpu.host-full",
            "process.restarted",
        ),
        converges="the address, and the last process that listened there if it was seen",
        wrong_if="the address answers by hand from the proxy's own namespace",
        contained_by=("start-member", "eject-member"),
        prevented_by=("active-health-checks", "process-supervision"),
    )
)
