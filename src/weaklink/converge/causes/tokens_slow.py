"""Each token takes longer than it used to, although no more requests share the engine."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="tokens-slow",
        layer="inference",
        title="generates each token more slowly",
        because="from token to token {engine_tokens_slower_now} ms, before "
        "{engine_tokens_slower_before} ms",
        explanation="The engine does the same work and takes longer for each step: clocks that "
        "were lowered, a neighbour on the same GPU or CPU, a slow link between GPUs, a changed "
        "setting (eager mode, another attention kernel).",
        roles=("inference", "app", "unknown"),
        prior=-4.5,
        required=("engine.tokens-slower",),
        signs=(
            Weighs(
                sign="engine.tokens-slower",
                present=3.5,
                absent=-4.0,
                names_culprit=True,
                reason="the engine's own measure of its speed",
            ),
            Weighs(
                sign="engine.batch-grew",
                present=-3.0,
                absent=0.7,
                reason="more requests at a time make each token slower: that is load",
            ),
            Weighs(
                sign="engine.prompts-longer",
                present=-2.0,
                absent=0.3,
                reason="then prompts are read in between",
            ),
            Weighs(sign="engine.preempts", present=-2.0, reason="then KV cache is short"),
            Weighs(sign="engine.kv-full", present=-1.5, reason="then KV cache is short"),
            Weighs(
                sign="load.rose", present=-1.5, where="users", reason="more load, larger batches"
            ),
            Weighs(sign="link.slower-than-before", present=1.0, reason="who calls it waits longer"),
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
            Weighs(sign="member.fails", present=0.4, reason="its requests are slow"),
            Weighs(
                sign="link.waits-below",
                present=-2.0,
                reason="then it waits for another link: that one is slow",
            ),
            Weighs(sign="cpu.throttled", present=-2.5, reason="then its CPU quota is the reason"),
            Weighs(
                sign="cpu.link-waits-for-cpu",
                present=-2.0,
                reason="then others have its CPUs",
            ),
            Weighs(
                sign="stack.prepares-on-cpu",
                present=-1.5,
                reason="then it is work before the model",
            ),
            Weighs(sign="engine.no-tokens", present=-3.0, reason="then none come at all"),
        ),
        explains=(
            "users.*",
            "requests.*",
            "link.*",
            "engine.*",
            "member.fails",
            "member.times-out",
            "stack.*",
            "cpu.link-busy",
            "app.*",
        ),
        converges="the engine; clocks, neighbours and settings are the next look",
        wrong_if="the time from token to token is as it was at the same number of requests",
        contained_by=("eject-member", "lower-concurrency"),
        prevented_by=("token-speed-alert",),
    )
)
