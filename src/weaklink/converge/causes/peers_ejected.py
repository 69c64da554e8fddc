"""Healthy members get no requests, and the one that is left drowns in them."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="peers-ejected",
        layer="entry",
        title="gives healthy members no requests",
        because="{member_gets_nothing_address} listens and gets no requests; "
        "{member_takes_all_address} takes {member_takes_all_percent} % of them",
        explanation="The proxy has taken members out of rotation (a few failures, a shallow "
        "health check) and has not taken them back. They idle, the rest is overloaded. Looking at "
        "the busy machine alone, it seems too slow for the load.",
        roles=("proxy", "app"),
        on_hop=True,
        prior=-4.5,
        required=("member.gets-nothing",),
        signs=(
            Weighs(
                sign="member.gets-nothing",
                present=4.0,
                absent=-3.0,
                where="callee",
                names_culprit=True,
                reason="listens, is configured, gets nothing",
            ),
            Weighs(
                sign="member.takes-all",
                present=2.0,
                absent=-1.5,
                where="callee",
                reason="its share is what its peers do not get",
            ),
            Weighs(
                sign="member.no-connections",
                present=1.5,
                absent=-0.3,
                where="callee",
                reason="the proxy does not even keep a connection to them",
            ),
            Weighs(
                sign="link.slower-than-before",
                present=0.7,
                where="callee",
                reason="too much work for one",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=0.5,
                where="callee",
                reason="requests queue at the rest",
            ),
            Weighs(
                sign="process.stopped",
                present=-6.0,
                where="callee",
                reason="then it was rightly taken out",
            ),
            Weighs(
                sign="process.no-progress",
                present=-4.0,
                where="callee",
                reason="then it was rightly taken out",
            ),
            Weighs(
                sign="member.not-listening",
                present=-4.0,
                where="callee",
                reason="then it is down, not ejected",
            ),
            Weighs(
                sign="memory.oom-killed", present=-4.0, where="callee", reason="then it was killed"
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
        ),
        converges="which members idle, which one takes their share, which proxy decided so",
        wrong_if="a request sent to an idle member by hand fails",
        contained_by=("return-peers", "limit-route"),
        prevented_by=("deep-health", "ejection-cap"),
    )
)
