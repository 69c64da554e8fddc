"""The processes of this machine as last seen, described once each: what other looks start from."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from weaklink.model.case import Case
from weaklink.model.fact import Process
from weaklink.model.target import target_key
from weaklink.parse.clean import clean_text
from weaklink.parse.proc_host import parse_boot
from weaklink.parse.proc_process import (
    library_tags,
    parse_cgroup_of,
    parse_cmdline,
    parse_uid,
    program_tags,
)
from weaklink.parse.proc_stat import PF_KTHREAD, PidStat, parse_pid_stat
from weaklink.reach.kernel_file import kernel_read, try_read
from weaklink.reach.memory import memory
from weaklink.reach.namespaces import netns_labels
from weaklink.reach.root import Root

MAX_PROCESSES = 32_768
"""The kernel's default pid_max on small machines; a fork bomb must not take us with it."""
MAX_MAPS_BYTES = 4 << 20
"""A process with CUDA and torch maps some thousand regions, about 0.5 MB of text."""


@dataclass
class Table:
    """Facts by pid. `scanned` is when, epoch seconds; 0 before the first scan."""

    by_pid: dict[int, Process] = field(default_factory=dict)
    stats: dict[int, PidStat] = field(default_factory=dict)
    scanned: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def starts(self) -> dict[int, int]:
        """Start ticks by pid, of user processes."""
        return {
            pid: fact.start_ticks for pid, fact in self.by_pid.items() if not fact.kernel_thread
        }


def table(root: Root) -> Table:
    """What is known of this root's processes; empty before somebody scanned."""
    return memory(root, "process-table", Table)


def scanned_table(root: Root, case: Case) -> Table:
    """The same, scanned now if nobody has; looks that start together scan once."""
    known = table(root)
    with known.lock:
        if not known.scanned:
            known.stats = scan(root)
            known.by_pid = describe(root, case, known.stats.values())
            known.scanned = root.now()
    return known


def scan(root: Root) -> dict[int, PidStat]:
    """Every process's stat line by pid; one that ends meanwhile is left out."""
    found: dict[int, PidStat] = {}
    for name in root.names("/proc"):
        if not name.isdigit() or len(found) >= MAX_PROCESSES:
            continue
        try:
            stat = parse_pid_stat(kernel_read(root, f"/proc/{name}/stat", 4096))
        except OSError:
            continue
        if stat is not None and stat.pid == int(name):
            found[stat.pid] = stat
    return found


def describe(root: Root, case: Case, stats: Iterable[PidStat]) -> dict[int, Process]:
    """Facts of these processes by pid; those that ended or were replaced meanwhile are left out."""
    wanted = list(stats)
    labels = netns_labels(root, [stat.pid for stat in wanted if not stat.flags & PF_KTHREAD])
    boot = parse_boot(try_read(root, "/proc/stat")).at
    found = {}
    for stat in wanted:
        fact = _describe_one(root, case, stat, labels.get(stat.pid, "-"), boot)
        if fact is not None:
            found[stat.pid] = fact
    return found


def _describe_one(root: Root, case: Case, stat: PidStat, netns: str, boot: float) -> Process | None:
    from weaklink.parse.redact import redact_argv

    pid = stat.pid
    kernel = bool(stat.flags & PF_KTHREAD)
    plain = Process(
        key=process_key(case, netns, pid, stat.start_ticks),
        pid=pid,
        start_ticks=stat.start_ticks,
        start=boot + stat.start_ticks / case.host.clock_ticks,
        ppid=stat.ppid,
        session=stat.session,
        name=stat.name,
        state=stat.state,
        nice=stat.nice,
        threads=stat.threads,
        netns=netns,
        kernel_thread=kernel,
        uid=0 if kernel else -1,
    )
    if kernel:
        return plain
    exe = _link(root, f"/proc/{pid}/exe")
    wchan = clean_text(try_read(root, f"/proc/{pid}/wchan", 256)).strip()
    tags = sorted(program_tags(exe or stat.name))
    fields = {
        "command": redact_argv(parse_cmdline(try_read(root, f"/proc/{pid}/cmdline", 32768))),
        "exe": exe.removesuffix(" (deleted)"),
        "uid": parse_uid(try_read(root, f"/proc/{pid}/status")),
        "cgroup": parse_cgroup_of(try_read(root, f"/proc/{pid}/cgroup")),
        "root": _link(root, f"/proc/{pid}/root") or "/",
        "waits_in": "" if wchan == "0" else wchan,
        "libraries": tags,
        "python": "python" in tags,
    }
    # The pid may have passed to another process while these files were read one by one.
    again = parse_pid_stat(try_read(root, f"/proc/{pid}/stat", 4096))
    if again is None or again.start_ticks != stat.start_ticks:
        return None
    return _replaced(plain, **fields)


def with_libraries(root: Root, fact: Process) -> Process:
    """The fact with tags of what the process maps; reading maps takes its mmap lock, so be rare."""
    try:
        maps = root.read(f"/proc/{fact.pid}/maps", MAX_MAPS_BYTES)
    except OSError:
        return fact
    tags = library_tags(maps, fact.exe or fact.name)
    return _replaced(fact, libraries=tags, python="python" in tags)


def process_key(case: Case, netns: str, pid: int, start_ticks: int) -> str:
    """The key of a process, `process:<host>/<netns>/<pid>@<start ticks>`."""
    return target_key("process", f"{pid}@{start_ticks}", host=case.host.name, netns=netns)


def chain_pids(case: Case) -> set[int]:
    """Processes of links that are on the chain, once it is known."""
    return {pid for link in case.chain.links if link.on_chain for pid in link.pids}


def _link(root: Root, path: str) -> str:
    try:
        return clean_text(root.link(path))
    except OSError:
        return ""


def _replaced(fact: Process, **changes: object) -> Process:
    import msgspec

    return msgspec.structs.replace(fact, **changes)
