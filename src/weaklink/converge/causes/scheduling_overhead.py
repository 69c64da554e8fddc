"""One thread of Python code hands out the work, and is full."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="scheduling-overhead",
        layer="inference",
        title="is at the end of its interpreter's one thread",
        because="the interpreter's lock is taken in {stack_one_lock_for_all_percent} % of "
        "its stacks, most by {stack_one_lock_for_all_function} "
        "{stack_one_lock_for_all_file}:{stack_one_lock_for_all_line}",
        explanation="The part of the service that hands out work (a scheduler, a tokenizer "
        "in Python, serialising, sampling in a loop) holds the interpreter's "
        "lock all the time. One core is full, the others and the accelerator "
        "rest, and more threads make it worse.",
        roles=("inference", "app", "unknown"),
        prior=-5.0,
        required=("stack.one-lock-for-all",),
        signs=(
            Weighs(
                sign="stack.one-lock-for-all",
                present=4.0,
                absent=-5.0,
                names_culprit=True,
                reason="the lock is never free, and the process ends at one CPU",
            ),
            Weighs(
                sign="link.requests-pile-up", present=1.5, absent=-1.0, reason="requests wait in it"
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="stack.prepares-on-cpu",
                present=-3.5,
                reason="then the CPU goes into preparing input",
            ),
            Weighs(
                sign="stack.loop-blocked",
                present=-1.0,
                reason="then one call on the event loop does it",
            ),
            Weighs(sign="stack.in-logging", present=-3.0, reason="then it writes its log"),
            Weighs(sign="cpu.throttled", present=-3.0, reason="then the quota is the limit"),
            Weighs(sign="cpu.link-waits-for-cpu", present=-1.5, reason="then it waits for a CPU"),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-2.5,
                where="callee",
                reason="then there is more to do, because the cache lost what it held",
            ),
            Weighs(
                sign="load.rose",
                present=-1.0,
                where="users",
                reason="then there is more to hand out",
            ),
            Weighs(
                sign="member.gets-nothing",
                present=-3.0,
                where="peer",
                reason="then it does its peers' work as well",
            ),
            Weighs(
                sign="requests.one-resource",
                present=-2.0,
                where="users",
                reason="then one thing is dear",
            ),
            Weighs(sign="process.stopped", present=-5.0, reason="then it is stopped"),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "member.fails",
            "member.times-out",
            "log.*",
            "process.no-progress",
            "cpu.link-busy",
            "cpu.more-per-request",
        ),
        converges="the function that holds the lock",
        wrong_if="the lock is free while requests wait",
        contained_by=("add-member", "limit-route"),
        prevented_by=("more-processes", "native-tokenizers", "batched-scheduling"),
    )
)
