"""A caller has used up its local ports towards one address."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="port-exhaustion",
        layer="network",
        title="has no local port left for new connections",
        because="{net_ports_used_up_used} of {net_ports_used_up_all} ports towards "
        "{net_ports_used_up_destination} are taken, {net_ports_used_up_time_wait} of them wait "
        "in TIME_WAIT",
        explanation="Each request opens a connection of its own, and each that was closed here "
        "keeps its port for a minute. When the range is used up, connecting fails at once with "
        "`Cannot assign requested address`. Who is called is idle and answers when asked by hand.",
        roles=(),
        prior=-4.5,
        required=("net.ports-used-up",),
        signs=(
            Weighs(
                sign="net.ports-used-up",
                present=7.0,
                absent=-5.0,
                decisive=True,
                names_culprit=True,
                reason="the kernel's own list of sockets against its own range",
            ),
            Weighs(sign="users.errors", present=0.5, where="users", reason="users get errors"),
            Weighs(sign="member.fails", present=0.7, where="callee", reason="calls from it fail"),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "member.*",
            "stack.*",
            "external.*",
            "log.*",
            "net.*",
        ),
        converges="who calls, the destination, and how the ports are taken",
        wrong_if="`ss -tan` shows fewer sockets towards the address than the range has ports",
        contained_by=("limit-route", "restart-member"),
        prevented_by=("keepalive-to-upstreams",),
    )
)
