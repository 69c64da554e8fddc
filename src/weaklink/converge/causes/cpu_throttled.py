"""A CPU quota stops the processes again and again, while the machine has CPUs to spare."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="cpu-throttled",
        layer="cpu",
        title="is stopped by its CPU quota",
        because="its group may use {cpu_throttled_quota} CPUs and is throttled in "
        "{cpu_throttled_percent} % of the periods",
        explanation="The group has a CPU quota. When its threads have used it up, the kernel "
        "stops all of them until the next period (100 ms): average CPU looks low, latency comes "
        "in steps of the period.",
        roles=(),
        prior=-5.0,
        required=("cpu.throttled",),
        signs=(
            Weighs(
                sign="cpu.throttled",
                present=5.0,
                absent=-5.0,
                names_culprit=True,
                reason="the kernel counts the periods itself",
            ),
            Weighs(
                sign="cpu.quota-is-tight",
                present=1.5,
                absent=-0.5,
                reason="it uses what it may, and no more is allowed",
            ),
            Weighs(sign="link.slower-than-before", present=1.0, reason="its own time has grown"),
            Weighs(sign="link.requests-pile-up", present=0.7, reason="requests wait inside it"),
            Weighs(
                sign="link.waits-below",
                present=-1.5,
                reason="then it waits for another link",
            ),
            Weighs(
                sign="memory.oom-killed", present=-2.0, reason="starting again costs CPU as well"
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "cpu.*",
            "member.fails",
            "member.times-out",
            "process.no-progress",
        ),
        converges="the control group and its quota",
        wrong_if="throttled periods stop growing while users still wait",
        contained_by=("raise-cpu-quota", "lower-concurrency", "limit-route"),
        prevented_by=("quota-from-load-test", "threads-from-quota"),
    )
)
