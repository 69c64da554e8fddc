"""A scheduled job runs while users are there, and takes what the service needs."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="batch-at-peak",
        layer="time",
        title="shares its machine with a scheduled job that runs now",
        because="{schedule_batch_began_name} (pid {schedule_batch_began_pid}) was started "
        "by a schedule {schedule_batch_began_ago:seconds} before users hurt[: "
        "{schedule_batch_began_job}]",
        explanation="A job that nobody thinks of (a report, a backup, a refresh, an "
        "offline batch) is started by cron or a timer while users are there, "
        "and takes CPU, disk or cache from the service. It ends by itself, and "
        "comes back at the same time.",
        roles=(),
        prior=-5.0,
        required=("schedule.batch-began",),
        signs=(
            Weighs(
                sign="schedule.batch-began",
                present=4.5,
                absent=-6.0,
                where="any",
                names_culprit=True,
                reason="the schedule, the moment, and what it uses",
            ),
            Weighs(
                sign="cpu.outsiders-busy",
                present=1.5,
                absent=-0.3,
                where="host",
                reason="it takes CPU",
            ),
            Weighs(
                sign="disk.busy-with-others", present=1.0, where="host", reason="it moves bytes"
            ),
            Weighs(
                sign="cpu.link-waits-for-cpu",
                present=1.5,
                absent=-0.5,
                reason="the link is what has to wait",
            ),
            Weighs(
                sign="disk.saturated", present=1.0, where="host", reason="the disk is what it takes"
            ),
            Weighs(
                sign="process.waits-for-disk", present=1.0, reason="the link is what has to wait"
            ),
            Weighs(
                sign="link.requests-pile-up", present=1.0, absent=-0.3, reason="requests wait in it"
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="cache.ttls-aligned",
                present=-1.0,
                where="callee",
                reason="then what it did to the cache is what hurts",
            ),
            Weighs(
                sign="cache.busy-with-scans",
                present=-1.5,
                where="callee",
                reason="then its commands block the cache",
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-2.0,
                where="callee",
                reason="then there is more to do, because the cache lost what it held",
            ),
            Weighs(sign="process.stopped", present=-5.0, reason="then it is stopped"),
            Weighs(
                sign="schedule.runs-before-each",
                present=-2.0,
                where="any",
                reason="then it hurts each time that it runs: the schedule is the cause",
            ),
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
            "disk.*",
        ),
        converges="the job, its schedule, and when it runs next",
        wrong_if="users still wait after it has ended",
        contained_by=("stop-next-run", "quiet-neighbour", "pause-process"),
        prevented_by=("jobs-off-peak", "job-limits", "jobs-elsewhere"),
    )
)
