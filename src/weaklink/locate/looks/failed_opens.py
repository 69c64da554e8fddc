"""Connections that a link wanted to make and could not: the kernel counts them by namespace."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.target import target_key
from weaklink.stats.robust import log_ramp
from weaklink.words import sign

FAILED = sign(
    "link.connects-fail",
    "kernel-counters",
    "Connections from the link's network namespace are refused or not answered.",
    "{rate} connections a second from where {name} runs were refused or not answered",
)
RATE = (0.3, 4.0)
"""A second: a probe that knocks at a closed port now and then is everyday life."""


@look("hops")
def failed_opens(view: View) -> Iterable[Judged]:
    """For each link whose namespace's counters were read."""
    for link in view.on_chain():
        rate = view.rate("tcp_failed_opens_total", _namespace(view, link))
        if rate is None:
            continue
        yield evidence(
            FAILED,
            link.processes[0] if link.processes else link.key,
            log_ramp(rate, *RATE),
            link=link.key,
            value=round(rate, 2),
            command=f"grep Tcp: /proc/{link.pids[0] if link.pids else 'PID'}/net/snmp",
            name=link.name,
            rate=round(rate, 1),
        )


def _namespace(view: View, link: Link) -> str:
    return target_key("netns", "tcp", host=view.case.host.name, netns=link.netns)
