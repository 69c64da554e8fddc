"""A process that was started not long ago still reads what it needs from a slow disk."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="model-load-slow",
        layer="inference",
        title="is still loading from a disk",
        because="pid {process_loads_from_disk_pid}, {process_loads_from_disk_age:seconds} "
        "old, reads {process_loads_from_disk_rate} MB/s from a disk, "
        "{process_loads_from_disk_total:bytes} so far",
        explanation="Weights or data come from a disk that is slow, shared or far away. "
        "The process lives, may already accept connections, and answers "
        "nothing or late until all is read; supervisors that lose patience "
        "start it anew and begin at zero.",
        roles=("inference", "app", "unknown", "db"),
        prior=-5.0,
        required=("process.loads-from-disk",),
        signs=(
            Weighs(
                sign="process.loads-from-disk",
                present=4.5,
                absent=-6.0,
                names_culprit=True,
                reason="young, and megabytes a second come from a disk",
            ),
            Weighs(
                sign="process.restarted",
                present=1.0,
                absent=-1.0,
                reason="it is far younger than the service",
            ),
            Weighs(
                sign="process.waits-for-disk",
                present=1.5,
                absent=-0.5,
                reason="it sleeps until the disk answers",
            ),
            Weighs(
                sign="disk.saturated",
                present=1.0,
                where="host",
                reason="the disk is what it waits for",
            ),
            Weighs(sign="member.not-listening", present=0.7, reason="it is not ready yet"),
            Weighs(sign="users.errors", present=0.5, where="users", reason="nobody answers for it"),
            Weighs(
                sign="link.requests-pile-up", present=1.0, absent=-0.3, reason="requests wait in it"
            ),
            Weighs(
                sign="memory.group-reclaims",
                present=-2.0,
                reason="then what was read is dropped again",
            ),
            Weighs(
                sign="memory.oom-killed",
                present=-2.0,
                reason="then the kernel killed the one before",
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
            "member.*",
            "process.restarted",
            "disk.*",
        ),
        converges="the process, how much it has read, and from which disk",
        wrong_if="it has read all and answers no better",
        contained_by=("eject-member", "quiet-neighbour"),
        prevented_by=("local-weights", "load-time-alarm", "readiness-before-traffic"),
    )
)
