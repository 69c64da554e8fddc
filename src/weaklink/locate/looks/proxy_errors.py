"""What a proxy's error log says about its members: refused, broken off, none left to ask."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.members import upstreams, who
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.stats.robust import ramp
from weaklink.words import sign

REFUSED = sign(
    "member.refused",
    "other-logs",
    "The proxy's error log says that this member refuses connections.",
    "error log: connection to {address} refused, {count} times",
    hurts=True,
)
BREAKS_OFF = sign(
    "member.breaks-off",
    "other-logs",
    "The proxy's error log says that this member closed connections before it had answered.",
    "error log: {address} closed the connection before it answered, {count} times",
    hurts=True,
)
NONE_LEFT = sign(
    "member.none-left",
    "other-logs",
    "The proxy's error log says that it has no member left that it would ask.",
    "error log: {name} has no member left to ask, {count} times",
    hurts=True,
)


@look("members")
def proxy_errors(view: View) -> Iterable[Judged]:
    """For each configured member of each proxy whose error log was read."""
    for proxy, _, members in upstreams(view):
        for member in members:
            link, target = who(view, proxy, member.address)
            yield from _refused(view, proxy, member.address, link, target)
            yield from _breaks_off(view, proxy, member.address, link, target)
        yield from _none_left(view, proxy)


def said(view: View, code: str, upstream: str = "") -> int:
    """How often a proxy's error log said this since just before users hurt."""
    since = (view.onset or view.case.window[0]) - 5.0
    return sum(
        int(event.details.get("count", 1))
        for event in view.case.events
        if event.kind == "log"
        and event.at >= since
        and event.details.get("code") == code
        and (not upstream or event.details.get("upstream") == upstream)
    )


def looked(view: View, proxy: Link) -> bool:
    """Whether this proxy's error log is known."""
    return any(log.kind == "error" and log.owner in proxy.processes for log in view.case.logs)


def _refused(view: View, proxy: Link, address: str, link: str, target: str) -> Iterable[Judged]:
    refused = said(view, "connect-refused", address)
    if looked(view, proxy) or refused:
        yield evidence(
            REFUSED,
            target,
            ramp(refused, 0.0, 3.0),
            link=link,
            value=float(refused),
            command=f"grep -F {address} ERROR_LOG | tail",
            address=address,
            count=refused,
        )


def _breaks_off(view: View, proxy: Link, address: str, link: str, target: str) -> Iterable[Judged]:
    count = said(view, "closed-early", address)
    if looked(view, proxy) or count:
        yield evidence(
            BREAKS_OFF,
            target,
            ramp(count, 0.0, 2.0),
            link=link,
            value=float(count),
            command=f"grep -F {address} ERROR_LOG | grep premature | tail",
            address=address,
            count=count,
        )


def _none_left(view: View, proxy: Link) -> Iterable[Judged]:
    count = said(view, "no-live-upstreams")
    if looked(view, proxy) or count:
        yield evidence(
            NONE_LEFT,
            proxy.processes[0] if proxy.processes else proxy.key,
            ramp(count, 0.0, 3.0),
            link=proxy.key,
            value=float(count),
            command="grep -c 'no live upstreams' ERROR_LOG",
            name=proxy.name,
            count=count,
        )
