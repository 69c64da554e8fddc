"""A service outside this host answers slowly, and everybody here waits for it."""

from weaklink.model.cause import Cause, Weighs, cause

OWN = "then the caller has a trouble of its own, and that is where to look"

cause(
    Cause(
        id="external-slow",
        layer="store",
        title="answers slowly, and its callers wait",
        because="[{external_answers_awaited_count} requests of {external_answers_awaited_caller} "
        "wait for it, the oldest since {external_answers_awaited_oldest:seconds}]"
        "[; calls to it time out in the log, {log_callee_times_out_count} times]",
        explanation="A model API, an identity provider or a store elsewhere has become slow. The "
        "threads and connections of whoever calls it fill up with waiting requests, and requests "
        "that never needed it wait as well. The CPU is idle, every health check is green.",
        roles=("external",),
        prior=-4.5,
        required=("external.answers-awaited", "log.callee-times-out"),
        signs=(
            Weighs(
                sign="external.answers-awaited",
                present=3.5,
                absent=-3.0,
                names_culprit=True,
                reason="the sockets of its callers show who is waited for",
            ),
            Weighs(
                sign="log.callee-times-out",
                present=2.0,
                names_culprit=True,
                reason="the caller's own words",
            ),
            Weighs(
                sign="link.waits-below",
                present=0.7,
                absent=-1.0,
                where="caller",
                reason="the caller waits, it does not compute",
            ),
            Weighs(
                sign="stack.waits-for-callee",
                present=1.2,
                where="caller",
                reason="the caller's threads sit in a client library",
            ),
            Weighs(
                sign="link.slower-than-before",
                present=1.2,
                where="caller",
                reason="who passes requests to the caller waits longer than before",
            ),
            Weighs(
                sign="log.calls-time-out",
                present=0.7,
                where="caller",
                reason="calls of it time out",
            ),
            Weighs(
                sign="log.rate-limited",
                present=-2.0,
                where="caller",
                reason="then it is not slow but limits us",
            ),
            Weighs(
                sign="log.pool-exhausted",
                present=-0.7,
                where="caller",
                reason="a pool of the caller's own that is too small waits as well",
            ),
            Weighs(
                sign="log.names-unresolved", present=-1.5, where="caller", reason="then it is DNS"
            ),
            Weighs(
                sign="store.answers-awaited",
                present=-2.0,
                reason="then it is an object store, which says more",
            ),
            Weighs(sign="log.tls-failed", present=-1.0, where="caller", reason=OWN),
            Weighs(sign="log.calls-fail", present=-0.3, where="caller", reason="not slow: away"),
            Weighs(sign="log.disk-full", present=-2.0, where="caller", reason=OWN),
            Weighs(sign="log.out-of-files", present=-2.0, where="caller", reason=OWN),
            Weighs(sign="log.out-of-memory", present=-2.0, where="caller", reason=OWN),
            Weighs(
                sign="load.rose",
                present=-0.5,
                where="users",
                reason="more requests wait for the same answers",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "external.*",
            "member.fails",
            "member.times-out",
            "log.callee-times-out",
            "log.calls-time-out",
            "log.errors-rose",
            "log.exception",
        ),
        converges="the address, who calls it, and since when",
        wrong_if="the same call by hand from the caller's host is quick",
        contained_by=("limit-route", "lower-concurrency"),
        prevented_by=("timeouts-with-budget", "circuit-breaker"),
    )
)
