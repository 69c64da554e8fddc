"""Requests that are sent again keep a service down that could carry the first ones."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="retry-storm",
        layer="entry",
        title="is kept down by requests that are sent again",
        because="{requests_repeated_percent} % of the requests repeat what the same client "
        "had just asked for, before {requests_repeated_before} %[; requests come "
        "{load_rose_growth} times as often]",
        explanation="Something was slow or failed for a moment; clients (and proxies "
        "between them) sent their requests again, without waiting longer each "
        "time. The repeats are now most of the load and keep the service down "
        "though the first cause may be gone.",
        roles=(),
        prior=-5.0,
        required=("requests.repeated",),
        signs=(
            Weighs(
                sign="requests.repeated",
                present=4.0,
                absent=-5.5,
                where="users",
                reason="the same client, the same thing, within seconds",
            ),
            Weighs(
                sign="load.rose",
                present=1.5,
                absent=-1.0,
                where="users",
                reason="repeats come on top",
            ),
            Weighs(
                sign="requests.fail-after-retry",
                present=1.0,
                where="users",
                reason="proxies try again as well",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=1.5,
                absent=-0.7,
                reason="this is where they wait",
            ),
            Weighs(
                sign="cpu.link-busy", present=0.7, reason="it works for those who have given up"
            ),
            Weighs(sign="link.waits-below", present=-1.5, reason="then they wait in what it calls"),
            Weighs(
                sign="member.not-listening",
                present=-2.0,
                reason="then it is down, and repeats are the consequence",
            ),
            Weighs(
                sign="process.stopped",
                present=-5.0,
                reason="then it is stopped, and repeats are the consequence",
            ),
            Weighs(sign="memory.oom-killed", present=-2.0, reason="then it starts again and again"),
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
            "users.turned-away",
        ),
        converges="who repeats, what, and how often",
        wrong_if="repeats stop and users still wait",
        contained_by=("limit-route",),
        prevented_by=("retry-budget", "backoff-with-jitter", "circuit-breaker"),
    )
)
