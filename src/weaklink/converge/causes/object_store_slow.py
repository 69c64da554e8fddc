"""The object store answers slowly, and whoever reads or writes objects waits for it."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="object-store-slow",
        layer="store",
        title="reads and writes objects slowly",
        because="[{store_answers_awaited_count} requests of {store_answers_awaited_caller} wait "
        "for it, the oldest since {store_answers_awaited_oldest:seconds}]"
        "[; {stack_waits_in_store_client_percent} % of its callers' threads sit in "
        "{stack_waits_in_store_client_what}]",
        explanation="Videos, weights or results go through an S3-like store whose disk, network "
        "or rebuild is slow. Requests hang in GET or PUT while the model and the CPU are idle; "
        "retries of the client make it worse.",
        roles=("store", "external"),
        prior=-4.5,
        required=("store.answers-awaited",),
        signs=(
            Weighs(
                sign="store.answers-awaited",
                present=3.5,
                absent=-3.0,
                names_culprit=True,
                reason="its callers' sockets show who is waited for",
            ),
            Weighs(
                sign="stack.waits-in-store-client",
                present=1.5,
                absent=-0.3,
                where="caller",
                reason="their threads sit in an S3 client",
            ),
            Weighs(sign="log.callee-times-out", present=1.5, reason="a caller's log says so"),
            Weighs(
                sign="link.requests-pile-up",
                present=1.0,
                reason="requests came in to the store and are not answered",
            ),
            Weighs(
                sign="link.waits-below",
                present=0.7,
                where="caller",
                reason="the caller waits, it does not compute",
            ),
            Weighs(
                sign="link.slower-than-before",
                present=1.0,
                where="caller",
                reason="who passes requests to the caller waits longer",
            ),
            Weighs(
                sign="log.rate-limited",
                present=-1.0,
                where="caller",
                reason="then the store limits (SlowDown), it is not slow",
            ),
            Weighs(sign="process.stopped", present=-4.0, reason="then it is stopped, not slow"),
            Weighs(
                sign="process.no-progress", present=-2.0, reason="then it hangs, it is not slow"
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "store.*",
            "external.*",
            "member.fails",
            "member.times-out",
            "log.callee-times-out",
            "log.calls-time-out",
            "log.errors-rose",
            "log.exception",
            "app.*",
        ),
        converges="the store's address and who waits for it; its disks are the next look",
        wrong_if="an object read by hand from the caller's host comes at once",
        contained_by=("limit-route", "lower-concurrency"),
        prevented_by=("timeouts-with-budget", "local-object-cache"),
    )
)
