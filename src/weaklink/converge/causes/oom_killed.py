"""The kernel kills a process of the service for lack of memory, perhaps again and again."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="oom-killed",
        layer="memory",
        title="is killed for lack of memory",
        because="the kernel killed {memory_oom_killed_name} for lack of memory "
        "({memory_oom_killed_where})[; pid {process_restarted_pid} started "
        "{process_restarted_ago:seconds} ago]",
        explanation="The group (or the machine) ran out of memory and the kernel killed a "
        "process. Requests inside it are lost, those that come while it starts are refused; if "
        "the load brings it back to the limit, it dies again. Exit code 137 alone is no proof.",
        roles=(),
        prior=-5.0,
        required=("memory.oom-killed",),
        signs=(
            Weighs(
                sign="memory.oom-killed",
                present=9.0,
                absent=-5.0,
                decisive=True,
                names_culprit=True,
                reason="the kernel's own line or counter",
            ),
            Weighs(
                sign="process.restarted",
                present=1.0,
                absent=-0.3,
                reason="somebody started it again",
            ),
            Weighs(
                sign="memory.near-limit", present=0.5, reason="it is on its way to the next kill"
            ),
            Weighs(sign="member.refused", present=0.5, reason="refused while it was starting"),
            Weighs(sign="member.answered-502", present=0.5, reason="502 while it was starting"),
            Weighs(sign="member.fails", present=0.5, reason="its requests were lost"),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "member.*",
            "stack.*",
            "memory.*",
            "process.*",
            "cpu.link-busy",
            "cpu.link-waits-for-cpu",
            "cpu.host-full",
            "cache.many-keys-refilled",
        ),
        converges="the process, its control group and limit, or the machine as a whole",
        wrong_if="the kernel's counter stands still while errors go on",
        contained_by=("raise-memory-limit", "lower-concurrency", "limit-route"),
        prevented_by=("memory-limit-from-load-test", "admission-by-memory"),
        next_danger="it dies again when the load brings its memory back to the limit",
    )
)
