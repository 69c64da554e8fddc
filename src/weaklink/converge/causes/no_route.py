"""The caller's kernel has no way to the address that it calls."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="no-route",
        layer="network",
        title="cannot be reached: there is no route",
        because="from {net_no_route_caller} to {net_no_route_destination} the kernel answers: "
        "{net_no_route_answer}",
        explanation="A route was deleted, replaced or set to unreachable, in the host or in one "
        "container's network alone. Calls fail at once, or wait until an old connection gives up. "
        "The service itself is well, and answers when it is asked from elsewhere.",
        roles=(),
        prior=-4.5,
        required=("net.no-route",),
        signs=(
            Weighs(
                sign="net.no-route",
                present=7.0,
                absent=-5.0,
                decisive=True,
                names_culprit=True,
                reason="the kernel's own answer, asked where the caller runs",
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
                sign="net.link-down",
                present=-6.0,
                reason="then the routes went away with the interface",
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
        converges="the destination, the namespace, and what the kernel answers",
        wrong_if="`ip route get` for the address, run where the caller runs, gives a way",
        contained_by=("eject-member",),
        prevented_by=("active-health-checks", "routes-in-configuration-management"),
    )
)
