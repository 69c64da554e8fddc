"""The balancer gives one healthy member far more than its share."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="lb-skew",
        layer="entry",
        title="gets far more than its share of the requests",
        because="it takes {member_takes_all_percent} % of the requests, its fair share is "
        "{member_takes_all_fair} %",
        explanation="All members are healthy, and the balancer gives one of them far more "
        "than the others: hashing on a key that few clients share, a wrong "
        "weight, long connections that were made when it was the only one, a "
        "policy that likes whoever answers fast. That one is slow, the others "
        "idle, and the average looks fine.",
        roles=("app", "inference", "unknown", "job"),
        prior=-5.0,
        required=("member.takes-all",),
        signs=(
            Weighs(
                sign="member.takes-all",
                present=5.0,
                absent=-5.5,
                names_culprit=True,
                reason="shares of the proxy's own log",
            ),
            Weighs(
                sign="link.requests-pile-up", present=1.5, absent=-1.0, reason="requests wait in it"
            ),
            Weighs(sign="cpu.link-busy", present=0.7, reason="it works while its peers rest"),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="member.gets-nothing",
                present=-4.0,
                where="peer",
                reason="then its peers were taken out",
            ),
            Weighs(
                sign="member.no-connections",
                present=-1.5,
                where="peer",
                reason="then its peers were taken out",
            ),
            Weighs(
                sign="member.not-listening",
                present=-4.0,
                where="peer",
                reason="then its peers are down",
            ),
            Weighs(
                sign="member.fails",
                present=-1.0,
                where="peer",
                reason="then its peers are avoided because they fail",
            ),
            Weighs(
                sign="process.stopped",
                present=-3.0,
                where="peer",
                reason="then its peers are stopped",
            ),
            Weighs(
                sign="requests.one-resource",
                present=-1.5,
                where="users",
                reason="then one thing is slow, wherever it is asked for",
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-2.5,
                where="callee",
                reason="then each request is more work, because the cache lost what it held",
            ),
            Weighs(sign="process.stopped", present=-5.0, reason="then it is stopped"),
            Weighs(sign="cpu.throttled", present=-2.5, reason="then its quota is the limit"),
            Weighs(sign="memory.oom-killed", present=-2.0, reason="then it starts again and again"),
            Weighs(
                sign="cpu.outsiders-busy",
                present=-1.5,
                where="host",
                reason="then others take the CPU from it",
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
            "cpu.link-busy",
            "cpu.link-waits-for-cpu",
            "cpu.host-full",
            "cpu.more-per-request",
            "member.*",
        ),
        converges="the member, its share, and the balancer's policy",
        wrong_if="shares are even while it stays slow",
        contained_by=("eject-member", "add-member"),
        prevented_by=("least-connections", "weights-from-capacity", "bounded-connection-age"),
    )
)
