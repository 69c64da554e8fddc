"""The disks of this machine from their counters, judged as a pasted `iostat -x` would be."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.disk_samples import judge_sample
from weaklink.locate.view import View
from weaklink.model.fact_disk import DiskSample
from weaklink.model.finding import Finding
from weaklink.model.message import say
from weaklink.words import texts

texts(
    {
        "finding.filesystem.full": "{path} is {percent} % full, {left} MB left",
        "finding.filesystem.inodes": "{path} has {percent} % of its inodes in use",
        "finding.filesystem.silent": "{path} ({kind}) does not answer",
        "finding.filesystem.fine": "file systems (fullest {percent} %)",
    }
)
NEARLY_FULL, FULL = 0.95, 0.995
"""Share used: at 95 % a log burst of an hour fills a small disk; at 99.5 % writes fail."""
FEW_BYTES = 2e9
"""With more than 2 GB left a large file system is not in danger within the hour."""


@look("disk")
def disk_counters(view: View) -> Iterable[Judged]:
    """Latency, queue and use of every block device over the window."""
    for key in view.targets_of("disk_busy_seconds_total"):
        sample = sample_of(view, key)
        if sample is None:
            continue
        found = judge_sample(sample, view.case.host.name)
        # Counters of a few seconds tell slow from fast, not a broken device from a busy one.
        milder = "warn" if found.verdict == "critical" else found.verdict
        yield structs.replace(found, target=key, verdict=milder)


def sample_of(view: View, key: str) -> DiskSample | None:
    """A disk over the window as iostat would print it; None without two readings."""
    name = key.rpartition("/")[2]

    def rate(quantity: str) -> float | None:
        return view.rate(quantity, key)

    reads, writes = rate("disk_reads_total"), rate("disk_writes_total")
    busy = rate("disk_busy_seconds_total")
    if reads is None or writes is None or busy is None:
        return None
    read_seconds, write_seconds = rate("disk_read_seconds_total"), rate("disk_write_seconds_total")
    return DiskSample(
        device=name,
        number=1,
        reads=reads,
        writes=writes,
        read_await=read_seconds / reads if read_seconds is not None and reads else None,
        write_await=write_seconds / writes if write_seconds is not None and writes else None,
        queue=rate("disk_queue_seconds_total"),
        utilisation=min(busy, 1.0),
        read_bytes=rate("disk_read_bytes_total"),
        write_bytes=rate("disk_written_bytes_total"),
    )


@look("disk")
def filesystems(view: View) -> Iterable[Judged]:
    """Which file systems are full, out of inodes, or do not answer."""
    fullest = 0.0
    for mount in view.case.mounts:
        target = f"mount:{view.case.host.name}/-/{mount.path}"
        if mount.size < 0:
            yield Finding(
                verdict="warn",
                target=target,
                subject="disk",
                message=say("finding.filesystem.silent", path=mount.path, kind=mount.kind),
                next=f"timeout 5 stat -f {mount.path}",
            )
            continue
        if mount.size == 0 or mount.read_only:
            continue
        used = 1 - mount.free / mount.size
        fullest = max(fullest, used)
        if used >= NEARLY_FULL and mount.free < FEW_BYTES:
            yield Finding(
                verdict="critical" if used >= FULL else "warn",
                target=target,
                subject="disk",
                cause="disk-full",
                message=say(
                    "finding.filesystem.full",
                    path=mount.path,
                    percent=round(100 * used, 1),
                    left=round(mount.free / 1e6),
                ),
                next=f"du -xh --max-depth=2 {mount.path} | sort -h | tail",
            )
        if mount.inodes > 0 and 1 - mount.inodes_free / mount.inodes >= NEARLY_FULL:
            yield Finding(
                verdict="warn",
                target=target,
                subject="disk",
                cause="inode-full",
                message=say(
                    "finding.filesystem.inodes",
                    path=mount.path,
                    percent=round(100 * (1 - mount.inodes_free / mount.inodes), 1),
                ),
                next=f"df -i {mount.path}",
            )
    if view.case.mounts:
        yield Finding(
            verdict="healthy",
            target=view.host_key,
            subject="disk",
            message=say("finding.filesystem.fine", percent=round(100 * fullest)),
        )
