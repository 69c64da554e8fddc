"""Where the CPU goes, by library: decoding, the model, the interpreter, for any language.

A Python stack ends where C begins. The kernel's samples of instruction pointers tell the library
beyond that, and pause nobody.
"""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict

from weaklink.model.case import Case
from weaklink.model.fact import CpuSamples, Process
from weaklink.model.look import Look, Outcome
from weaklink.model.message import Message, say
from weaklink.model.take import Take
from weaklink.parse.maps import read_code
from weaklink.parse.proc_stat import parse_pid_stat
from weaklink.probes.process_table import scanned_table, table
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.perf_events import REMEDY, Sampling, sample_cpus
from weaklink.reach.registry import probe
from weaklink.words import texts

texts(
    {
        "cpu-profile.none": "no process of a chain runs here",
        "cpu-profile.own-only": "CPU samples of other users' processes, and of the kernel",
        "cpu-profile.lost": "{count} CPU samples found no room: shares are less sure",
    }
)

LEAST_SAMPLES = 3
"""Of one process: fewer say nothing, and reading its maps would take its mmap lock for nothing."""
MOST_PROCESSES = 24
MOST_OUTSIDE = 4
"""Processes that are not of the chain: who else burns the machine, and in what."""
LEAST_OUTSIDE = 0.05
"""Of one CPU: what uses less is nobody's noisy neighbour."""
EARLIER = 0.3
"""Seconds before the window's end at which sampling stops: maps are still to be read."""
MOST_LIBRARIES = 20
LOST_MATTERS = 0.1
UNKNOWN = "?"
"""Code that no mapped file holds, or maps that could not be read."""


@probe(
    "cpu-profile",
    subject="cpu",
    phase="deep",
    about="where the CPU of the chain's processes goes, by mapped library",
    touches="samples instruction pointers 49 times a second per CPU; pauses nobody",
    frozen=False,
)
def cpu_profile(reach: Reach, case: Case) -> Take:
    """One CpuSamples fact a busy process: the chain's, and the few busiest others.

    Raises NotHere without a chain or without perf events, NotAllowed where neither all processes
    nor the chain's own ones may be sampled.
    """
    chain = {pid for link in case.chain.links for pid in link.pids}
    known = {process.pid: process for process in case.processes}
    if not chain & known.keys():
        raise NotHere(say("cpu-profile.none"))
    scanned_table(reach.root, case)
    own = [pid for pid in sorted(chain & known.keys()) if known[pid].uid == os.geteuid()]
    seconds = max(0.3, reach.until - EARLIER - time.monotonic())
    sampled = sample_cpus(seconds, reach.stop, own)
    known = table(reach.root).by_pid | known  # and those that started meanwhile
    return Take(
        cpu_samples=[
            _of_process(reach, known[pid], addresses, sampled)
            for pid, addresses in _chosen(known, chain, sampled)
        ],
        looks=_unseen(reach, sampled),
    )


def _chosen(
    known: dict[int, Process], chain: set[int], sampled: Sampling
) -> list[tuple[int, list[int | None]]]:
    """The chain's processes and the busiest others, with their addresses (None: in the kernel)."""
    rows: dict[int, list[int | None]] = defaultdict(list)
    for sample in sampled.samples:
        rows[sample.pid].append(None if sample.kernel else sample.address)
    busiest = sorted(rows, key=lambda pid: (-len(rows[pid]), pid))
    inside, outside = [], []
    least = max(LEAST_SAMPLES, LEAST_OUTSIDE * sampled.hertz * sampled.seconds)
    for pid in busiest:
        if pid not in known or pid == os.getpid():
            continue
        if pid in chain or known[pid].ppid in chain:
            inside.append(pid)
        elif len(rows[pid]) >= least:
            outside.append(pid)
    some = [pid for pid in inside if len(rows[pid]) >= LEAST_SAMPLES][:MOST_PROCESSES]
    return [(pid, rows[pid]) for pid in some + outside[:MOST_OUTSIDE]]


def _of_process(
    reach: Reach, process: Process, addresses: list[int | None], sampled: Sampling
) -> CpuSamples:
    user = [address for address in addresses if address is not None]
    found = _libraries(reach, process, user) if user else Counter()
    kept = dict(found.most_common(MOST_LIBRARIES))
    if rest := len(user) - sum(kept.values()):
        kept[UNKNOWN] = kept.get(UNKNOWN, 0) + rest
    return CpuSamples(
        process=process.key,
        at=reach.now(),
        hertz=sampled.hertz,
        seconds=round(sampled.seconds, 2),
        samples=len(addresses),
        kernel=len(addresses) - len(user),
        libraries=kept,
    )


def _libraries(reach: Reach, process: Process, user: list[int]) -> Counter[str]:
    """Samples by library, from maps that are read once; unknown where it ended meanwhile."""
    pid = process.pid
    try:
        code = read_code(reach.root.text(f"/proc/{pid}/maps"))
    except OSError:
        return Counter({UNKNOWN: len(user)})
    stat = parse_pid_stat(try_read(reach.root, f"/proc/{pid}/stat", 4096))
    if stat is None or stat.start_ticks != process.start_ticks:
        return Counter({UNKNOWN: len(user)})  # these maps are another process's
    return Counter(code.name_at(address) or UNKNOWN for address in user)


def _unseen(reach: Reach, sampled: Sampling) -> list[Look]:
    looks = []
    if not sampled.everybody:
        looks.append(_look(reach, "denied", say("cpu-profile.own-only"), REMEDY))
    if sampled.lost > LOST_MATTERS * (len(sampled.samples) + sampled.lost):
        looks.append(_look(reach, "failed", say("cpu-profile.lost", count=sampled.lost)))
    return looks


def _look(reach: Reach, outcome: Outcome, reason: Message, remedy: str = "") -> Look:
    return Look(
        name="cpu-profile",
        target="",
        outcome=outcome,
        at=reach.now(),
        reason=reason,
        remedy=remedy,
    )
