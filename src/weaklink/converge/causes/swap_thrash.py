"""More memory is in use than there is, and pages go out and come back all the time."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="swap-thrash",
        layer="memory",
        title="waits for its own memory to come back from swap",
        because="[{memory_swaps_back_and_forth_out} pages a second go to swap and "
        "{memory_swaps_back_and_forth_in_} come back; "
        "]{process_faults_from_disk_rate} page faults a second of it need a disk",
        explanation="More memory is in use than the machine has. The kernel writes pages "
        "out that are needed a moment later, and each access to one waits for "
        "a disk. Everything is slow at once, CPUs look idle or wait for I/O, "
        "and no single program is to blame by its CPU.",
        roles=(),
        prior=-5.0,
        required=("memory.swaps-back-and-forth",),
        signs=(
            Weighs(
                sign="memory.swaps-back-and-forth",
                present=4.0,
                absent=-6.0,
                where="host",
                reason="out and in at the same time",
            ),
            Weighs(
                sign="process.faults-from-disk",
                present=2.5,
                absent=-2.0,
                names_culprit=True,
                reason="its own pages are among them",
            ),
            Weighs(
                sign="memory.stalls",
                present=1.5,
                absent=-0.7,
                where="host",
                reason="tasks stand still for lack of memory",
            ),
            Weighs(
                sign="link.requests-pile-up", present=1.0, absent=-0.3, reason="requests wait in it"
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="process.waits-for-disk", present=0.7, reason="it sleeps until a page is there"
            ),
            Weighs(
                sign="memory.oom-killed", present=-1.5, reason="then the kernel has killed already"
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
            "memory.*",
            "disk.*",
            "process.faults-from-disk",
        ),
        converges="who uses the memory, and whose pages are out",
        wrong_if="pages go one way only: then the kernel cleans up, and nobody waits",
        contained_by=("pause-process", "limit-route", "restart-member"),
        prevented_by=("memory-alarm", "no-overcommit", "limits-for-batch-jobs"),
    )
)
