"""How much of the time a running JVM stands still to collect, and whether that frees anything."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact_text_jvm import HeapWatch
from weaklink.stats.robust import ramp
from weaklink.words import sign

STANDS_STILL = sign(
    "jvm.stands-still",
    "app-metrics",
    "The JVM stands still for garbage collection for much of the time.",
    "pid {pid} stood still for {percent} % of {seconds} s in {count} collections, {full} of them "
    "full ({reason})",
    hurts=True,
)
HEAP_FULL = sign(
    "jvm.heap-full",
    "app-metrics",
    "The JVM's old generation is full although the whole heap was just collected.",
    "pid {pid}: {used:bytes} of {most:bytes} of the old generation are in use after {full} full "
    "collections",
    hurts=True,
)
COLLECTORS_BUSY = sign(
    "jvm.collectors-busy",
    "kernel-counters",
    "The JVM's own collector threads use much of the CPU that the link uses.",
    "{percent} % of its {cpus} CPUs go to the JVM's collector threads, {thread} above all",
    hurts=True,
)

STILL = (0.10, 0.35)
"""Of the window. Collectors are tuned to stay below 1 to 10 % (-XX:GCTimeRatio: 1 % Parallel, 8 %
G1); at a third every third request meets a pause."""
LONG_PAUSE = (0.5, 2.0)
"""Seconds of a full collection on average: every request under way waits that long."""
FULL = (0.75, 0.92)
"""Of the old generation, after full collections: what is left is what there is to work with."""
LEAST_SECONDS = 2.0
COLLECTING = ("GC Thread", "VM Thread", "G1 ", "ParGC", "Gang worker", "Concurrent Mark", "ZWorker",
              "Shenandoah GC")  # fmt: skip
"""How HotSpot names the threads that collect; the serial collector works in the VM's own."""
COLLECTOR_SHARE = (0.25, 0.6)
LEAST_CPUS = 0.1
"""A JVM that hardly runs may well spend that little on its heap."""


@look("jvm")
def heaps(view: View) -> Iterable[Judged]:
    """The JVM of each link that stands still most."""
    watched = [fact for fact in view.case.software if isinstance(fact, HeapWatch)]
    for link in view.on_chain():
        own = [f for f in watched if f.process in link.processes and f.seconds >= LEAST_SECONDS]
        if not own:
            continue
        worst = max(own, key=lambda fact: (_still(fact), fact.process))
        yield from _judge(link, worst)


def _still(fact: HeapWatch) -> float:
    share = ramp(fact.paused_seconds / fact.seconds, *STILL)
    return max(share, ramp(fact.full_seconds / fact.full, *LONG_PAUSE) if fact.full else 0.0)


def _judge(link: Link, fact: HeapWatch) -> Iterable[Judged]:
    pid = fact.process.rpartition("/")[2].partition("@")[0]
    share = fact.paused_seconds / fact.seconds
    yield evidence(
        STANDS_STILL,
        fact.process,
        _still(fact),
        link=link.key,
        value=round(share, 3),
        command=f"jstat -gcutil {pid} 1000 5",
        pid=int(pid),
        percent=round(100 * share),
        seconds=round(fact.seconds, 1),
        count=fact.collections,
        full=fact.full,
        reason=fact.reason[:60] or "for no reason given",
    )
    if fact.old_max <= 0:
        return
    # Before a full collection an old generation that is full is how it is meant to be.
    used = fact.old_used / fact.old_max
    yield evidence(
        HEAP_FULL,
        fact.process,
        ramp(used, *FULL) if fact.full else 0.0,
        link=link.key,
        value=round(used, 3),
        command=f"jstat -gcutil {pid} 1000 5",
        pid=int(pid),
        used=fact.old_used,
        most=fact.old_max,
        full=fact.full,
    )


@look("jvm")
def collectors(view: View) -> Iterable[Judged]:
    """CPU of the collector threads within all that a link's JVMs use."""
    for link in view.on_chain():
        if not any("java" in one.libraries for one in view.members(link)):
            continue
        used = view.thread_cpu(link)
        total = sum(used.values())
        own = {name: cpus for name, cpus in used.items() if name.startswith(COLLECTING)}
        if not used or not link.processes:
            continue
        share = sum(own.values()) / total if total >= LEAST_CPUS else 0.0
        yield evidence(
            COLLECTORS_BUSY,
            link.processes[0],
            ramp(share, *COLLECTOR_SHARE),
            link=link.key,
            value=round(share, 3),
            command=f"top -H -b -n 1 -p {link.pids[0]}",
            percent=round(100 * share),
            cpus=round(total, 2),
            thread=max(own, key=lambda name: (own[name], name), default="none"),
        )
