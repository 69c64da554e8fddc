"""Running JVMs: their own counters of garbage collection, read from a file and never asked for.

Nothing is attached to and no signal is sent: an attach may wait for the very pause looked for.
"""

from __future__ import annotations

import os
import re

from weaklink.model.case import Case
from weaklink.model.fact import Process
from weaklink.model.fact_text_jvm import HeapWatch
from weaklink.model.message import say
from weaklink.model.take import Take
from weaklink.parse.hsperfdata import HeapCounters, heap_counters, parse_hsperfdata
from weaklink.probes.process_table import chain_pids
from weaklink.reach.host import NotAllowed, NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.owner_files import owner_glob, owner_path
from weaklink.reach.registry import probe
from weaklink.reach.root import read_bounded
from weaklink.words import texts

texts(
    {
        "jvm.none": "no JVM on the chain that keeps counters",
        "jvm.denied": "counters of the chain's JVMs: not allowed",
    }
)

MAX_PROCESSES = 32
MAX_FILE = 256 << 10
"""HotSpot's default is 32 KB (-XX:PerfDataMemorySize)."""
_INNER = re.compile(rb"^NSpid:.*?(\d+)\s*$", re.MULTILINE)


@probe(
    "jvm",
    subject="jvm",
    phase="deep",
    about="garbage collections and the old generation of the chain's JVMs, over the window",
)
def look_at_jvms(reach: Reach, case: Case) -> Take:
    """HeapWatch facts from two readings. Raises NotHere without a JVM, NotAllowed if refused."""
    pids = chain_pids(case)
    found = {one.pid: one for one in case.processes if one.pid in pids and "java" in one.libraries}
    first: dict[int, tuple[float, HeapCounters]] = {}
    refused = False
    for one in list(found.values())[:MAX_PROCESSES]:
        try:
            read = _counters(reach, one)
        except PermissionError:
            refused = True
            continue
        if read is not None:
            first[one.pid] = (reach.now(), read)
    if not first:
        if refused:
            raise NotAllowed(say("jvm.denied"), "sudo weaklink")
        raise NotHere(say("jvm.none"))
    reach.pause_until_window_ends(before=0.2)
    facts = []
    for pid, (then, before) in first.items():
        try:
            after = _counters(reach, found[pid])
        except OSError:
            continue
        at = reach.now()
        if after is not None and at > then and after.collections >= before.collections:
            facts.append(_watch(found[pid], at, at - then, before, after))
    return Take(software=list(facts))


def _watch(
    one: Process, at: float, seconds: float, before: HeapCounters, after: HeapCounters
) -> HeapWatch:
    return HeapWatch(
        process=one.key,
        at=at,
        seconds=seconds,
        paused_seconds=min(seconds, max(0.0, after.paused_seconds - before.paused_seconds)),
        collections=after.collections - before.collections,
        full=max(0, after.full - before.full),
        full_seconds=min(seconds, max(0.0, after.full_seconds - before.full_seconds)),
        old_used=after.old_used,
        old_max=after.old_max,
        reason=after.reason,
    )


def _counters(reach: Reach, one: Process) -> HeapCounters | None:
    """None where it keeps none; raises PermissionError where they are not ours to read."""
    inner = _INNER.search(try_read(reach.root, f"/proc/{one.pid}/status", 16 << 10))
    name = inner[1].decode() if inner else str(one.pid)
    try:
        places = owner_glob(reach, one, f"/tmp/hsperfdata_*/{name}")  # noqa: S108 - HotSpot's own
    except PermissionError:
        raise
    except OSError:
        return None
    refused: PermissionError | None = None
    for place in places:
        try:
            path = owner_path(reach, one, place)
            # /tmp is everybody's: a file of another user's would tell that user's tale.
            if not reach.root.frozen and os.stat(path).st_uid != one.uid:  # noqa: PTH116
                continue
            counted = heap_counters(parse_hsperfdata(read_bounded(path, MAX_FILE)))
        except PermissionError as error:
            refused = error
            continue
        except OSError:
            continue
        if counted is not None:
            return counted
    if refused is not None:
        raise refused
    return None
