"""A service outside this host answers 429: more is asked of it than it grants."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="external-rate-limited",
        layer="store",
        title="is limited by a service that it calls",
        because="its log says so {log_rate_limited_count} times[: {log_rate_limited_about}]"
        "[; it talks to {external_is_called_address}]",
        explanation="A provider's limit of requests or tokens a minute is reached, often by a "
        "batch under the same key. The client library waits and tries again by itself, so that "
        "users see slowness first and errors later; tries count against the limit as well.",
        roles=("app", "inference", "proxy"),
        prior=-4.5,
        required=("log.rate-limited",),
        signs=(
            Weighs(
                sign="log.rate-limited",
                present=3.5,
                absent=-3.0,
                names_culprit=True,
                reason="the other side's word, as the client wrote it down",
            ),
            Weighs(
                sign="external.is-called",
                present=1.0,
                absent=-2.5,
                reason="without an address outside nobody there can limit it",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=0.7,
                reason="its own waiting before the next try",
            ),
            Weighs(sign="log.exception", present=0.2, reason="the client library raises it"),
            Weighs(sign="log.errors-rose", present=0.3, reason="refusals are told as errors"),
            Weighs(sign="member.fails", present=0.5, reason="its requests fail or are slow"),
            Weighs(
                sign="external.answers-awaited",
                present=-1.0,
                where="callee",
                reason="a limit is said at once: what is waited for is slow",
            ),
            Weighs(sign="log.gpu-out-of-memory", present=-2.0, reason="then its GPU is full"),
            Weighs(sign="log.gpu-fault", present=-2.0, reason="then its GPU fails"),
            Weighs(sign="log.queue-full", present=-1.5, reason="its own queue refuses, not theirs"),
            Weighs(sign="log.engine-dead", present=-2.0, reason="then its engine is dead"),
            Weighs(sign="log.engine-preempts", present=-1.0, reason="then KV cache is short"),
            Weighs(sign="log.workers-die", present=-1.0, reason="then its workers are the matter"),
            Weighs(
                sign="log.context-overflow", present=-0.5, reason="those are refused for length"
            ),
            Weighs(sign="log.unauthorized", present=-1.5, reason="then the key is the matter"),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "member.fails",
            "log.rate-limited",
            "log.errors-rose",
            "log.exception",
        ),
        converges="the provider's host, and which process uses its limit up",
        wrong_if="the provider's own console shows no refused requests",
        contained_by=("limit-route", "lower-concurrency"),
        prevented_by=("client-side-limits", "retry-with-budget"),
    )
)
