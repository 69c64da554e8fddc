"""Memory, swap and TCP of the machine from its counters."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.finding import Finding
from weaklink.model.message import say
from weaklink.words import texts

texts(
    {
        "finding.memory-counters.fine": "memory ({percent} % available)",
        "finding.memory-counters.short": "only {percent} % of the memory is available",
        "finding.swap-counters.thrash": "swapping: {rate} pages a second in and out",
        "finding.tcp-counters.fine": "TCP ({percent} % of segments sent again)",
        "finding.tcp-counters.retransmits": "{percent} % of TCP segments are sent again",
        "finding.tcp-counters.overflow": "accept queues overflowed {count} times while we looked",
    }
)
SHORT = 0.05
"""Available share of memory: under 5 % the kernel drops caches that are in use."""
THRASH = 200.0
"""Pages a second in AND out: one way only is a slow clean-up, both is thrashing."""
RETRANSMITS = 0.02
"""Share of segments: 0.015 % is normal, from 1-2 % on throughput and tails suffer."""
LEAST_SEGMENTS = 2000
"""Fewer segments in the window say nothing: tail-loss probes alone can be a percent of few."""


@look("memory")
def memory(view: View) -> Iterable[Judged]:
    """How much memory is left, and whether the machine swaps back and forth."""
    key = view.host_key
    total = view.last("host_memory_total_bytes", key)
    available = view.last("host_memory_available_bytes", key)
    if total and available is not None:
        share = available / total
        yield Finding(
            verdict="warn" if share < SHORT else "healthy",
            target=key,
            subject="memory",
            message=say(
                "finding.memory-counters.short"
                if share < SHORT
                else "finding.memory-counters.fine",
                percent=round(100 * share),
            ),
            next="ps --sort=-rss -eo pid,rss,cmd | head" if share < SHORT else "",
        )
    paged_in = view.rate("host_swap_in_pages_total", key)
    paged_out = view.rate("host_swap_out_pages_total", key)
    if paged_in is not None and paged_out is not None and min(paged_in, paged_out) >= THRASH:
        yield Finding(
            verdict="warn",
            target=key,
            subject="memory",
            cause="swap-thrash",
            message=say("finding.swap-counters.thrash", rate=round(paged_in + paged_out)),
            next="vmstat 1 5",
        )


@look("network")
def tcp(view: View) -> Iterable[Judged]:
    """Segments sent again and accept queues that overflowed, in every namespace looked at."""
    worst: float | None = None
    for key in view.targets_of("tcp_segments_sent_total"):
        sent = view.grown("tcp_segments_sent_total", key)
        again = view.grown("tcp_retransmits_total", key)
        if sent is None or again is None:
            continue
        share = again / sent if sent >= LEAST_SEGMENTS else 0.0
        worst = max(share, worst or 0.0)
        if share >= RETRANSMITS:
            yield Finding(
                verdict="warn",
                target=key,
                subject="network",
                cause="packet-loss",
                message=say("finding.tcp-counters.retransmits", percent=round(100 * share, 2)),
                next="ss -ti",
            )
    if worst is not None and worst < RETRANSMITS:
        yield Finding(
            verdict="healthy",
            target=view.host_key,
            subject="network",
            message=say("finding.tcp-counters.fine", percent=round(100 * worst, 2)),
        )
    for key in view.targets_of("tcp_listen_overflows_total"):
        grown = view.grown("tcp_listen_overflows_total", key)
        if grown:
            yield Finding(
                verdict="warn",
                target=key,
                subject="network",
                cause="listen-overflow",
                message=say("finding.tcp-counters.overflow", count=round(grown)),
                next="ss -ltn",
            )
