"""Packets are lost between two links, and what is lost waits for a timer."""

from weaklink.model.cause import Cause, Weighs, cause

CUT = "then nothing passes at all, and the resending is a consequence"

cause(
    Cause(
        id="packet-loss",
        layer="network",
        title="is reached over a path that loses packets",
        because="{net_resent_on_hop_resent} of {net_resent_on_hop_connections} connections to "
        "{net_resent_on_hop_address} had to send again"
        "[; on the other hops {net_resent_on_hop_others} of {net_resent_on_hop_compared}]",
        explanation="A bad cable, a full queue of a switch, a rule that drops at random. Most "
        "requests are as quick as ever; those that lose a packet wait 0.2 s, a lost beginning "
        "1 s and 3 s. A few resent segments are normal: on loopback they are probes.",
        roles=(),
        prior=-5.0,
        required=("net.resent-on-hop",),
        signs=(
            Weighs(
                sign="net.resent-on-hop",
                present=5.0,
                absent=-5.0,
                names_culprit=True,
                reason="both ends' kernels count what they sent again",
            ),
            Weighs(
                sign="link.slower-than-before",
                present=2.0,
                absent=-1.0,
                reason="lost packets cost the requests on this path time",
            ),
            Weighs(
                sign="member.fails",
                present=1.0,
                reason="requests on this path fail or are slow, those on others less",
            ),
            Weighs(sign="net.connect-unanswered", present=0.5, reason="a SYN may be lost as well"),
            Weighs(sign="users.slow", present=0.3, where="users", reason="users wait"),
            Weighs(
                sign="link.requests-pile-up",
                present=-1.5,
                reason="then requests have arrived: it is the link itself that takes long",
            ),
            Weighs(sign="net.link-down", present=-6.0, reason=CUT),
            Weighs(sign="net.no-route", present=-6.0, reason=CUT),
            Weighs(sign="net.neighbour-silent", present=-6.0, reason=CUT),
            Weighs(sign="net.egress-elsewhere", present=-4.0, reason=CUT),
            Weighs(
                sign="net.listen-queue-overflows",
                present=-4.0,
                reason="then the kernel drops them at the listener, and says so",
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
        converges="the hop, by its two addresses",
        wrong_if="a capture at both ends shows every segment once",
        contained_by=("eject-member",),
        prevented_by=("active-health-checks", "watch-retransmits"),
    )
)
