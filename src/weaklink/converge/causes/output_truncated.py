"""Answers are cut off at a token limit: every request succeeds, and its answer lacks its end."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="output-truncated",
        layer="inference",
        title="cuts its answers off",
        because="[{engine_answers_cut_now} % of the answers end at their token limit, before "
        "{engine_answers_cut_before} %]"
        "[; answers of {answers_shrank_route} have {answers_shrank_now} bytes, before "
        "{answers_shrank_before}]",
        explanation="A limit of tokens (a default of the server, of a gateway, of a new version "
        "of the client) ends answers early. Status and latency look better than ever; JSON is "
        "broken, code ends in the middle, summaries lack their point.",
        roles=("inference", "app", "unknown"),
        prior=-4.5,
        required=("engine.answers-cut", "log.answers-cut"),
        signs=(
            Weighs(
                sign="engine.answers-cut",
                present=4.0,
                absent=-4.0,
                names_culprit=True,
                reason="the engine counts why answers end",
            ),
            Weighs(
                sign="log.answers-cut",
                present=2.0,
                reason="a log tells of answers that ended at their limit",
            ),
            Weighs(
                sign="answers.shrank",
                present=2.0,
                absent=-0.5,
                where="users",
                reason="what users get has become smaller",
            ),
            Weighs(
                sign="engine.answers-empty",
                present=0.3,
                reason="cut answers have fewer tokens",
            ),
            Weighs(
                sign="users.errors",
                present=-1.0,
                where="users",
                reason="cut answers are no errors",
            ),
        ),
        explains=("users.slow", "answers.*", "engine.*", "requests.*", "link.*", "load.*"),
        converges="the engine, and that it is the limit and not the model that ends them",
        wrong_if="an answer asked for by hand with a large max_tokens ends as early",
        contained_by=("roll-back",),
        prevented_by=("answer-canary",),
    )
)
