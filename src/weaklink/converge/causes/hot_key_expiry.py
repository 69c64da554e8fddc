"""One much-wanted key expires, and all who want it rebuild it at the same time."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="hot-key-expiry",
        layer="cache",
        title="rebuilds one and the same thing many times at once",
        because="each time one hot key expires, all who want it rebuild it at once: "
        "{requests_one_resource_percent} % of the bad requests ask for "
        "{requests_one_resource_path}",
        explanation="A key that a large share of the requests wants has expired. Until the first "
        "rebuild is stored, every request for it starts a rebuild of its own: a stampede that "
        "comes back each time the key's time to live has passed. Other keys are fine.",
        roles=("inference", "app"),
        prior=-4.5,
        required=("requests.one-resource",),
        signs=(
            Weighs(
                sign="requests.one-resource",
                present=3.5,
                absent=-3.0,
                where="users",
                reason="one thing is slow, its siblings are fine",
            ),
            Weighs(
                sign="cache.same-key-stored-again",
                present=3.0,
                absent=-0.7,
                where="callee",
                names_culprit=True,
                reason="many stores, no more keys: the same key is rebuilt in parallel",
            ),
            Weighs(
                sign="requests.one-resource-comes-and-goes",
                present=2.5,
                absent=-1.0,
                where="users",
                reason="quick while the key is there, slow for all who ask while it is not",
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=0.7,
                where="callee",
                reason="the stampede misses",
            ),
            Weighs(
                sign="stack.many-in-one-function",
                present=0.7,
                reason="all of them rebuild",
            ),
            Weighs(
                sign="cache.fewer-keys-than-usual",
                present=-2.0,
                where="callee",
                reason="then many keys went, not one",
            ),
            Weighs(sign="link.requests-pile-up", present=0.5, reason="rebuilds queue up"),
            Weighs(sign="cpu.link-busy", present=0.5, reason="rebuilds cost CPU"),
            Weighs(
                sign="process.stopped",
                present=-3.0,
                reason="a stopped member is slow for every key",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "cpu.link-busy",
            "cpu.link-waits-for-cpu",
            "cpu.host-full",
            "member.fails",
            "member.times-out",
            "cache.hit-ratio-fell",
        ),
        converges="the one thing asked for, its key, and the function that rebuilds it",
        wrong_if="other things of the same route are as slow: then many keys are missing",
        contained_by=("pin-hot-key", "limit-route"),
        prevented_by=("single-flight", "stale-while-revalidate", "early-refresh"),
        next_danger="it comes back each time the key expires",
    )
)
