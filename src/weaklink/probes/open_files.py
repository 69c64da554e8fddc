"""The chain's processes and their descriptors: how many of how many, and which files they write.

A descriptor's mount is told by its fdinfo, so that no file is touched: a stat of a file on a dead
server would never return.
"""

from __future__ import annotations

from typing import NamedTuple

from weaklink.model.case import Case
from weaklink.model.fact import Process
from weaklink.model.fact_files import OpenFile
from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.model.quantities import process as q
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.parse.clean import clean_text
from weaklink.parse.mountinfo import MountLine, parse_mountinfo
from weaklink.parse.proc_fd import FdInfo, parse_fdinfo, parse_mount_ids, parse_open_files_limit
from weaklink.parse.redact import redact
from weaklink.probes.process_table import chain_pids
from weaklink.reach.host import NotAllowed, NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.registry import probe
from weaklink.reach.root import Root
from weaklink.words import texts

texts(
    {
        "open-files.none": "no chain yet, so no descriptors to look at",
        "open-files.denied": "descriptors of the chain's processes: not allowed",
    }
)

MAX_PROCESSES = 48
MAX_DESCRIPTORS = 65_536
MAX_FILES = 64
"""Of one process that are written; a database holds more, its first ones tell the disk as well."""
MAX_PEEKED = 2_000
"""Descriptors of one process whose target is read, about 4 µs each."""


class Written(NamedTuple):
    """One file that is open for writing, at one moment."""

    path: str
    info: FdInfo
    at: float


@probe(
    "open-files",
    subject="process",
    phase="deep",
    about="descriptors in use against the limit, and which files the chain's processes write",
)
def look_at_open_files(reach: Reach, case: Case) -> Take:
    """Readings `process_open_files*` and OpenFile facts, from two readings over the window.

    Raises NotHere without a chain, NotAllowed where no process shows its descriptors.
    """
    pids = chain_pids(case)
    known = [one for one in case.processes if one.pid in pids and not one.kernel_thread]
    processes = list({one.pid: one for one in known}.values())[:MAX_PROCESSES]
    if not processes:
        raise NotHere(say("open-files.none"))
    first = {one.pid: _written(reach, one) for one in processes}
    readings = [reading for one in processes for reading in _counted(reach, one)]
    if not readings:
        raise NotAllowed(say("open-files.denied"), "sudo weaklink")
    reach.pause_until_window_ends(before=0.2)
    facts: list[OpenFile] = []
    for one in processes:
        facts += _files(reach.root, one, first[one.pid], _written(reach, one))
        facts += _folder(reach, one)
        readings += _counted(reach, one)
    seen = {reading.target for reading in readings}
    denied = [one.key for one in processes if one.key not in seen]
    looks = [
        Look(
            name="open-files",
            target=key,
            outcome="denied",
            at=reach.now(),
            reason=say("open-files.denied"),
            remedy="sudo weaklink",
        )
        for key in denied[:1]
    ]
    return Take(readings=readings, software=list(facts), looks=looks)


def _counted(reach: Reach, one: Process) -> list[Reading]:
    try:
        count = float(len(reach.root.names(f"/proc/{one.pid}/fd", MAX_DESCRIPTORS)))
    except OSError:
        return []
    found = [(q.PROCESS_OPEN_FILES, count)]
    limit = parse_open_files_limit(try_read(reach.root, f"/proc/{one.pid}/limits", 8192))
    if limit is not None:
        found.append((q.PROCESS_OPEN_FILES_LIMIT, limit))
    at = reach.now()
    return [Reading(quantity=name, target=one.key, at=at, value=value) for name, value in found]


def _written(reach: Reach, one: Process) -> dict[int, Written]:
    root = reach.root
    found: dict[int, Written] = {}
    try:
        names = root.names(f"/proc/{one.pid}/fd", MAX_DESCRIPTORS)
    except OSError:
        return found
    for name in names[:MAX_PEEKED]:
        if not name.isdigit() or len(found) >= MAX_FILES:
            continue
        try:
            target = root.link(f"/proc/{one.pid}/fd/{name}")
        except OSError:
            continue
        if not target.startswith("/") or target.startswith(("/dev/", "/proc/", "/sys/", "/memfd:")):
            continue
        info = parse_fdinfo(try_read(root, f"/proc/{one.pid}/fdinfo/{name}", 4096))
        if info is not None and info.writes:
            path = redact(clean_text(target.removesuffix(" (deleted)"))[:300])
            found[int(name)] = Written(path, info, reach.now())
    return found


def _files(
    root: Root, one: Process, before: dict[int, Written], after: dict[int, Written]
) -> list[OpenFile]:
    if not after:
        return []
    mounts = parse_mount_ids(try_read(root, f"/proc/{one.pid}/mountinfo", 1 << 20))
    facts = []
    for number, now in after.items():
        then = before.get(number)
        same = then is not None and then.path == now.path
        grown = now.info.position - then.info.position if then is not None and same else 0
        facts.append(
            OpenFile(
                process=one.key,
                path=now.path,
                major_minor=mounts.get(now.info.mount, ""),
                how="append" if now.info.appends or number in (1, 2) else "write",
                descriptor=number,
                at=now.at,
                grown=float(max(0, grown)),
                seconds=now.at - then.at if then is not None and same else 0.0,
            )
        )
    return facts


def _folder(reach: Reach, one: Process) -> list[OpenFile]:
    """Where it creates files that it names without a path: a cache's dumps, a core."""
    root = reach.root
    try:
        folder = root.link(f"/proc/{one.pid}/cwd")
    except OSError:
        return []
    lines = parse_mountinfo(try_read(root, f"/proc/{one.pid}/mountinfo", 1 << 20))
    holding = [line for line in lines if _holds(line, folder)]
    if not holding:
        return []
    at = max(holding, key=lambda line: len(line.path.rstrip("/")))
    return [
        OpenFile(
            process=one.key,
            path=redact(clean_text(folder)[:300]),
            major_minor=at.major_minor,
            how="folder",
            at=reach.now(),
        )
    ]


def _holds(line: MountLine, folder: str) -> bool:
    path = line.path.rstrip("/")
    return folder == line.path or folder.startswith(path + "/")
