"""Very long prompts are read in one go, and everybody else's answer stands still meanwhile."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="long-prefill-blocking",
        layer="inference",
        title="reads long prompts while all others wait",
        because="[prompts have {engine_prompts_longer_now} tokens, before "
        "{engine_prompts_longer_before}]"
        "[; from token to token {engine_tokens_slower_now} ms, before "
        "{engine_tokens_slower_before} ms]",
        explanation="Reading a prompt (prefill) is computed in one step of the engine, and the "
        "answers of all others wait for that step. A few requests with whole books as their "
        "context make everybody's stream stutter: the number of requests is as ever, the work is "
        "not.",
        roles=("inference", "app", "unknown"),
        prior=-4.5,
        required=("engine.prompts-longer",),
        signs=(
            Weighs(
                sign="engine.prompts-longer",
                present=3.5,
                absent=-4.5,
                names_culprit=True,
                reason="without longer prompts prefill is what it always was",
            ),
            Weighs(
                sign="engine.tokens-slower",
                present=1.2,
                absent=-0.5,
                reason="running answers stand still while a prompt is read",
            ),
            Weighs(
                sign="engine.first-token-slower",
                present=1.0,
                absent=-0.5,
                reason="the first token comes after the prompt and after those before it",
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
            Weighs(sign="member.fails", present=0.4, reason="its requests are slow"),
            Weighs(
                sign="load.rose",
                present=-0.5,
                where="users",
                reason="more requests, not longer ones, would be a surge",
            ),
            Weighs(
                sign="engine.kv-full",
                present=-1.5,
                reason="then room in the KV cache is what they wait for",
            ),
            Weighs(sign="engine.preempts", present=-1.0, reason="then KV cache is short"),
            Weighs(sign="engine.no-tokens", present=-2.0, reason="then nothing moves at all"),
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
            "cpu.link-busy",
            "log.errors-rose",
            "app.*",
        ),
        converges="the engine and how much longer prompts are; whose they are its log may tell",
        wrong_if="with the long prompts kept away the answers of others are as slow",
        contained_by=("cap-input-size", "limit-route"),
        prevented_by=("chunked-prefill", "token-budget-admission"),
    )
)
