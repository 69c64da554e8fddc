"""The interface by which a link of the chain is reached is down."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="link-down",
        layer="network",
        title="cannot be reached: the interface is down",
        because="{net_link_down_device}, by which {net_link_down_caller} reaches "
        "{net_link_down_destination}, is down{net_link_down_partner}",
        explanation="A cable, a port of the switch or the other end of a virtual pair is gone, or "
        "somebody set the interface down. What is connected waits and is sent again; the routes of "
        "the interface go with it, so new calls may fail with no route at all.",
        roles=(),
        prior=-4.5,
        required=("net.link-down",),
        signs=(
            Weighs(
                sign="net.link-down",
                present=7.5,
                absent=-5.0,
                decisive=True,
                names_culprit=True,
                reason="the kernel's own state of the interface",
            ),
            Weighs(sign="net.no-route", present=0.5, reason="its routes went with it"),
            Weighs(sign="net.neighbour-silent", present=0.5, reason="nobody answers behind it"),
            Weighs(sign="member.fails", present=1.0, reason="requests to it fail"),
            Weighs(sign="member.gets-nothing", present=0.7, reason="the proxy has given it up"),
            Weighs(
                sign="net.connect-unanswered",
                present=0.7,
                reason="nothing comes back from there",
            ),
            Weighs(sign="users.errors", present=0.5, where="users", reason="users get errors"),
            Weighs(sign="users.slow", present=0.3, where="users", reason="users wait"),
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
        converges="the interface and its namespace",
        wrong_if="`ip link` shows the interface UP and LOWER_UP",
        contained_by=("eject-member",),
        prevented_by=("bonded-links", "active-health-checks"),
    )
)
