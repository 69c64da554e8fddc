"""Processes that do not belong to the service take the CPUs from it."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="cpu-noisy-neighbour",
        layer="cpu",
        title="waits for a CPU that others use",
        because="{cpu_outsiders_busy_name} and {cpu_outsiders_busy_others} other processes off "
        "the chain use {cpu_outsiders_busy_cpus} of {cpu_outsiders_busy_of} CPUs"
        "[; its threads wait {cpu_link_waits_for_cpu_percent} % of their time for one]",
        explanation="A batch, a build, a backup or another tenant on the same machine uses the "
        "CPUs. The service's threads are ready to run and wait in the kernel's run queue: its own "
        "CPU falls, its latency rises.",
        roles=(),
        prior=-5.0,
        required=("cpu.outsiders-busy",),
        signs=(
            Weighs(
                sign="cpu.outsiders-busy",
                present=3.0,
                absent=-4.0,
                where="host",
                names_culprit=True,
                reason="somebody off the chain uses the CPUs",
            ),
            Weighs(
                sign="cpu.link-waits-for-cpu",
                present=3.0,
                absent=-2.5,
                reason="ready threads that wait: the CPUs are really missing",
            ),
            Weighs(
                sign="cpu.host-full",
                present=1.0,
                absent=-2.0,
                where="host",
                reason="with idle CPUs nobody is starved",
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(sign="link.requests-pile-up", present=0.7, reason="requests wait inside it"),
            Weighs(sign="cpu.link-busy", present=0.7, reason="it wants more CPU than the others"),
            Weighs(sign="member.fails", present=0.3, reason="its requests take long"),
            Weighs(sign="users.slow", present=0.5, where="users", reason="all is slower"),
            Weighs(
                sign="cpu.throttled",
                present=-3.0,
                reason="a quota makes threads wait as well",
            ),
            Weighs(
                sign="load.rose",
                present=-0.7,
                where="users",
                reason="then the service itself may want more CPU",
            ),
            Weighs(
                sign="link.waits-below",
                present=-2.5,
                reason="then what it calls makes it wait, not the lack of a CPU",
            ),
            Weighs(
                sign="schedule.runs-before-each",
                present=-2.0,
                where="any",
                reason="then it comes by a schedule, and goes",
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
            "cache.answers-late",
            "process.no-progress",
        ),
        converges="the process (and its control group) that uses most",
        wrong_if="it is paused and users still wait",
        contained_by=("quiet-neighbour", "pause-process", "stop-next-run"),
        prevented_by=("cpu-weights", "batch-elsewhere"),
    )
)
