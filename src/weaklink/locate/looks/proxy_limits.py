"""A proxy that turns requests away by itself: limits that are configured, or its own capacity."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.proxy_errors import looked, said
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.stats.robust import ramp
from weaklink.words import sign

LIMITS = sign(
    "proxy.limits",
    "other-logs",
    "The proxy's error log says that it limits requests or connections.",
    "error log: {name} limited requests or connections {count} times",
    hurts=True,
)
CONNECTIONS_USED_UP = sign(
    "proxy.connections-used-up",
    "other-logs",
    "The proxy's error log says that its worker_connections are not enough.",
    "error log: worker_connections of {name} were not enough, {count} times",
    hurts=True,
)
KEEPS_CONNECTIONS = sign(
    "proxy.keeps-connections",
    "configuration",
    "The proxy keeps idle connections to its members and uses them again.",
    "{name} keeps up to {count} idle connections to {upstream}",
)
HAS_LIMITS = sign(
    "proxy.has-limits",
    "configuration",
    "The proxy's configuration limits requests or connections.",
    "{name} limits: {limits}",
)


@look("members")
def proxy_limits(view: View) -> Iterable[Judged]:
    """For each proxy: what its error log and its configuration say about limits."""
    for proxy in view.on_chain():
        if proxy.role != "proxy":
            continue
        for id_, code in ((LIMITS, "limited"), (CONNECTIONS_USED_UP, "worker-connections")):
            count = said(view, code)
            if looked(view, proxy) or count:
                yield evidence(
                    id_,
                    proxy.processes[0] if proxy.processes else proxy.key,
                    ramp(count, 0.0, 5.0),
                    link=proxy.key,
                    value=float(count),
                    command="grep -cE 'limiting|worker_connections' ERROR_LOG",
                    name=proxy.name,
                    count=count,
                )
        yield from _configured(view, proxy)
        yield from _keeps(view, proxy)


def _configured(view: View, proxy: Link) -> Iterable[Judged]:
    servers = [one for one in view.case.servers if one.owner in proxy.processes]
    if not servers:
        return
    limits = sorted({limit for one in servers for at in one.locations for limit in at.limits})
    yield evidence(
        HAS_LIMITS,
        proxy.processes[0],
        1.0 if limits else 0.0,
        link=proxy.key,
        value=float(len(limits)),
        command="grep -rnE 'limit_(req|conn)|worker_connections' /etc/nginx",
        name=proxy.name,
        limits=", ".join(limits[:3]) or "-",
    )


def _keeps(view: View, proxy: Link) -> Iterable[Judged]:
    groups = [one for one in view.case.upstreams if one.owner in proxy.processes]
    if not groups:
        return
    most = max(groups, key=lambda one: (one.keepalive, one.name))
    yield evidence(
        KEEPS_CONNECTIONS,
        proxy.processes[0],
        1.0 if most.keepalive else 0.0,
        link=proxy.key,
        value=float(most.keepalive),
        command="grep -rn keepalive /etc/nginx",
        name=proxy.name,
        count=most.keepalive,
        upstream=most.name,
    )
