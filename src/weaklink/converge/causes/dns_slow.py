"""A link waits for a name server before it can call anybody."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="dns-slow",
        layer="network",
        title="waits for names to be resolved",
        because="{stack_waits_for_names_percent} % of its working threads wait for a name "
        "to be resolved, for {stack_waits_for_names_function} "
        "{stack_waits_for_names_file}:{stack_waits_for_names_line}[; its log: not "
        "resolved, {log_names_unresolved_count} times]",
        explanation="Before each new connection a name has to become an address. A name "
        "server that is slow, gone or asked for five search domains first "
        "makes every connection seconds late (5 s is the resolver's own "
        "patience), while the service that is called is quick and idle.",
        roles=(),
        prior=-5.0,
        required=("stack.waits-for-names",),
        signs=(
            Weighs(
                sign="stack.waits-for-names",
                present=4.5,
                absent=-5.0,
                names_culprit=True,
                reason="threads are caught in the resolver",
            ),
            Weighs(
                sign="log.names-unresolved", present=2.0, absent=-0.2, reason="its own log says so"
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=1.0,
                absent=-0.5,
                reason="requests wait in it, and in nothing that it calls",
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="link.waits-below",
                present=-1.5,
                reason="then it waits for a link that it has already reached",
            ),
            Weighs(sign="process.stopped", present=-5.0, reason="then it is stopped"),
            Weighs(
                sign="cpu.throttled",
                present=-1.5,
                reason="then its quota stops it, whatever it does",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "member.fails",
            "member.times-out",
            "log.*",
            "process.no-progress",
        ),
        converges="the line that resolves, and its resolv.conf",
        wrong_if="names are resolved within milliseconds from the same place",
        contained_by=("restart-member", "limit-route"),
        prevented_by=("local-resolver-cache", "keep-connections", "fully-qualified-names"),
    )
)
