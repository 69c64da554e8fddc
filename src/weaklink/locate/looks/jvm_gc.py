"""A JVM's garbage collection: how much of the time it stands still, and why it collects all.

Full collections that System.gc() asked for are no sign of a small heap. What counts as heap
pressure is a heap that stays full after a full collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, lasting, percent, sized
from weaklink.locate.view import View
from weaklink.model.fact_text_jvm import FullCollection, GcDigest
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.gc.oom": "the JVM ran out of memory (OutOfMemoryError)",
        "finding.gc.thrash": "Full GC {count} times[, {share} of the time][, {trouble} {times} "
        "times]: the old generation is full, and CPU time goes to collecting",
        "finding.gc.long": "{what} stopped the JVM for {seconds}[ ({before} -> {after} of "
        "{capacity})]: {why}",
        "finding.gc.asked": "all {count} Full GCs were asked for by {cause} calls, not by lack of "
        "memory; the longest took {seconds}",
        "finding.gc.tight": "{trouble} {times} times: the heap is tight for what is allocated"
        "[; longest pause {seconds}]",
        "finding.gc.much": "it stands still for {share} of the time in {count} pauses",
        "finding.gc.some-full": "{count} Full GCs ({causes}), longest {seconds}",
        "finding.gc.fine": "{count} pauses, longest {seconds}[, {share} of the time]",
    }
)
LONG, VERY_LONG = 1.0, 5.0
"""Seconds of one pause: all requests of the JVM wait for it; health checks give up at 1 to 5 s."""
MUCH, TOO_MUCH = 0.05, 0.20
"""Share of the time in pauses: the JVM's own throughput goal of Parallel GC is 1 %; its overhead
limit gives up at 98 %."""
STILL_FULL = 0.85
"""Of the capacity after a full collection: nothing is left to free."""
MANY = 5
LEAST_SPAN = 3.0
"""Seconds of log below which a share of the time says little."""
SERIOUS = ("concurrent mode failure", "promotion failed", "Allocation Stall",
           "GC overhead limit exceeded")  # fmt: skip
ASKED = ("System.gc()", "Heap Inspection Initiated GC", "Heap Dump Initiated GC",
         "Diagnostic Command", "System")  # fmt: skip


@look("jvm")
def jvm_gc(view: View) -> Iterable[Judged]:
    """Each GC log."""
    said = Said(view, "jvm", "process")
    for fact in view.case.software:
        if isinstance(fact, GcDigest):
            yield from _judge(said, fact)


def _judge(said: Said, fact: GcDigest) -> Iterator[Finding]:
    if fact.out_of_memory:
        yield said.finding(
            "critical", "finding.gc.oom", "jvm", fact.out_of_memory, cause="gc-storm", sure=0.9,
            next="which memory the line names; -XX:+HeapDumpOnOutOfMemoryError",
        )  # fmt: skip
    if not fact.pauses and not fact.trouble:
        return
    found = [*_thrash(said, fact), *_long(said, fact)]
    if not found:
        found = [_tight(said, fact) or _asked(said, fact) or _rest(said, fact)]
    yield from found


def _span(fact: GcDigest) -> float:
    if fact.first_at is None or fact.last_at is None:
        return 0.0
    return fact.last_at - fact.first_at


def _share(fact: GcDigest, seconds: float) -> float | None:
    span = _span(fact)
    return seconds / span if span >= LEAST_SPAN else None


def _asked_for(fact: GcDigest) -> int:
    return sum(count for cause, count in fact.full_by_cause.items() if cause in ASKED)


def _thrash(said: Said, fact: GcDigest) -> Iterator[Finding]:
    own = fact.full - _asked_for(fact)
    trouble = {name: count for name, count in fact.trouble.items() if name in SERIOUS}
    last = fact.full_last
    still = _after(last) if last else None
    full_share = _share(fact, fact.full_seconds)
    # Often and without result, or often enough to cost time; a single one at start is neither.
    in_vain = own >= MANY and still is not None and still >= STILL_FULL
    costly = own >= MANY and full_share is not None and full_share >= MUCH
    failing = sum(trouble.values()) >= MANY
    if not (in_vain or costly or failing):
        return
    name = max(trouble, key=lambda word: trouble[word], default="")
    line = fact.trouble_lines.get(name, "") or (last.line if last else "")
    more: dict[str, str | int | float] = {}
    if full_share is not None:
        more["share"] = percent(full_share)
    if name:
        more |= {"trouble": name, "times": trouble[name]}
    yield said.finding(
        "critical",
        "finding.gc.thrash",
        "jvm",
        line,
        fact.full_longest.line if fact.full_longest else "",
        cause="gc-storm",
        sure=0.85,
        next="a larger heap, or what fills it: jmap -histo on one member taken out of traffic",
        count=fact.full or sum(trouble.values()),
        more=more,
    )


def _after(one: FullCollection) -> float | None:
    return one.after / one.capacity if one.after is not None and one.capacity else None


def _long(said: Said, fact: GcDigest) -> Iterator[Finding]:
    if fact.longest < LONG:
        return
    full = fact.full_longest
    whole = full is not None and full.seconds >= fact.longest
    asked = whole and full is not None and full.cause in ASKED
    more: dict[str, str | int | float] = {}
    if whole and full and full.before is not None:
        more = {"before": sized(full.before), "after": sized(full.after)}
        more["capacity"] = sized(full.capacity)
    unified = full is not None and "Pause Full" in full.line
    name = (
        f"{'Pause Full' if unified else 'Full GC'} ({full.cause})"
        if whole and full
        else "one pause"
    )
    why = "the heap is too small, or objects are made faster than it collects"
    if asked:
        why = "somebody asked for it; -XX:+ExplicitGCInvokesConcurrent"
    elif not whole:
        why = "look at the line: swapping, too few CPUs, or too many live objects"
    yield said.finding(
        "critical" if fact.longest >= VERY_LONG or (whole and not asked) else "warn",
        "finding.gc.long",
        "jvm",
        fact.longest_line,
        cause="gc-storm",
        sure=0.85,
        next="vmstat 1 5 for swap; the heap's size against what lives after a collection",
        what=name,
        seconds=lasting(fact.longest),
        why=why,
        more=more,
    )


def _tight(said: Said, fact: GcDigest) -> Finding | None:
    names = [name for name in fact.trouble if name not in {"Cancelling concurrent GC"}]
    if not names:
        return None
    name = max(names, key=lambda word: fact.trouble[word])
    return said.finding(
        "warn", "finding.gc.tight", "jvm", fact.trouble_lines[name], cause="gc-storm", sure=0.75,
        next="a larger heap or more reserve (-XX:G1ReservePercent); allocation rate",
        trouble=name, times=fact.trouble[name],
        more={"seconds": lasting(fact.longest)} if fact.longest else {},
    )  # fmt: skip


def _asked(said: Said, fact: GcDigest) -> Finding | None:
    if not fact.full or _asked_for(fact) < fact.full or fact.full_longest is None:
        return None
    return said.finding(
        "warn", "finding.gc.asked", "jvm", fact.full_longest.line, cause="gc-storm", sure=0.8,
        next="who calls it (RMI, a library); -XX:+DisableExplicitGC",
        count=fact.full, more={"cause": fact.full_longest.cause},
        seconds=lasting(fact.full_longest.seconds),
    )  # fmt: skip


def _rest(said: Said, fact: GcDigest) -> Finding:
    share = _share(fact, fact.paused_seconds)
    if share is not None and share >= MUCH:
        return said.finding(
            "critical" if share >= TOO_MUCH else "warn", "finding.gc.much", "jvm",
            fact.longest_line, cause="gc-storm", sure=0.75,
            next="allocation rate; the heap's size", share=percent(share), count=fact.pauses,
        )  # fmt: skip
    if fact.full >= 2 and fact.full_longest is not None:
        causes = ", ".join(f"{name} {count}" for name, count in fact.full_by_cause.items())
        return said.finding(
            "warn", "finding.gc.some-full", "jvm", fact.full_longest.line, cause="gc-storm",
            sure=0.6, next="does what lives after them grow", count=fact.full, causes=causes,
            seconds=lasting(fact.full_longest.seconds),
        )  # fmt: skip
    return said.finding(
        "healthy", "finding.gc.fine", "jvm", fact.longest_line, cause="gc-storm", sure=0.7,
        count=fact.pauses, seconds=lasting(fact.longest),
        more={"share": percent(share, 2)} if share is not None else {},
    )  # fmt: skip
