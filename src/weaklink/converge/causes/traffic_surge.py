"""More requests arrive than the weakest link can carry."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="traffic-surge",
        layer="entry",
        title="gets more requests than it can carry",
        because="requests come {load_rose_growth} times as often as before[; "
        "{link_requests_pile_up_inside} are inside it]",
        explanation="More users, a crawler, a campaign, a client in a loop: the same "
        "requests, only many more. Each link does what it always does until "
        "one is full, and from then on its queue grows. Nothing is broken, and "
        "nothing in the code has changed.",
        roles=(),
        prior=-5.0,
        required=("load.rose",),
        signs=(
            Weighs(
                sign="load.rose",
                present=4.5,
                absent=-5.5,
                where="users",
                reason="the log's own past",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=1.5,
                absent=-1.0,
                reason="this is where the queue grows",
            ),
            Weighs(sign="cpu.link-busy", present=1.0, absent=-0.3, reason="it works at its limit"),
            Weighs(sign="stack.pool-taken", present=0.5, reason="all its threads are taken"),
            Weighs(
                sign="requests.repeated",
                present=-3.0,
                where="users",
                reason="then they are the same requests, sent again",
            ),
            Weighs(
                sign="cache.misses-never-stored",
                present=-2.5,
                where="callee",
                reason="then they ask for what does not exist",
            ),
            Weighs(
                sign="cpu.more-per-request",
                present=-1.0,
                reason="then each of them is more work as well",
            ),
            Weighs(
                sign="link.waits-below", present=-1.5, reason="then the queue is in what it calls"
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-2.5,
                where="callee",
                reason="then each request is more work, because the cache lost what it held",
            ),
            Weighs(
                sign="member.gets-nothing",
                present=-3.0,
                where="peer",
                reason="then it does its peers' work as well",
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
        ),
        converges="the link that is full, and who asks more (by client and route)",
        wrong_if="the rate is as before while users wait",
        contained_by=("limit-route", "add-member", "lower-concurrency"),
        prevented_by=("admission-control", "autoscaling", "capacity-test"),
    )
)
