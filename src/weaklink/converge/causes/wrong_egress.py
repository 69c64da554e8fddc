"""Packets to a link of the chain leave by an interface that does not lead there."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="wrong-egress",
        layer="network",
        title="is called by the wrong interface",
        because="packets to {net_egress_elsewhere_destination} leave by "
        "{net_egress_elsewhere_device}{net_egress_elsewhere_via}, though it lies in the network of "
        "{net_egress_elsewhere_home}[; {net_connect_unanswered_count} connections got no answer]",
        explanation="A more exact route, a policy rule or a VPN takes the packets elsewhere. Two "
        "cards, or a second default of another metric, are normal; what counts is the kernel's "
        "answer for this very address. Other addresses of the same network may work.",
        roles=(),
        prior=-5.0,
        required=("net.egress-elsewhere",),
        signs=(
            Weighs(
                sign="net.egress-elsewhere",
                present=4.0,
                absent=-5.0,
                names_culprit=True,
                reason="the kernel's own answer, against its own networks",
            ),
            Weighs(
                sign="net.connect-unanswered",
                present=3.0,
                absent=-2.0,
                reason="a detour that works is no fault: nothing comes back on this one",
            ),
            Weighs(
                sign="net.neighbour-silent",
                present=3.0,
                absent=-0.5,
                reason="nobody has this address on the interface where it is looked for",
            ),
            Weighs(sign="member.fails", present=1.0, absent=-0.5, reason="requests to it fail"),
            Weighs(sign="member.gets-nothing", present=0.7, reason="the proxy has given it up"),
            Weighs(sign="users.errors", present=0.5, where="users", reason="users get errors"),
            Weighs(sign="users.slow", present=0.3, where="users", reason="users wait"),
            Weighs(
                sign="net.link-down", present=-4.0, reason="then the way by it is the way around"
            ),
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
        converges="the destination, the interface that is taken and the one that is right",
        wrong_if="the address answers from the caller's side by the interface that is taken",
        contained_by=("eject-member",),
        prevented_by=("routes-in-configuration-management",),
    )
)
