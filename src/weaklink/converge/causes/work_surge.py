"""As many requests as always, each of them several times the work."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="work-surge",
        layer="entry",
        title="gets the same requests, each with more work",
        because="[answers of {requests_answers_larger_route} have "
        "{requests_answers_larger_now:bytes}, before "
        "{requests_answers_larger_before:bytes}][; prompts are "
        "{engine_prompts_longer_now} tokens long, before "
        "{engine_prompts_longer_before}][; a request takes "
        "{cpu_more_per_request_times} times the CPU]",
        explanation="The number of requests is as always, and each of them is several "
        "times the work: longer prompts, larger pictures, bigger pages, a "
        "client that raised a limit. Requests a second look calm on every "
        "chart, which hides it; work is tokens, frames, pixels and bytes.",
        roles=(),
        prior=-5.0,
        required=("requests.answers-larger", "engine.prompts-longer"),
        signs=(
            Weighs(
                sign="requests.answers-larger",
                present=4.5,
                absent=-1.0,
                where="users",
                reason="each answer carries more",
            ),
            Weighs(
                sign="engine.prompts-longer",
                present=3.0,
                absent=-1.0,
                reason="the engine's own counters of tokens",
            ),
            Weighs(
                sign="cpu.more-per-request",
                present=2.5,
                absent=-1.0,
                reason="the CPU that a request takes has grown",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=1.0,
                absent=-0.5,
                reason="this is where the work waits",
            ),
            Weighs(
                sign="load.rose",
                present=-1.5,
                where="users",
                reason="then there are more requests as well",
            ),
            Weighs(
                sign="deploy.just-before",
                present=-1.5,
                where="any",
                reason="then the program may do more for the same request",
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-2.5,
                where="callee",
                reason="then each request is more work, because the cache lost what it held",
            ),
            Weighs(
                sign="member.gets-nothing",
                present=-3.0,
                where="peer",
                reason="then it does its peers' work as well",
            ),
            Weighs(sign="process.stopped", present=-5.0, reason="then it is stopped"),
            Weighs(sign="cpu.throttled", present=-2.5, reason="then its quota is the limit"),
            Weighs(sign="memory.oom-killed", present=-2.0, reason="then it starts again and again"),
            Weighs(
                sign="cpu.outsiders-busy",
                present=-1.5,
                where="host",
                reason="then others take the CPU from it",
            ),
            Weighs(sign="cpu.link-busy", present=0.7, reason="it works at its limit"),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "member.fails",
            "member.times-out",
            "cpu.link-busy",
            "cpu.link-waits-for-cpu",
            "cpu.host-full",
            "cpu.more-per-request",
            "engine.*",
        ),
        converges="the route, and what has grown in it",
        wrong_if="work a request is as before while users wait",
        contained_by=("cap-input-size", "limit-route", "add-member"),
        prevented_by=("input-limits", "work-in-the-metrics", "price-by-work"),
    )
)
