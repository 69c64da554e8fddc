"""Whether the machine's memory is short: free, meminfo, top and vmstat.

Little `free` is normal, for the rest is cache; `available` counts. Used swap is no harm while
nothing moves to or from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, known, percent, sized
from weaklink.locate.view import View
from weaklink.model.fact_text_host import HostSample
from weaklink.model.fact_text_platform import CgroupFiles, HostMemory
from weaklink.model.finding import Finding, Verdict
from weaklink.words import texts

texts(
    {
        "finding.free.short": "only {available} of the machine's {total} is available ({share})"
        "[; {swap} of swap is used]",
        "finding.free.ok": "{available} of {total} is available ({share})[; {swap} of swap is "
        "used]",
        "finding.free.swap-full": "swap is full ({swap} of {swap_total}) and only {available} "
        "({share}) is available: the next allocation may kill",
        "finding.free.unsaid": "of {total} {free} is free; the text does not show how much more "
        "could be freed (available)",
        "finding.free.thrash": "it swaps all the time: {swapped_in}/s in, {swapped_out}/s out in "
        "the median of {count} reports: memory is too small for what runs",
        "finding.free.swapping": "it swaps now and then: {swapped_in}/s in, {swapped_out}/s out "
        "in the worst of {count} reports",
        "finding.free.no-swapping": "nothing is swapped in or out",
    }
)
SHORT, EMPTY = 0.10, 0.03
"""Share available: under 10 % page cache is squeezed out and disks work, under 3 % kills are near
(the kernel's own watermarks lie at 1-2 %)."""
SWAP_FULL = 0.95
THRASH = 1024.0**2
"""Bytes a second both ways: a megabyte is 250 page faults from disk a second, on the way of
requests; one way only is a one-off eviction or its undoing."""


@look("memory")
def memory_tables(view: View) -> Iterable[Judged]:
    """Available memory, swap, and traffic to and from swap."""
    said = Said(view, "memory", "host")
    samples = [fact for fact in view.case.software if isinstance(fact, HostSample)]
    hosts = [fact for fact in view.case.software if isinstance(fact, HostMemory)]
    limited = any(isinstance(fact, CgroupFiles) and fact.limit for fact in view.case.software)
    table = next((fact for fact in samples if fact.memory_total), None)
    if table is not None:
        yield _available(
            said,
            table.memory_total or 1.0,
            table.memory_free,
            table.memory_available,
            table.swap_total,
            table.swap_used,
            table.memory_line or table.line,
        )
    elif hosts and not limited:
        # Beside a group's limit it is the group that counts; looks/cgroup_files says so.
        yield from _meminfo(said, hosts[0])
    yield from _swapping(said, samples)


def _meminfo(said: Said, host: HostMemory) -> Iterator[Finding]:
    if host.total is None:
        return
    swap = None
    if host.swap_total is not None and host.swap_free is not None:
        swap = host.swap_total - host.swap_free
    line = host.lines.get("available") or host.lines.get("total", "")
    yield _available(
        said, host.total, host.free, host.available, host.swap_total, swap, line
    )  # fmt: skip


def _available(
    said: Said,
    total: float,
    free: float | None,
    available: float | None,
    swap_total: float | None,
    swap_used: float | None,
    line: str,
) -> Finding:
    swap = known(swap=sized(swap_used) if swap_used else "")
    if available is None:
        shown = free if free is not None and free > 0.2 * total else None
        if shown is None:
            return said.finding(
                "unknown", "finding.free.unsaid", "-", line, next="free -m",
                total=sized(total), free=sized(free),
            )  # fmt: skip
        available = shown
    share = available / total
    if swap_total and swap_used and swap_used >= SWAP_FULL * swap_total and share < SHORT:
        return said.finding(
            "critical",
            "finding.free.swap-full",
            "-",
            line,
            cause="swap-thrash",
            next="ps -eo pid,rss,comm --sort=-rss | head; vmstat 1 5",
            swap=sized(swap_used),
            swap_total=sized(swap_total),
            available=sized(available),
            share=percent(share),
        )
    verdict: Verdict = "critical" if share < EMPTY else "warn" if share < SHORT else "healthy"
    return said.finding(
        verdict,
        "finding.free.ok" if verdict == "healthy" else "finding.free.short",
        "-",
        line,
        sure=0.85,
        next="" if verdict == "healthy" else "ps -eo pid,rss,comm --sort=-rss | head",
        available=sized(available),
        total=sized(total),
        share=percent(share),
        more=swap,
    )


def _swapping(said: Said, samples: list[HostSample]) -> Iterator[Finding]:
    rows = [one for one in samples if one.swap_in is not None and not one.since_boot]
    if not rows:
        return

    def traffic(one: HostSample) -> float:
        return (one.swap_in or 0.0) + (one.swap_out or 0.0)

    middle = sorted(rows, key=traffic)[len(rows) // 2]
    worst = max(rows, key=traffic)
    both = (middle.swap_in or 0.0) >= THRASH / 4 and (middle.swap_out or 0.0) >= THRASH / 4
    if traffic(middle) >= THRASH and both:
        verdict: Verdict = "critical"
        key, shown = "thrash", middle
    elif traffic(worst) >= THRASH / 4:
        verdict, key, shown = "warn", "swapping", worst
    else:
        verdict, key, shown = "healthy", "no-swapping", worst
    yield said.finding(
        verdict,
        f"finding.free.{key}",
        "-",
        shown.line,
        cause="swap-thrash",
        sure=0.85,
        next="" if verdict == "healthy" else "pidstat -r 2; grep VmSwap /proc/[0-9]*/status",
        swapped_in=sized(shown.swap_in),
        swapped_out=sized(shown.swap_out),
        count=len(rows),
    )
