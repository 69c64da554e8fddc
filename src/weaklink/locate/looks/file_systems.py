"""File systems in a pasted `df`: full of bytes or of files, and what hangs on a sick device."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.fact_disk import FileSystemUse
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.df.full": "{path} is full: {percent} % used, {left} left",
        "finding.df.nearly": "{path} is nearly full: {percent} % used, {left} left",
        "finding.df.inodes": "{path} has no room for more files: {percent} % of its inodes are "
        "used, whatever space is left",
        "finding.df.fine": "{count} file systems, the fullest is {path} at {percent} %",
    }
)
FULL, NEARLY = 0.99, 0.90
"""From 99 % on (as df rounds it up) writes of an ordinary user fail or are about to."""
ENOUGH_LEFT = 50e9
"""90 % of a large disk with 50 GB left is no trouble today."""
IMAGES = ("/snap/", "/var/lib/snapd/", "/media/", "/mnt/cdrom", "/run/media/")
"""Read-only images are always full."""


@look("disk")
def file_systems(view: View) -> Iterable[Judged]:
    """Full ones, and the fullest where none is."""
    rows = [
        fact
        for fact in view.case.hardware
        if isinstance(fact, FileSystemUse)
        and not fact.path.startswith(IMAGES)
        and not fact.device.startswith(("/dev/loop", "tmpfs", "devtmpfs", "udev"))
    ]
    host = view.case.host.name
    bad = [finding for row in rows if (finding := _judge(row, host)) is not None]
    yield from bad
    if rows and not bad:
        fullest = max(rows, key=_share)
        yield Finding(
            verdict="healthy",
            target=target_key("mount", fullest.path, host=host),
            subject="disk",
            message=say(
                "finding.df.fine",
                count=len({row.path for row in rows}),
                path=fullest.path,
                percent=round(_share(fullest) * 100),
            ),
            line=fullest.line,
            cause="disk-full",
            sure=0.85,
        )


def _share(row: FileSystemUse) -> float:
    return max(row.share or 0.0, row.inodes_share or 0.0)


def _judge(row: FileSystemUse, host: str) -> Finding | None:
    share = _share(row)
    inodes = row.inodes_share is not None
    roomy = not inodes and row.available is not None and row.available >= ENOUGH_LEFT
    if share < NEARLY or (roomy and share < FULL):
        return None
    # df rounds up: 100 % of 7 TB may still have 60 GB left.
    full = share >= FULL and not roomy
    verdict: Verdict = "critical" if full else "warn"
    key = "inodes" if inodes else "full" if full else "nearly"
    return Finding(
        verdict=verdict,
        target=target_key("mount", row.path, host=host),
        subject="disk",
        message=say(
            f"finding.df.{key}",
            path=row.path,
            percent=round(share * 100),
            left="?" if row.available is None else f"{row.available / 1e9:.1f} GB",
        ),
        line=row.line,
        cause="inode-full" if inodes else "disk-full",
        next=f"du -xh --max-depth=2 {row.path} | sort -h | tail; lsof +L1 (deleted, still open)"
        if not inodes
        else f"find {row.path} -xdev -printf '%h\\n' | sort | uniq -c | sort -n | tail",
    )
