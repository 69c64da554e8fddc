"""What a process does below its own code: system calls by time, mapped files, swapped pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, percent, sized
from weaklink.locate.view import View
from weaklink.model.fact_text_host import MapsDigest, ProcessMemory, SyscallRow
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.syscalls.sync": "{share} of the time in system calls goes to {name}: it waits for "
        "the disk to have written",
        "finding.syscalls.failing": "{errors} of {calls} calls of {name} fail",
        "finding.syscalls.most": "most time in system calls goes to {name} ({share}, {calls} "
        "calls); {meaning}",
        "finding.held.swapped": "{name} (pid {pid}) holds {held}, {swapped} of it swapped out: "
        "its RSS hides that",
        "finding.held.grows": "{name} (pid {pid}) grew from {before} to {held} over {count} "
        "readings, swapped pages included: a leak, if it goes on",
        "finding.held.seen": "{name} (pid {pid}) holds {held}, {swapped} of it swapped out",
        "finding.maps.deleted": "it still runs files that were replaced or deleted since it "
        "started ({count}, such as {path}): what is on disk is not what runs",
        "finding.maps.many": "{count} maps: the kernel's limit (vm.max_map_count, 65530 by "
        "default) is near, then mmap and new threads fail",
        "finding.maps.seen": "{count} maps[; libraries: {libraries}][; largest file {path}, "
        "{size}]",
    }
)
SYNC = ("fsync", "fdatasync", "sync_file_range", "msync", "sync")
SYNC_SHARE = 0.4
FAILING = {"connect": 0.5, "accept": 0.5, "accept4": 0.8, "openat": 0.9, "open": 0.9, "mmap": 0.1}
"""Share of calls that fail; connect and accept answer EINPROGRESS or EAGAIN in programs that do not
block, so only many are a sign."""
LEAST_CALLS = 20
MEANING = {
    "futex": "waiting for locks, or for work: stacks tell which",
    "epoll_wait": "an event loop that waits is idle",
    "epoll_pwait": "an event loop that waits is idle",
    "poll": "waiting for input is idle",
    "select": "waiting for input is idle",
    "read": "reading: from what, strace -y shows",
    "write": "writing: to what, strace -y shows",
    "sched_yield": "spinning: it waits busily for something",
    "madvise": "giving memory back and taking it again",
    "mmap": "mapping files: a model that is loaded?",
    "munmap": "giving maps back",
    "recvfrom": "waiting for answers of others",
    "openat": "opening files again and again",
    "stat": "looking for files again and again",
}
HIDDEN = 0.2
"""Share swapped out from which RSS misleads about a process's size."""
LEAST_READINGS, GROWN, GROWN_BYTES = 3, 1.1, 64 * 1024.0**2
NEAR_MAPS = 0.9 * 65_530


@look("process")
def syscalls(view: View) -> Iterable[Judged]:
    """strace -c."""
    said = Said(view, "process", "process")
    rows = [fact for fact in view.case.software if isinstance(fact, SyscallRow)]
    if not rows:
        return
    found = list(_syscalls(said, rows))
    yield from found
    if not found:
        top = max(rows, key=lambda row: row.seconds)
        yield said.finding(
            "unknown", "finding.syscalls.most", "-", top.line, sure=0.7,
            next="strace -c -w counts waiting too; py-spy or jstack for the why",
            name=top.name, share=percent(top.share), calls=top.calls,
            meaning=MEANING.get(top.name, "what that means, the program's stacks tell"),
        )  # fmt: skip


def _syscalls(said: Said, rows: list[SyscallRow]) -> Iterator[Finding]:
    for row in rows:
        if row.name in SYNC and row.share >= SYNC_SHARE:
            yield said.finding(
                "warn", "finding.syscalls.sync", "-", row.line, cause="disk-saturated", sure=0.6,
                next="iostat -x 1 3 of that disk", name=row.name, share=percent(row.share),
            )  # fmt: skip
        least = FAILING.get(row.name)
        if least is not None and row.calls >= LEAST_CALLS and row.errors >= least * row.calls:
            yield said.finding(
                "warn", "finding.syscalls.failing", "-", row.line, sure=0.5,
                next=f"strace -e trace={row.name}: with which error", name=row.name,
                errors=row.errors, calls=row.calls,
            )  # fmt: skip


@look("memory")
def held(view: View) -> Iterable[Judged]:
    """Pages of its own that a process holds, whether in memory or in swap."""
    said = Said(view, "memory", "process")
    by_pid: dict[int, list[ProcessMemory]] = {}
    for fact in view.case.software:
        if isinstance(fact, ProcessMemory):
            by_pid.setdefault(fact.pid, []).append(fact)
    for pid, rows in by_pid.items():
        last = rows[-1]
        swapped = last.swapped or 0.0
        sums = [_held(row) for row in rows]
        grown = len(rows) >= LEAST_READINGS and all(a <= b for a, b in pairwise(sums))
        if pid and grown and sums[-1] >= GROWN * sums[0] and sums[-1] - sums[0] >= GROWN_BYTES:
            key, cause = "grows", "memory-leak"
        elif swapped >= HIDDEN * sums[-1] and swapped >= GROWN_BYTES:
            key, cause = "swapped", "swap-thrash"
        else:
            key, cause = "seen", ""
        yield said.finding(
            "warn" if cause else "healthy",
            f"finding.held.{key}",
            str(pid) if pid else "-",
            rows[0].line if key == "grows" else "",
            last.line,
            cause=cause,
            sure=0.6,
            next="RssAnon + VmSwap again in an hour; vmstat 1 5: does it swap now" if cause else "",
            name=last.name or "a process",
            pid=pid,
            held=sized(sums[-1]),
            before=sized(sums[0]),
            swapped=sized(swapped),
            count=len(rows),
        )


def _held(row: ProcessMemory) -> float:
    own = row.anonymous if row.anonymous is not None else row.resident or 0.0
    return own + (row.swapped or 0.0)


@look("process")
def maps(view: View) -> Iterable[Judged]:
    """/proc/PID/maps."""
    said = Said(view, "process", "process")
    for fact in view.case.software:
        if not isinstance(fact, MapsDigest):
            continue
        if fact.maps >= NEAR_MAPS:
            yield said.finding(
                "critical", "finding.maps.many", "-", fact.line, sure=0.8,
                next="sysctl vm.max_map_count; what maps so much", count=fact.maps,
            )  # fmt: skip
        elif fact.deleted:
            yield said.finding(
                "warn", "finding.maps.deleted", "-", fact.line, cause="version-skew", sure=0.7,
                next="restart it, one member at a time", count=len(fact.deleted),
                path=fact.deleted[0],
            )  # fmt: skip
        else:
            more: dict[str, str | int | float] = {}
            if fact.libraries:
                more["libraries"] = ", ".join(fact.libraries)
            if fact.largest:
                more |= {"path": fact.largest, "size": sized(fact.largest_bytes)}
            yield said.finding(
                "healthy", "finding.maps.seen", "-", fact.line, sure=0.5, count=fact.maps, more=more
            )
