"""Whether connections are turned away because a listener's queue is full, and how long that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.target import target_key
from weaklink.stats.robust import ramp
from weaklink.words import sign

OVERFLOWS = sign(
    "net.listen-queue-overflows",
    "kernel-counters",
    "The kernel drops connections because the queue of those to be accepted is full.",
    "{address}: {waiting} of at most {backlog} wait; {dropped} connections dropped in {span} s",
)
SHORT = sign(
    "net.listen-queue-short",
    "configuration",
    "The queue of connections to be accepted is shorter than what one burst brings.",
    "the backlog of {address} is {backlog}",
)
DROPPED_RATE = (0.2, 2.0)
"""Connections a second. Each waits a second for its next try, then two, four …"""
SHORT_BACKLOG = (-128.0, -32.0)
"""Servers ask for 511 (nginx, Redis), 2048 (uvicorn), 100 (asyncio); 5 is socketserver's default,
and from 128 on (somaxconn of old kernels) a full queue tells of slow accepting, not of its size."""


class Queue(NamedTuple):
    """One listener: the most that waited, how many may."""

    address: str
    waiting: float
    backlog: float

    @property
    def full(self) -> bool:
        """The kernel turns away what comes when more than the backlog wait (sk_acceptq_is_full)."""
        return self.waiting >= self.backlog > 0


@look("network")
def listen_queues(view: View) -> Iterable[Judged]:
    """Per link: its fullest queue, held against what its namespace dropped."""
    for link in view.on_chain():
        dropped = _dropped(view, link)
        queues = _queues(view, link)
        if dropped is None or not queues:
            continue
        worst = max(queues, key=lambda one: (one.full, one.waiting / max(1.0, one.backlog)))
        span = view.span("tcp_listen_overflows_total", _tcp(view, link))
        rate = dropped / span if span > 0 else 0.0
        yield evidence(
            OVERFLOWS,
            link.processes[0] if link.processes else link.key,
            ramp(rate, *DROPPED_RATE) if worst.full else 0.0,
            link=link.key,
            value=round(rate, 2),
            command="nstat -az TcpExtListenOverflows; ss -ltn",
            address=worst.address,
            waiting=round(worst.waiting),
            backlog=round(worst.backlog),
            dropped=round(dropped),
            span=round(span),
        )
        yield evidence(
            SHORT,
            link.processes[0] if link.processes else link.key,
            ramp(-worst.backlog, *SHORT_BACKLOG),
            link=link.key,
            value=worst.backlog,
            command="ss -ltn",
            address=worst.address,
            backlog=round(worst.backlog),
        )


def _tcp(view: View, link: Link) -> str:
    return target_key("netns", "tcp", host=view.case.host.name, netns=link.netns)


def _dropped(view: View, link: Link) -> float | None:
    return view.grown("tcp_listen_overflows_total", _tcp(view, link))


def _queues(view: View, link: Link) -> list[Queue]:
    found = []
    for address in link.listen:
        key = target_key("listener", address, host=view.case.host.name, netns=link.netns)
        waiting, backlog = view.peak("listener_queue", key), view.last("listener_backlog", key)
        if waiting is not None and backlog and not address.startswith("unix:"):
            found.append(Queue(address, waiting, backlog))
    return found
