"""A fresh process is given requests before it is warm."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="cold-start",
        layer="inference",
        title="has just started and is not warm yet",
        because="pid {process_began_as_it_hurt_pid} of it started "
        "{process_began_as_it_hurt_ago:seconds} "
        "ago[; {process_loads_from_disk_rate} MB/s still come from a disk]",
        explanation="A fresh process compiles, allocates, fills its caches and pools while "
        "requests are already given to it. It is slower than its peers for a "
        "while and then as quick as they are; a rolling deploy or an "
        "autoscaler makes it come again and again.",
        roles=("inference", "app", "unknown"),
        prior=-5.5,
        required=("process.began-as-it-hurt",),
        signs=(
            Weighs(
                sign="process.began-as-it-hurt",
                present=4.0,
                absent=-5.5,
                names_culprit=True,
                reason="it is far younger than the service",
            ),
            Weighs(
                sign="users.slow",
                present=0.7,
                absent=-0.7,
                where="users",
                reason="it is slow, it does not fail",
            ),
            Weighs(
                sign="link.requests-pile-up", present=1.0, absent=-0.5, reason="requests wait in it"
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(sign="cpu.link-busy", present=0.7, reason="compiling and filling costs CPU"),
            Weighs(sign="process.loads-from-disk", present=-1.0, reason="then it is still loading"),
            Weighs(
                sign="process.starts-again", present=-3.0, reason="then it dies again and again"
            ),
            Weighs(
                sign="memory.oom-killed",
                present=-4.0,
                reason="then the kernel killed the one before",
            ),
            Weighs(sign="member.not-listening", present=-2.0, reason="then it serves nobody yet"),
            Weighs(sign="member.refused", present=-1.5, reason="then it served nobody for a while"),
            Weighs(
                sign="member.gets-nothing",
                present=-3.0,
                where="peer",
                reason="then it does its peers' work as well",
            ),
            Weighs(
                sign="load.rose", present=-1.0, where="users", reason="then more is asked of it"
            ),
            Weighs(sign="cpu.throttled", present=-1.5, reason="then the quota makes it slow"),
            Weighs(sign="stack.loop-blocked", present=-2.0, reason="then one call holds it up"),
            Weighs(
                sign="stack.pool-taken", present=-1.5, reason="then its threads wait for something"
            ),
            Weighs(
                sign="deploy.just-before",
                present=-1.0,
                where="any",
                reason="then what was deployed may be slower for good",
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
            "link.*",
            "stack.*",
            "cpu.link-busy",
            "member.fails",
            "process.began-as-it-hurt",
        ),
        converges="the process and its age",
        wrong_if="it stays slow when it is as old as its peers",
        contained_by=("eject-member", "limit-route"),
        prevented_by=("warm-up-before-ready", "slow-start", "rolling-with-readiness"),
    )
)
