"""What each process used since it started, and which processes came and went."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from weaklink.model.case import Case
from weaklink.model.event import Event, EventKind
from weaklink.model.fact import Process
from weaklink.model.quantities import process as q
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.parse.proc_process import parse_io
from weaklink.parse.proc_stat import PidStat, parse_schedstat
from weaklink.probes.descriptors import owners
from weaklink.probes.process import unusual
from weaklink.probes.process_table import Table, chain_pids, describe, scan, scanned_table
from weaklink.reach.host import Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.memory import memory
from weaklink.reach.registry import probe
from weaklink.reach.root import Root

MAX_NEW = 300
"""New processes described at one tick, about 0.1 ms each: a fork storm is counted, not followed."""
MAX_TASKS = 512
YOUNG_TICKS = 2
"""Ticks after its first sight at which a process is described once more: it may have been seen
between fork and exec, with its parent's command and namespace."""
MAX_TEXT = 160


@dataclass
class Past:
    """CPU ticks by pid at the last tick, and how often young processes were described."""

    cpu: dict[int, int] = field(default_factory=dict)
    young: dict[int, int] = field(default_factory=dict)
    at: float = 0.0


@probe(
    "process-counters",
    subject="process",
    phase="tick",
    about="CPU time, waiting for a CPU, memory and disk of every process; starts and exits",
)
def look_at_counters(reach: Reach, case: Case) -> Take:
    """Readings `process_*`, Events of starts and exits, facts that changed since the last tick."""
    root = reach.root
    known = scanned_table(root, case)
    past = memory(root, "process-counters", Past)
    at = reach.now()
    stats = scan(root)
    with known.lock:
        facts, events = _update(root, case, known, past, stats, at)
        described = known.by_pid
    chain = chain_pids(case)
    close = chain | set(owners(root).holders())
    readings: list[Reading] = []
    for pid, stat in stats.items():
        fact = described.get(pid)
        if fact is None:
            continue
        moved = past.cpu.get(pid) != stat.cpu_ticks
        readings += _from_stat(case, fact, stat, at)
        if not fact.kernel_thread and (moved or stat.state == "R" or pid in close):
            readings += _more(root, fact, at, all_threads=pid in chain, io=moved or pid in chain)
    past.cpu = {pid: stat.cpu_ticks for pid, stat in stats.items()}
    past.at = at
    return Take(readings=readings, processes=facts, events=events)


def _update(
    root: Root, case: Case, known: Table, past: Past, stats: dict[int, PidStat], at: float
) -> tuple[list[Process], list[Event]]:
    """Bring the table up to date; the facts that are new or changed, and what happened."""
    before = known.by_pid
    gone = [
        fact
        for pid, fact in before.items()
        if pid not in stats or stats[pid].start_ticks != fact.start_ticks
    ]
    new = [
        stat
        for pid, stat in stats.items()
        if pid not in before or before[pid].start_ticks != stat.start_ticks
    ]
    execed = [
        stat
        for pid, stat in stats.items()
        if pid in before
        and before[pid].start_ticks == stat.start_ticks
        and (past.young.get(pid, 0) > 0 or before[pid].name != stat.name)
        and not before[pid].kernel_thread
    ]
    fresh = describe(root, case, new[:MAX_NEW])
    again = describe(root, case, execed[:MAX_NEW])
    after = {pid: fact for pid, fact in before.items() if pid in stats}
    for fact in gone:
        after.pop(fact.pid, None)
    changed = list(fresh.values())
    for pid, fact in again.items():
        kept = before[pid]
        merged = msgspec.structs.replace(
            fact, libraries=sorted({*fact.libraries, *kept.libraries}), python=fact.python
        )
        if merged != kept:
            changed.append(merged)
        after[pid] = merged
    after |= fresh
    told = {fact.pid for fact in changed}
    for pid, fact in list(after.items()):
        now = msgspec.structs.replace(fact, state=stats[pid].state)
        if pid in told or now.state == fact.state:
            continue
        if unusual(now) or unusual(fact):
            after[pid] = now
            changed.append(now)
    past.young = {
        pid: left - 1 for pid, left in past.young.items() if left > 1 and pid in after
    } | dict.fromkeys(fresh, YOUNG_TICKS)
    known.by_pid, known.stats, known.scanned = after, stats, at
    step = at - past.at if past.at else 1.0
    events = [_event(fact, "process-start", fact.start, 0.01) for fact in fresh.values()]
    events += [_event(fact, "process-exit", at - step / 2, step / 2) for fact in gone]
    return changed, events


def _event(fact: Process, kind: EventKind, at: float, plus_minus: float) -> Event:
    text = f"{fact.name} ({' '.join(fact.command)[:MAX_TEXT]})" if fact.command else fact.name
    return Event(
        at=at, kind=kind, target=fact.key, text=text, source="/proc", plus_minus=plus_minus
    )


def _from_stat(case: Case, fact: Process, stat: PidStat, at: float) -> list[Reading]:
    ticks = case.host.clock_ticks
    values = [(q.PROCESS_CPU_SECONDS_TOTAL, stat.cpu_ticks / ticks)]
    if not fact.kernel_thread:
        values += [
            (q.PROCESS_RESIDENT_BYTES, float(stat.resident * case.host.page_bytes)),
            (q.PROCESS_THREADS, float(stat.threads)),
            (q.PROCESS_MAJOR_FAULTS_TOTAL, float(stat.major_faults)),
            (q.PROCESS_IO_DELAY_SECONDS_TOTAL, stat.io_delay_ticks / ticks),
        ]
    return [Reading(quantity=name, target=fact.key, at=at, value=value) for name, value in values]


def _more(root: Root, fact: Process, at: float, *, all_threads: bool, io: bool) -> list[Reading]:
    """What costs another file: waiting for a CPU, of all threads on the chain, and disk bytes."""
    found = []
    delay = run_delay(root, fact.pid, all_threads=all_threads and fact.threads != 1)
    if delay is not None and (all_threads or fact.threads == 1):
        found.append((q.PROCESS_RUN_DELAY_SECONDS_TOTAL, delay))
    moved = parse_io(try_read(root, f"/proc/{fact.pid}/io", 4096)) if io else None
    if moved is not None:
        found.append((q.PROCESS_READ_BYTES_TOTAL, moved[0]))
        found.append((q.PROCESS_WRITTEN_BYTES_TOTAL, moved[1]))
    return [Reading(quantity=name, target=fact.key, at=at, value=value) for name, value in found]


def run_delay(root: Root, pid: int, *, all_threads: bool) -> float | None:
    """Seconds that a process's threads were runnable but had no CPU; None where not readable.

    `/proc/PID/schedstat` counts the main thread only, so a pool's waiting is in the others'. A
    thread that ends takes its share with it, so the sum may shrink: the caller sees a reset.
    """
    if not all_threads:
        alone = parse_schedstat(try_read(root, f"/proc/{pid}/schedstat", 256))
        return alone[1] if alone else None
    total = None
    try:
        tasks = root.names(f"/proc/{pid}/task", MAX_TASKS)
    except OSError:
        return None
    for task in tasks:
        part = parse_schedstat(try_read(root, f"/proc/{pid}/task/{task}/schedstat", 256))
        if part is not None:
            total = (total or 0.0) + part[1]
    return total
