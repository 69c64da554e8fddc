"""Decoding, resizing or tokenising eats the CPU before the model sees anything."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="preprocess-on-cpu",
        layer="app",
        title="prepares its input on the CPU",
        because="{stack_prepares_on_cpu_percent} % of its CPU goes into "
        "{stack_prepares_on_cpu_what}[, for {stack_prepares_on_cpu_function} "
        "{stack_prepares_on_cpu_file}:{stack_prepares_on_cpu_line}]",
        explanation="Input has to be decoded, resized or cut into tokens before the model runs, "
        "on the CPU. With larger or more input the CPU is full while the accelerator waits; more "
        "accelerators do not help.",
        roles=("inference", "app"),
        prior=-5.0,
        required=("stack.prepares-on-cpu",),
        signs=(
            Weighs(
                sign="stack.prepares-on-cpu",
                present=3.5,
                absent=-4.0,
                names_culprit=True,
                reason="stacks and native threads say where the CPU goes",
            ),
            Weighs(
                sign="cpu.link-busy",
                present=1.5,
                absent=-1.5,
                reason="what uses little CPU holds nobody up by computing",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=1.0,
                absent=-0.5,
                reason="requests wait for it and for nothing below it",
            ),
            Weighs(sign="link.slower-than-before", present=1.0, reason="its own time has grown"),
            Weighs(
                sign="cpu.host-full", present=0.3, where="host", reason="it may fill the machine"
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-3.5,
                where="any",
                reason="then it prepares because the cache has lost what it held",
            ),
            Weighs(
                sign="requests.one-resource",
                present=-2.5,
                where="users",
                reason="then one thing is prepared again and again",
            ),
            Weighs(
                sign="cpu.throttled",
                present=-4.0,
                reason="then the quota is the limit, preparing is what it always does",
            ),
            Weighs(
                sign="cpu.outsiders-busy",
                present=-2.5,
                where="host",
                reason="then others take the CPU from it",
            ),
            Weighs(
                sign="member.gets-nothing",
                present=-3.0,
                where="peer",
                reason="then it does its peers' work as well",
            ),
            Weighs(
                sign="memory.oom-killed",
                present=-2.0,
                reason="then it starts again and again",
            ),
            Weighs(
                sign="cache.emptied",
                present=-3.5,
                where="callee",
                reason="then it prepares because the cache began anew",
            ),
            Weighs(
                sign="cache.misses-never-stored",
                present=-3.0,
                where="callee",
                reason="then it prepares what no cache can hold",
            ),
            Weighs(
                sign="cache.evicts",
                present=-2.0,
                where="callee",
                reason="then it prepares what the cache had to throw out",
            ),
            Weighs(
                sign="member.takes-all",
                present=-3.0,
                reason="then it gets more than its share: its peers rest",
            ),
            Weighs(
                sign="load.rose", present=-1.0, where="users", reason="then more of it is asked for"
            ),
            Weighs(
                sign="cache.not-read",
                present=-3.0,
                where="callee",
                reason="then it may prepare again what the cache has lost: nobody could look",
            ),
            Weighs(
                sign="requests.answers-larger",
                present=-1.5,
                where="users",
                reason="then more is asked for with each request",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "cpu.link-busy",
            "cpu.link-waits-for-cpu",
            "cpu.host-full",
            "member.fails",
            "member.times-out",
        ),
        converges="the function, its line, and the library that it calls",
        wrong_if="GPU decoder or SM busy at the same time: then the CPU is not the bottleneck",
        contained_by=("limit-route", "cap-input-size", "lower-concurrency", "add-member"),
        prevented_by=("decode-once", "hardware-decoder", "input-limits"),
    )
)
