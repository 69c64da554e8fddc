"""Prompts have outgrown the model's context: they are refused, or silently cut at their head."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="context-overflow",
        layer="inference",
        title="gets prompts longer than its context",
        because="its log says so {log_context_overflow_count} times"
        "[; prompts have {engine_prompts_longer_now} tokens, before "
        "{engine_prompts_longer_before}]",
        explanation="Conversations, retrieved passages or tools have made prompts longer than "
        "the model can read. A strict server refuses them (400, which a gateway often turns into "
        "500); a lenient one cuts off their head, where the instructions stand, and answers "
        "something else.",
        roles=("inference", "app", "unknown"),
        prior=-4.5,
        required=("log.context-overflow",),
        signs=(
            Weighs(
                sign="log.context-overflow",
                present=3.0,
                absent=-3.0,
                names_culprit=True,
                reason="the engine says which prompts it cannot take",
            ),
            Weighs(
                sign="engine.prompts-longer",
                present=2.0,
                absent=-1.0,
                reason="prompts have grown",
            ),
            Weighs(
                sign="users.refused-as-wrong",
                present=1.5,
                where="users",
                reason="requests are refused as such (4xx)",
            ),
            Weighs(sign="member.fails", present=1.0, reason="requests to it fail"),
            Weighs(
                sign="link.requests-pile-up",
                present=-1.0,
                reason="a refusal comes at once: nothing piles up",
            ),
            Weighs(sign="engine.kv-full", present=-1.0, reason="then the KV cache is full"),
            Weighs(sign="log.engine-dead", present=-2.0, reason="then the engine died"),
        ),
        explains=(
            "users.*",
            "requests.*",
            "member.fails",
            "log.context-overflow",
            "log.errors-rose",
            "log.exception",
            "engine.prompts-longer",
            "answers.*",
            "app.*",
            "link.*",
        ),
        converges="the engine and its limit; whose prompts they are its caller knows",
        wrong_if="a short prompt fails as well",
        contained_by=("cap-input-size",),
        prevented_by=("token-budget-admission",),
    )
)
