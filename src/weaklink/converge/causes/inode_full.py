"""The file system that a link writes to can hold no further file."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="inode-full",
        layer="disk",
        title="cannot create files: no inode is left",
        because="{disk_no_inodes_where_it_writes_mount} has "
        "{disk_no_inodes_where_it_writes_left} of "
        "{disk_no_inodes_where_it_writes_inodes} inodes left, and "
        "{disk_no_inodes_where_it_writes_name} writes in "
        "{disk_no_inodes_where_it_writes_path}",
        explanation="Each file takes an inode, and a file system was made with a fixed "
        "number of them. Millions of small files (sessions, thumbnails, a "
        "spool) use them up: df shows free space, and yet every new file fails "
        "with ENOSPC.",
        roles=(),
        prior=-5.0,
        required=("disk.no-inodes-where-it-writes",),
        signs=(
            Weighs(
                sign="disk.no-inodes-where-it-writes",
                present=6.0,
                absent=-6.0,
                decisive=True,
                names_culprit=True,
                reason="the file system's own count, and this process writes there",
            ),
            Weighs(
                sign="users.errors",
                present=1.5,
                absent=-1.0,
                where="users",
                reason="a file that cannot be made is an error, seldom a delay",
            ),
            Weighs(
                sign="disk.full-where-it-writes",
                present=-1.0,
                reason="then space is what is missing",
            ),
            Weighs(
                sign="process.stopped",
                present=-4.0,
                reason="then it answers nothing because it is stopped",
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
        converges="the file system, and the folder with the most files",
        wrong_if="a new file can be made there as the service's user",
        contained_by=("free-space", "eject-member"),
        prevented_by=("clean-old-files", "inode-alarm", "fewer-larger-files"),
    )
)
