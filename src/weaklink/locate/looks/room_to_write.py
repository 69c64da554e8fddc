"""Whether the chain's processes can still open and write files: descriptors, space, inodes."""

from __future__ import annotations

from collections.abc import Iterable
from shlex import quote

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact import Mount
from weaklink.model.fact_files import OpenFile
from weaklink.model.target import target_key
from weaklink.stats.robust import ramp
from weaklink.words import sign

DESCRIPTORS = sign(
    "process.descriptors-full",
    "kernel-counters",
    "The process holds as many descriptors as it may: it can accept no connection, open no file.",
    "pid {pid} holds {used} of the {limit} descriptors that it may",
    hurts=True,
)
SPACE = sign(
    "disk.full-where-it-writes",
    "kernel-counters",
    "The file system that the link writes to has no room left.",
    "{mount} has {left:bytes} left of {size:bytes}; {name} writes {path} there",
    hurts=True,
)
INODES = sign(
    "disk.no-inodes-where-it-writes",
    "kernel-counters",
    "The file system that the link writes to has no inode left: no new file, whatever space is.",
    "{mount} has {left} of {inodes} inodes left; {name} writes in {path}",
    hurts=True,
)

NEAR_LIMIT = (0.93, 0.995)
"""Of the soft limit: what is beyond is used by the next burst of connections."""
FEW_DESCRIPTORS = 24
"""A process with a limit below this was given it on purpose (a sandboxed helper)."""
LEFT_BYTES = (32e6, 1e6)
"""From 32 MB on a burst of log lines or one temporary file ends it; below 1 MB it has."""
LEFT_SHARE = 0.03
"""With more than 3 % free, 32 MB is what a small file system is meant to have."""
LEFT_INODES = (500.0, 10.0)


@look("process")
def descriptors(view: View) -> Iterable[Judged]:
    """The process of each link that is closest to its limit of open files."""
    for link in view.on_chain():
        worst: tuple[float, str, float, float] | None = None
        for key in link.processes:
            used = view.peak("process_open_files", key)
            limit = view.last("process_open_files_limit", key)
            if used is None or limit is None or limit < FEW_DESCRIPTORS:
                continue
            if worst is None or used / limit > worst[0]:
                worst = (used / limit, key, used, limit)
        if worst is None:
            continue
        share, key, used, limit = worst
        pid = key.rpartition("/")[2].partition("@")[0]
        yield evidence(
            DESCRIPTORS,
            key,
            ramp(share, *NEAR_LIMIT),
            link=link.key,
            value=round(share, 3),
            command=f"ls /proc/{pid}/fd | wc -l; grep 'open files' /proc/{pid}/limits",
            pid=int(pid),
            used=round(used),
            limit=round(limit),
        )


@look("disk")
def room(view: View) -> Iterable[Judged]:
    """The fullest file system that each link writes to."""
    mounts = {mount.major_minor: mount for mount in view.case.mounts if mount.size > 0}
    written = [fact for fact in view.case.software if isinstance(fact, OpenFile)]
    for link in view.on_chain():
        own = [
            (mounts[fact.major_minor], fact)
            for fact in written
            if fact.process in link.processes and fact.major_minor in mounts
        ]
        own = [(mount, fact) for mount, fact in own if not mount.read_only]
        if not own:
            continue
        yield from _space(view, link, *min(own, key=lambda pair: _free_share(pair[0])))
        counted = [pair for pair in own if pair[0].inodes > 0]
        if counted:
            yield from _inodes(view, link, *min(counted, key=lambda pair: pair[0].inodes_free))


def _free_share(mount: Mount) -> float:
    return mount.free / mount.size


def _space(view: View, link: Link, mount: Mount, fact: OpenFile) -> Iterable[Judged]:
    yield evidence(
        SPACE,
        target_key("mount", mount.path, host=view.case.host.name),
        ramp(mount.free, *LEFT_BYTES) if _free_share(mount) <= LEFT_SHARE else 0.0,
        link=link.key,
        value=mount.free,
        command=f"df -h {quote(mount.path)}; du -xh --max-depth=2 {quote(mount.path)} | sort -h",
        mount=mount.path,
        left=mount.free,
        size=mount.size,
        name=link.name,
        path=fact.path,
    )


def _inodes(view: View, link: Link, mount: Mount, fact: OpenFile) -> Iterable[Judged]:
    yield evidence(
        INODES,
        target_key("mount", mount.path, host=view.case.host.name),
        ramp(mount.inodes_free, *LEFT_INODES),
        link=link.key,
        value=mount.inodes_free,
        command=f"df -i {quote(mount.path)}",
        mount=mount.path,
        left=round(mount.inodes_free),
        inodes=round(mount.inodes),
        name=link.name,
        path=fact.path,
    )
