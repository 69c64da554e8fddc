"""A JVM spends its time on cleaning its heap, and every request waits while it does."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="gc-storm",
        layer="app",
        title="stands still to collect garbage",
        because="pid {jvm_stands_still_pid} stands still for {jvm_stands_still_percent} % of the "
        "time, in {jvm_stands_still_full} full collections "
        "({jvm_stands_still_reason})",
        explanation="When what a JVM keeps nearly fills its heap, it collects all of it again "
        "and again and frees little each time. All requests wait meanwhile, the "
        "CPU is busy, and the service looks alive in between. The same is seen "
        "where somebody asks for full collections (System.gc()).",
        roles=(),
        prior=-4.5,
        required=("jvm.stands-still",),
        signs=(
            Weighs(
                sign="jvm.stands-still",
                present=5.0,
                absent=-5.0,
                names_culprit=True,
                reason="the JVM's own count of its pauses",
            ),
            Weighs(
                sign="jvm.heap-full",
                present=1.5,
                absent=-0.3,
                reason="collecting all frees nothing; without it, somebody asks for collections",
            ),
            Weighs(
                sign="jvm.collectors-busy",
                present=2.0,
                absent=-1.0,
                reason="the kernel counts the CPU of its collector threads",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=0.7,
                reason="requests wait in it while it stands still",
            ),
            Weighs(
                sign="cpu.throttled",
                present=-2.0,
                reason="then its pauses are long because the quota stops its collectors",
            ),
            Weighs(
                sign="memory.swaps-back-and-forth",
                present=-2.0,
                where="host",
                reason="then its pauses are long because its heap is fetched from swap",
            ),
            Weighs(
                sign="process.stopped",
                present=-4.0,
                reason="then somebody stopped it",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "jvm.*",
            "member.*",
            "process.no-progress",
        ),
        converges="the process, its pauses, and how full its heap stays",
        wrong_if="its pauses are few and users still wait: jstat -gcutil PID 1000",
        contained_by=("restart-member", "limit-route", "eject-member"),
        prevented_by=("heap-from-live-set", "gc-pause-alarm"),
    )
)
