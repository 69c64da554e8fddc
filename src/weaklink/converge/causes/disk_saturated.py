"""A disk has so much to do that a link waits for each small request."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="disk-saturated",
        layer="disk",
        title="waits for a disk that has too much to do",
        because="{disk_saturated_device} takes {disk_saturated_ms} ms a request with "
        "{disk_saturated_queue} under way[; {disk_busy_with_others_name} (pid "
        "{disk_busy_with_others_pid}) moves {disk_busy_with_others_rate} MB/s]",
        explanation="Somebody (a backup, a batch, a neighbour, the service itself) keeps a "
        "disk so busy that each request queues. Whoever needs a small read or "
        "an fsync waits behind it. 100 % busy alone proves nothing: a device "
        "that answers in 0.2 ms is merely working.",
        roles=(),
        prior=-5.0,
        required=("disk.saturated",),
        signs=(
            Weighs(
                sign="disk.saturated",
                present=4.0,
                absent=-6.0,
                where="host",
                reason="late answers and a queue, not %util",
            ),
            Weighs(
                sign="process.waits-for-disk",
                present=3.0,
                absent=-2.5,
                reason="this link is among those that wait",
            ),
            Weighs(
                sign="disk.busy-with-others",
                present=1.5,
                absent=-0.3,
                where="host",
                names_culprit=True,
                reason="somebody else makes the queue",
            ),
            Weighs(
                sign="link.requests-pile-up", present=1.0, absent=-0.3, reason="requests wait in it"
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(sign="link.waits-below", present=-1.5, reason="then it waits for another link"),
            Weighs(sign="disk.errors", present=-2.5, reason="then the disk fails"),
            Weighs(
                sign="memory.swaps-back-and-forth",
                present=-3.0,
                where="host",
                reason="then swapping keeps it busy",
            ),
            Weighs(
                sign="memory.group-reclaims",
                present=-1.5,
                reason="then its own limit makes it read again",
            ),
            Weighs(sign="process.loads-from-disk", present=-1.0, reason="then it is still loading"),
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
            "disk.*",
        ),
        converges="the device, who keeps it busy, and who waits",
        wrong_if="its queue is empty while users wait",
        contained_by=("quiet-neighbour", "pause-process", "stop-next-run", "limit-route"),
        prevented_by=("io-limits-for-jobs", "separate-disks", "await-alarm"),
    )
)
