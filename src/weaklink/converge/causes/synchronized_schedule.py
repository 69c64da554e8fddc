"""Something that a schedule starts hurts users each time it runs."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="synchronized-schedule",
        layer="time",
        title="is hurt each time that a program starts",
        because="users are hurt every {schedule_runs_before_each_period:seconds}: "
        "{schedule_runs_before_each_name} (pid {schedule_runs_before_each_pid}) began just before "
        "{schedule_runs_before_each_matched} of {schedule_runs_before_each_count} times"
        "[, {schedule_runs_before_each_job}]",
        explanation="Every so often, each time for a short while, the service is slow, and it is "
        "well again before anybody looks. The recording knows each of those times, and what "
        "started just before. Many machines or jobs that wake at the same minute hurt what they "
        "share; spreading their starts, or running them elsewhere, ends it.",
        roles=(),
        prior=-5.0,
        required=("schedule.runs-before-each",),
        signs=(
            Weighs(
                sign="schedule.runs-before-each",
                present=6.0,
                absent=-6.0,
                where="any",
                names_culprit=True,
                reason="it begins each time, and seldom otherwise",
            ),
            Weighs(
                sign="users.pain-returns",
                present=1.5,
                absent=-3.0,
                where="any",
                reason="chance keeps no period",
            ),
            Weighs(
                sign="cpu.outsiders-busy",
                present=1.0,
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
                sign="process.waits-for-disk", present=1.0, reason="the link is what has to wait"
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(sign="link.requests-pile-up", present=0.7, reason="requests wait in it"),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-3.0,
                where="callee",
                reason="then what it did to the cache is what hurts",
            ),
            Weighs(
                sign="cache.busy-with-scans",
                present=-2.0,
                where="callee",
                reason="then its commands block the cache",
            ),
            Weighs(sign="process.stopped", present=-4.0, reason="then it is stopped"),
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
            "process.waits-for-disk",
            "cpu.*",
            "disk.*",
            "schedule.*",
        ),
        converges="the program, the line that starts it, the period, and when it runs next",
        wrong_if="the next run comes and nobody is hurt",
        contained_by=("stop-next-run", "quiet-neighbour", "pause-process"),
        prevented_by=("jobs-off-peak", "job-limits", "jobs-elsewhere"),
        next_danger="[it runs again at {schedule_runs_before_each_next:clock}]",
    )
)
