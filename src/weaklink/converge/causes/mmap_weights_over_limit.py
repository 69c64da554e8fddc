"""A memory limit below the size of the mapped weights makes each pass read them from disk."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="mmap-weights-over-limit",
        layer="memory",
        title="reads its weights again and again, because its group may not keep them",
        because="{memory_group_reclaims_path} hit its memory limit of "
        "{memory_group_reclaims_limit:bytes} {memory_group_reclaims_times} times a "
        "second, and {process_faults_from_disk_rate} page faults a second need a "
        "disk",
        explanation="Model weights are mapped from a file, and the group's memory limit is "
        "smaller than they are. Nothing is killed: clean pages are dropped and "
        "read again, for each token anew. The process runs at the disk's "
        "speed, and its memory looks comfortably below the limit.",
        roles=("inference", "app", "unknown"),
        prior=-5.5,
        required=("memory.group-reclaims",),
        signs=(
            Weighs(
                sign="memory.group-reclaims",
                present=3.5,
                absent=-5.0,
                names_culprit=True,
                reason="the group's own count of hits at its limit",
            ),
            Weighs(
                sign="process.faults-from-disk",
                present=3.5,
                absent=-4.0,
                reason="what was dropped is read again",
            ),
            Weighs(
                sign="memory.near-limit",
                present=-2.5,
                reason="then what cannot be dropped fills the group",
            ),
            Weighs(
                sign="memory.oom-killed",
                present=-4.0,
                reason="clean pages are dropped, nobody is killed for them",
            ),
            Weighs(
                sign="memory.swaps-back-and-forth",
                present=-3.0,
                where="host",
                reason="then the whole machine swaps",
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="link.requests-pile-up", present=1.0, absent=-0.3, reason="requests wait in it"
            ),
            Weighs(
                sign="process.waits-for-disk", present=0.7, reason="it sleeps until a page is there"
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
        converges="the group, its limit, and the files that are mapped",
        wrong_if="faults stop and it stays slow",
        contained_by=("raise-memory-limit", "limit-route"),
        prevented_by=("limit-above-weights", "lock-weights"),
    )
)
