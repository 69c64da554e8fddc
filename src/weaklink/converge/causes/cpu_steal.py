"""The hypervisor gives this machine's CPUs to others."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="cpu-steal",
        layer="cpu",
        title="gets less CPU than its machine seems to have",
        because="{cpu_stolen_percent} % of the CPU time of this machine was stolen by its "
        "hypervisor",
        explanation="The machine is virtual, and its hypervisor gives the CPUs to other "
        "guests (or has put a cap on this one: burst credits that are used "
        "up). Everything computes more slowly, nothing in the guest has "
        "changed, and nothing in the guest can mend it.",
        roles=(),
        prior=-5.0,
        required=("cpu.stolen",),
        signs=(
            Weighs(
                sign="cpu.stolen",
                present=5.0,
                absent=-6.0,
                where="host",
                reason="the kernel's own count of time that it was not let run",
            ),
            Weighs(
                sign="cpu.link-waits-for-cpu",
                present=1.5,
                absent=-0.3,
                reason="its threads are ready and do not run",
            ),
            Weighs(
                sign="cpu.more-per-request",
                present=0.7,
                reason="each request takes longer on a CPU that is lent out",
            ),
            Weighs(
                sign="link.requests-pile-up", present=1.0, absent=-0.3, reason="requests wait in it"
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
            Weighs(
                sign="cpu.outsiders-busy",
                present=-1.0,
                where="host",
                reason="then a neighbour inside the machine takes it",
            ),
            Weighs(sign="cpu.throttled", present=-2.0, reason="then its own quota stops it"),
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
        ),
        converges="the machine, and how much is stolen",
        wrong_if="steal is near zero while users wait",
        contained_by=("limit-route", "add-member"),
        prevented_by=("dedicated-cores", "steal-alarm"),
    )
)
