"""The kernel reports errors of a device that a link's files lie on."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="disk-errors",
        layer="disk",
        title="depends on a disk that fails",
        because="the kernel reports {disk_errors_count} errors of {disk_errors_device}: "
        "{disk_errors_line}",
        explanation="The device cannot read or write some blocks, or does not answer in "
        "time. Reads are tried again for seconds before they fail; a file "
        "system may turn read-only. Until it fails for good it only looks slow.",
        roles=(),
        prior=-5.0,
        required=("disk.errors",),
        signs=(
            Weighs(
                sign="disk.errors",
                present=6.0,
                absent=-5.0,
                decisive=True,
                names_culprit=True,
                reason="the kernel's own lines, about a device that its files lie on",
            ),
            Weighs(
                sign="process.waits-for-disk",
                present=1.5,
                absent=-0.5,
                reason="it sleeps until the device has tried again",
            ),
            Weighs(
                sign="users.errors", present=0.7, where="users", reason="what cannot be read fails"
            ),
            Weighs(
                sign="link.requests-pile-up", present=1.0, absent=-0.3, reason="requests wait in it"
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="its own time has grown"),
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
            "log.*",
            "member.*",
        ),
        converges="the device and its blocks",
        wrong_if="the lines are about a device that no file of the chain lies on",
        contained_by=("eject-member",),
        prevented_by=("smart-monitoring", "redundant-disks", "backups"),
    )
)
