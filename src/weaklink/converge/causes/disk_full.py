"""The file system that a link writes to has no room left."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="disk-full",
        layer="disk",
        title="cannot write: its disk is full",
        because="{disk_full_where_it_writes_mount} has "
        "{disk_full_where_it_writes_left:bytes} left of "
        "{disk_full_where_it_writes_size:bytes}, and "
        "{disk_full_where_it_writes_name} writes {disk_full_where_it_writes_path} "
        "there",
        explanation="A file system without room fails each write: databases stop, caches "
        "refuse writes after a failed dump, uploads and temporary files fail, "
        "while reads go on. Often a log or a core dump filled it, and it is "
        "not the service's own data at all.",
        roles=(),
        prior=-5.0,
        required=("disk.full-where-it-writes",),
        signs=(
            Weighs(
                sign="disk.full-where-it-writes",
                present=6.0,
                absent=-6.0,
                decisive=True,
                names_culprit=True,
                reason="the file system's own count, and an open file of this process on it",
            ),
            Weighs(
                sign="users.errors",
                present=1.5,
                absent=-1.0,
                where="users",
                reason="a write that fails is an error, seldom a delay",
            ),
            Weighs(sign="member.fails", present=0.7, reason="its requests fail"),
            Weighs(
                sign="process.stopped",
                present=-4.0,
                reason="then it answers nothing because it is stopped",
            ),
            Weighs(
                sign="member.not-listening",
                present=-1.5,
                reason="then nobody is there who could write",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "member.*",
            "process.no-progress",
        ),
        converges="the file system, the process that writes there, and what fills it",
        wrong_if="writes to it succeed: touch a file there as the service's user",
        contained_by=("free-space", "eject-member"),
        prevented_by=("log-rotation", "disk-alarm", "separate-log-disk"),
    )
)
