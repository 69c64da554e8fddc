"""Answers come back empty or nearly so, in time and with status 200."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="answers-empty",
        layer="inference",
        title="answers next to nothing",
        because="[{engine_answers_empty_now} tokens an answer, before "
        "{engine_answers_empty_before}]"
        "[; answers of {answers_shrank_route} have {answers_shrank_now} bytes, before "
        "{answers_shrank_before}]",
        explanation="A wrong template, a stop word that comes first, a broken tokenizer or a "
        "filter makes the model end at once. No error, no slowness: latency even falls, and "
        "dashboards are greener than ever.",
        roles=("inference", "app", "unknown"),
        prior=-4.5,
        required=("engine.answers-empty", "answers.shrank"),
        signs=(
            Weighs(
                sign="engine.answers-empty",
                present=4.0,
                absent=-3.5,
                names_culprit=True,
                reason="the engine counts its tokens",
            ),
            Weighs(
                sign="answers.shrank",
                present=2.0,
                absent=-1.0,
                where="users",
                reason="what users get has become small",
            ),
            Weighs(
                sign="engine.answers-cut",
                present=-4.0,
                reason="then a limit cuts them: they end at it",
            ),
            Weighs(
                sign="users.errors",
                present=-1.0,
                where="users",
                reason="failed requests have small bodies as well",
            ),
        ),
        explains=("users.slow", "answers.*", "engine.*", "requests.*", "link.*", "load.*"),
        converges="the engine, the route, and since when",
        wrong_if="an answer asked for by hand is as long as ever",
        contained_by=("roll-back",),
        prevented_by=("answer-canary",),
    )
)
