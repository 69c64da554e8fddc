"""No descriptor, no space, no inode; a log that floods; a process that dies again and again."""

from __future__ import annotations

from msgspec import structs

from cause_proofs import prove
from cause_proofs.core import all_slow, killed, model_computes, preprocess
from cause_proofs.python_waits import HANDLER, dumped, pool_taken
from weaklink.model.case import Case, grow
from weaklink.model.event import Event
from weaklink.model.fact import Frame, Mount, Process
from weaklink.model.fact_files import OpenFile
from weaklink.testing.fake_chain import END, FRONT, WORKERS, FakeChain, address, process_key

FIRST, SECOND, THIRD = WORKERS
EMIT = Frame(
    function="StreamHandler.emit", file="/usr/lib/python3.11/logging/__init__.py", line=1104,
    origin="stdlib",
)  # fmt: skip


def failing(chain: FakeChain) -> None:
    chain.slow_members(*WORKERS, share=0.4, seconds=0.02, status=500)


def files(chain: FakeChain, pid: int, *, used: float, limit: float) -> None:
    chain.counter("process_open_files", process_key(pid), 0.0, start=used)
    chain.counter("process_open_files_limit", process_key(pid), 0.0, start=limit)


def no_descriptor(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        files(chain, pid, used=1024, limit=1024)


def many_descriptors(chain: FakeChain) -> None:
    """Four in five are in use: busy, not at the end."""
    model_computes(chain)
    for pid in WORKERS:
        files(chain, pid, used=820, limit=1024)


def disk(chain: FakeChain, *, free: float, inodes_free: float = 900_000, writer: int = 0) -> None:
    chain.also["mounts"].append(
        Mount(
            path="/data", device="/dev/vdb", kind="ext4", major_minor="254:16", size=2e10,
            free=free, inodes=1e6, inodes_free=inodes_free,
        )
    )  # fmt: skip
    for pid in (writer,) if writer else WORKERS:
        chain.also["software"].append(
            OpenFile(
                process=process_key(pid), path="/data/jobs/state.db", major_minor="254:16",
                how="write", descriptor=9, at=END,
            )
        )  # fmt: skip


def full(chain: FakeChain) -> None:
    failing(chain)
    disk(chain, free=4096)


def full_where_nobody_writes(chain: FakeChain) -> None:
    """A full disk on this machine that no process of the chain writes to."""
    failing(chain)
    disk(chain, free=4096, writer=900)


def room_left(chain: FakeChain) -> None:
    """98 % used, 400 MB left: a warning for the day, not the cause of errors now."""
    failing(chain)
    disk(chain, free=4e8)


def no_inode(chain: FakeChain) -> None:
    failing(chain)
    disk(chain, free=9e9, inodes_free=0)


def log(chain: FakeChain, *, megabytes: float) -> None:
    for pid in WORKERS:
        chain.also["software"].append(
            OpenFile(
                process=process_key(pid), path="/var/log/app.log", major_minor="254:1",
                how="append", descriptor=1, at=END, grown=megabytes * 5e6, seconds=5.0,
            )
        )  # fmt: skip


def floods(chain: FakeChain) -> None:
    all_slow(chain)
    log(chain, megabytes=12)
    for pid in WORKERS:
        dumped(chain, pid, [(f"t{n}", n == 0, [EMIT, HANDLER]) for n in range(4)])


def writes_lines_as_well(chain: FakeChain) -> None:
    """A chatty log, but its CPU goes elsewhere and no thread waits for a line."""
    preprocess(chain)
    log(chain, megabytes=1.2)


def output_blocked(chain: FakeChain) -> None:
    all_slow(chain)
    for pid in WORKERS:
        dumped(
            chain, pid, [(f"t{n}", False, [EMIT, HANDLER]) for n in range(4)], wchan="pipe_write"
        )


def dies_again(chain: FakeChain) -> None:
    chain.slow_members(SECOND, share=0.6, seconds=0.02, status=502)
    for n, at in enumerate((5.5, 4.0, 2.5, 1.0)):
        pid = 7000 + n
        chain.outsider(pid, "python3", cpus=0.1)
        chain.processes[pid] = alike(chain, pid, SECOND, at)
        chain.event("process-start", at, pid, "python3")
        chain.event("process-exit", at - 0.9, pid, "python3")


def alike(chain: FakeChain, pid: int, of: int, ago: float) -> Process:
    return structs.replace(chain.processes[pid], command=["python3", "/app/worker.py"],
                           exe=chain.processes[of].exe, start=END - ago)  # fmt: skip


def recycled(chain: FakeChain) -> None:
    """Workers are replaced after so many requests, as told; users are slow for another reason."""
    all_slow(chain)
    dies_again(chain)
    chain.slow_members(*WORKERS, share=0.7)


prove("fd-exhausted", no_descriptor, near_miss=many_descriptors)
prove("disk-full", full, near_miss=full_where_nobody_writes)
prove("disk-full", full, near_miss=room_left)
prove("disk-full", full, near_miss=no_inode)
prove("inode-full", no_inode, near_miss=full)
prove("log-flood", floods, near_miss=writes_lines_as_well)
prove("log-flood", output_blocked, near_miss=pool_taken)
prove("worker-crash-loop", dies_again, near_miss=recycled)
prove("worker-crash-loop", dies_again, near_miss=killed)


def breaks_off(chain: FakeChain, *, keepalive: int) -> None:
    chain.slow_members(*WORKERS, share=0.06, seconds=0.001, status=502)
    for at in (28.0, 22.0, 15.0, 9.0, 4.0):
        chain.events.append(
            Event(
                at=END - at, kind="log", target=process_key(FRONT),
                text="upstream prematurely closed connection", source="nginx-error",
                details={"code": "closed-early", "upstream": address(SECOND), "count": 3},
            )
        )  # fmt: skip
    made = chain.case

    def case() -> Case:
        found = made()
        return grow(
            found, upstreams=[structs.replace(one, keepalive=keepalive) for one in found.upstreams]
        )

    chain.case = case  # type: ignore[method-assign]


def races(chain: FakeChain) -> None:
    breaks_off(chain, keepalive=32)


def no_connection_is_kept(chain: FakeChain) -> None:
    """The same lines, but every request has a connection of its own: its code breaks off."""
    breaks_off(chain, keepalive=0)


prove("keepalive-race", races, near_miss=no_connection_is_kept)
prove("keepalive-race", races, near_miss=dies_again)
