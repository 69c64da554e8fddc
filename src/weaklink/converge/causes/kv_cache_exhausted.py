"""The KV cache of an engine is full: requests wait for room, and running ones are put back."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="kv-cache-exhausted",
        layer="inference",
        title="has no room left in its KV cache",
        because="[it is {engine_kv_full_percent} % full while {engine_kv_full_waiting} requests "
        "wait][; {engine_preempts_count} requests were put back within "
        "{engine_preempts_seconds} s]",
        explanation="Each token of each running request holds a piece of the KV cache. Long "
        "contexts, long answers or too many requests at a time fill it: new requests wait, and "
        "the engine puts running ones back, whose work is then done twice. High use alone is "
        "normal: engines fill it on purpose.",
        roles=("inference", "app", "unknown"),
        prior=-5.0,
        required=("engine.kv-full", "engine.preempts", "log.engine-preempts"),
        signs=(
            Weighs(
                sign="engine.kv-full",
                present=3.0,
                absent=-4.0,
                names_culprit=True,
                reason="full, and somebody waits for it",
            ),
            Weighs(
                sign="engine.preempts",
                present=2.0,
                absent=-1.0,
                names_culprit=True,
                reason="the engine had to take room from running requests",
            ),
            Weighs(
                sign="log.engine-preempts",
                present=1.5,
                names_culprit=True,
                reason="the engine's own words",
            ),
            Weighs(
                sign="engine.requests-wait",
                present=1.0,
                absent=-3.0,
                reason="a full cache without a queue hurts nobody",
            ),
            Weighs(
                sign="engine.first-token-slower",
                present=0.7,
                reason="waiting for room is waiting for the first token",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=0.7,
                where="caller",
                reason="a stream begins at once and then makes wait: its caller holds what is open",
            ),
            Weighs(
                sign="link.slower-than-before",
                present=0.5,
                where="caller",
                reason="who calls its caller waits longer",
            ),
            Weighs(sign="link.requests-pile-up", present=0.7, reason="requests stay inside it"),
            Weighs(sign="link.slower-than-before", present=0.7, reason="it takes longer"),
            Weighs(sign="member.fails", present=0.4, reason="its requests are slow or fail"),
            Weighs(
                sign="engine.prompts-longer", present=0.3, reason="long contexts fill it sooner"
            ),
            Weighs(sign="log.queue-full", present=0.5, reason="its queue overflows"),
            Weighs(
                sign="engine.no-tokens",
                present=-4.0,
                reason="then nothing moves at all: dead, not full",
            ),
            Weighs(sign="log.engine-dead", present=-2.0, reason="then it died"),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "engine.*",
            "member.fails",
            "member.times-out",
            "stack.*",
            "log.engine-preempts",
            "log.errors-rose",
            "log.queue-full",
            "app.*",
        ),
        converges="the engine, and whether prompts, answers or the number of requests grew",
        wrong_if="its use is high and nothing waits and nothing is preempted",
        contained_by=("cap-input-size", "lower-concurrency", "limit-route", "add-member"),
        prevented_by=("token-budget-admission", "max-tokens-limit"),
    )
)
