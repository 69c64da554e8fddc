"""The next hop does not answer when it is asked for its hardware address."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="neighbour-unresolved",
        layer="network",
        title="cannot be reached: the next hop is silent",
        because="{net_neighbour_silent_next_hop} on {net_neighbour_silent_device}, the next hop "
        "from {net_neighbour_silent_caller} to {net_neighbour_silent_destination}, does not answer",
        explanation="The machine or gateway is off, in another VLAN, or behind a filter that eats "
        "ARP. The route is there and the interface is up, so everything looks right from here; "
        "each call waits some seconds and ends with `No route to host`.",
        roles=(),
        prior=-4.5,
        required=("net.neighbour-silent",),
        signs=(
            Weighs(
                sign="net.neighbour-silent",
                present=7.0,
                absent=-5.0,
                decisive=True,
                names_culprit=True,
                reason="the kernel asked, twice in this window, and got no answer",
            ),
            Weighs(sign="member.fails", present=1.0, reason="requests to it fail"),
            Weighs(sign="member.gets-nothing", present=0.7, reason="the proxy has given it up"),
            Weighs(
                sign="net.connect-unanswered",
                present=0.7,
                reason="nothing comes back from there",
            ),
            Weighs(sign="users.errors", present=0.5, where="users", reason="users get errors"),
            Weighs(sign="users.slow", present=0.3, where="users", reason="users wait"),
            Weighs(
                sign="net.link-down", present=-6.0, reason="then nobody can answer: it is the link"
            ),
            Weighs(
                sign="net.egress-elsewhere",
                present=-4.0,
                reason="then it is asked for on an interface on which it is not",
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
        converges="the next hop's address and the interface on which it is asked for",
        wrong_if="`arping` from the caller's side gets an answer",
        contained_by=("eject-member",),
        prevented_by=("active-health-checks",),
    )
)
