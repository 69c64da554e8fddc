"""The kernel's table of tracked connections is full: packets of new connections are dropped."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="conntrack-full",
        layer="network",
        title="gets no new connections: the table of tracked ones is full",
        because="{net_conntrack_full_tracked} of at most {net_conntrack_full_most} connections are "
        "tracked, and {net_conntrack_full_dropped} packets were dropped for it",
        explanation="A firewall or NAT remembers each connection, closed ones for minutes. When "
        "its table is full, the first packet of a new connection is dropped without a word. Old "
        "connections go on, so health checks that keep theirs stay green.",
        roles=(),
        prior=-4.5,
        required=("net.conntrack-full",),
        signs=(
            Weighs(
                sign="net.conntrack-full",
                present=7.0,
                absent=-5.0,
                decisive=True,
                names_culprit=True,
                reason="the kernel's own count, its limit, and what it dropped in this window",
            ),
            Weighs(sign="net.connect-unanswered", present=0.7, reason="new connections hang"),
            Weighs(sign="users.slow", present=0.3, where="users", reason="users wait"),
            Weighs(sign="users.errors", present=0.3, where="users", reason="users get errors"),
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
        converges="the namespace, and how full its table is",
        wrong_if="`conntrack -S` shows no drops while users wait",
        contained_by=("limit-route",),
        prevented_by=("keepalive-to-upstreams", "watch-conntrack"),
    )
)
