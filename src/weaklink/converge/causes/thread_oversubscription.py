"""A process runs far more computing threads than it has CPUs."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="thread-oversubscription",
        layer="app",
        title="runs far more threads than it has CPUs",
        because="{cpu_more_threads_than_cpus_count} threads of pid "
        "{cpu_more_threads_than_cpus_pid} are ready to run on "
        "{cpu_more_threads_than_cpus_cpus} CPUs, most of them named "
        "{cpu_more_threads_than_cpus_thread}",
        explanation="Libraries size their thread pools by the cores of the host (OpenMP, "
        "BLAS, an inference runtime, one pool for each worker), not by what "
        "the group may use. The threads spin, wait for each other and use up "
        "the quota in the first milliseconds of each period: it looks like "
        "throttling, and more CPU hardly helps.",
        roles=("inference", "app", "unknown", "job"),
        prior=-5.0,
        required=("cpu.more-threads-than-cpus",),
        signs=(
            Weighs(
                sign="cpu.more-threads-than-cpus",
                present=4.5,
                absent=-6.0,
                names_culprit=True,
                reason="a crowd of ready threads on few CPUs",
            ),
            Weighs(
                sign="cpu.link-waits-for-cpu",
                present=1.5,
                absent=-0.7,
                reason="most of them only wait for their turn",
            ),
            Weighs(sign="cpu.throttled", present=0.7, reason="together they use up the quota"),
            Weighs(
                sign="link.requests-pile-up", present=1.0, absent=-0.3, reason="requests wait in it"
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="load.rose",
                present=-1.0,
                where="users",
                reason="then there are more requests to run them for",
            ),
            Weighs(
                sign="cpu.outsiders-busy",
                present=-1.5,
                where="host",
                reason="then others take the CPU from it",
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-2.0,
                where="callee",
                reason="then there is more to do, because the cache lost what it held",
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
            "process.no-progress",
            "cpu.link-waits-for-cpu",
            "cpu.host-full",
            "cpu.link-busy",
            "cpu.more-per-request",
            "process.waits-for-disk",
            "cpu.*",
        ),
        converges="the pool, by the name of its threads",
        wrong_if="ready threads are no more than its CPUs while users wait",
        contained_by=("raise-cpu-quota", "lower-concurrency", "limit-route"),
        prevented_by=("threads-from-quota", "one-pool-per-process"),
    )
)
