"""Members behind a proxy, held against each other: who fails, who gets nothing, who is not there.

Read from the proxy's log (shares of `$upstream_addr`), its error log, its configuration and the
sockets: ejections are invisible at nginx's default log level, shares are not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact import Upstream, UpstreamMember
from weaklink.model.requests import Requests
from weaklink.model.target import target_key
from weaklink.stats.quantiles import quantile_of
from weaklink.stats.robust import ramp
from weaklink.words import sign

FAILS = sign(
    "member.fails",
    "access-logs",
    "Requests that the proxy gave to this member fail or take several times what is normal.",
    "{percent} % of the requests given to {address} fail or are slow, its peers: {peers} %",
    hurts=True,
)
TIMES_OUT = sign(
    "member.times-out",
    "access-logs",
    "Requests to this member end at the proxy's own timeout, not with an answer.",
    "{count} requests to {address} ended at the proxy's timeout of {timeout:seconds}",
    hurts=True,
)
NOT_LISTENING = sign(
    "member.not-listening",
    "kernel-counters",
    "The proxy is configured to use this address, it is on this machine, and nobody listens there.",
    "nobody listens at {address}, which {proxy} passes requests to",
    hurts=True,
)
ANSWERED_502 = sign(
    "member.answered-502",
    "access-logs",
    "The proxy got no connection to this member: 502 within milliseconds, or its own 503.",
    "{count} requests to {address} got no connection, so {status} from the proxy",
    hurts=True,
)
GETS_NOTHING = sign(
    "member.gets-nothing",
    "access-logs",
    "The member is configured and listens, but the proxy gives it no requests any more.",
    "{address} listens, but got {now} of the last {total} requests; its fair share is {fair}",
    hurts=True,
)
NO_CONNECTIONS = sign(
    "member.no-connections",
    "kernel-counters",
    "The proxy holds no connection to a member that listens, while it talks to its peers.",
    "no connection from {proxy} to {address}, while its peers have {peers}",
)
TAKES_ALL = sign(
    "member.takes-all",
    "access-logs",
    "One member takes far more than its fair share of the requests.",
    "{address} takes {percent} % of the requests, its fair share is {fair} %",
)
SLOWER = sign(
    "link.slower-than-before",
    "access-logs",
    "The proxy waits for this link several times as long as before.",
    "{proxy} waits {now:seconds} for it (P95), before {before:seconds}",
    hurts=True,
)
BAD = (0.1, 0.5)
LEAST_ROWS = 5
SLOW_FACTOR = 3.0
SLOW_FLOOR = 0.1
EXPECTED = (5.0, 12.0)
"""Requests that chance would have given a member that got none: e^-5 is under 1 in 100."""
RECENT = 20.0
"""Seconds: an ejection that has ended shows in the newest requests."""
QUICK = 0.1
"""Seconds: a refused connection is known at once, a timeout is not."""
AT_TIMEOUT = 0.02
"""Relative distance from the proxy's read timeout that still is the timeout itself."""


class Given(NamedTuple):
    """One request as the proxy gave it to a member (the last one tried)."""

    at: float
    waited: float | None
    status: int

    @property
    def unconnected(self) -> bool:
        """Whether the proxy says that it got no connection: nginx by a 502 within milliseconds,
        HAProxy by a 503 without a time to connect."""
        if self.status == 502:
            return self.waited is None or self.waited < QUICK
        return self.status == 503 and self.waited is None


class Log(NamedTuple):
    """A proxy's log, by member, before and since the onset."""

    proxy: Link
    before: dict[str, list[Given]]
    since: dict[str, list[Given]]
    end: float


@look("members")
def logged(view: View) -> Iterable[Judged]:
    """What the logs of every proxy say about those behind it."""
    for log in proxy_logs(view):
        limit = slow_over(log)
        for address, rows in sorted(log.since.items()):
            if len(rows) < LEAST_ROWS:
                continue
            link, target = who(view, log.proxy, address)
            bad = bad_share(rows, limit)
            others = [row for name, rest in log.since.items() if name != address for row in rest]
            peers = bad_share(others, limit) if len(others) >= LEAST_ROWS else None
            contrast = 1.0 if peers is None else ramp(bad - peers, 0.0, 0.3)
            yield evidence(
                FAILS,
                target,
                ramp(bad, *BAD) * max(0.3, contrast),
                link=link,
                value=round(bad, 3),
                baseline=None if peers is None else round(peers, 3),
                command=f"grep -F {address} ACCESS_LOG | tail",
                percent=round(100 * bad),
                address=address,
                peers="-" if peers is None else round(100 * peers),
            )
            yield from _timeouts(view, log, address, rows, link, target)
            yield from _slower(log, address, rows, link, target)
            quick = [row for row in rows if row.unconnected]
            yield evidence(
                ANSWERED_502,
                target,
                ramp(len(quick) / len(rows), 0.05, 0.4),
                link=link,
                value=float(len(quick)),
                command=f"grep -F {address} ACCESS_LOG | grep -cE ' 50[23] '",
                count=len(quick),
                status=quick[0].status if quick else 502,
                address=address,
            )


def proxy_logs(view: View) -> Iterator[Log]:
    onset = view.onset
    if onset is None:
        return
    for link in view.chain.links:
        if link.role != "proxy":
            continue
        before: dict[str, list[Given]] = defaultdict(list)
        since: dict[str, list[Given]] = defaultdict(list)
        for rows in view.logs_of(link):
            _split(rows, onset, before, since)
        if since:
            yield Log(link, dict(before), dict(since), view.case.window[1])


def _split(
    rows: Requests, onset: float, before: dict[str, list[Given]], since: dict[str, list[Given]]
) -> None:
    for i in range(len(rows)):
        address = rows.upstream[i]
        if not address:
            continue
        start = rows.start[i]
        at = rows.end[i] if start is None else start
        given = Given(at, rows.upstream_duration[i], rows.upstream_status[i] or rows.status[i])
        (since if at >= onset else before)[address].append(given)


def slow_over(log: Log) -> float | None:
    past = [g.waited for rows in log.before.values() for g in rows if g.waited is not None]
    p95 = quantile_of(past, 0.95) if len(past) >= LEAST_ROWS else None
    return None if p95 is None else max(SLOW_FACTOR * p95, p95 + SLOW_FLOOR)


def bad_share(rows: list[Given], over: float | None) -> float:
    def bad(row: Given) -> bool:
        slow = over is not None and row.waited is not None and row.waited > over
        return row.status >= 500 or row.status == 499 or slow

    return sum(1 for row in rows if bad(row)) / len(rows) if rows else 0.0


def who(view: View, proxy: Link, address: str) -> tuple[str, str]:
    """Key of the link at an address (a hop to nowhere if unknown), and the target to name."""
    link = view.book.serving(address, proxy.netns)
    if link is not None:
        return link.key, link.processes[0] if link.processes else link.key
    key = target_key("link", address, host="elsewhere")
    return key, target_key("listener", address, host=view.case.host.name, netns=proxy.netns)


def _timeouts(
    view: View, log: Log, address: str, rows: list[Given], link: str, target: str
) -> Iterable[Judged]:
    limits = {
        server.read_timeout
        for server in view.case.servers
        if server.owner in log.proxy.processes and server.read_timeout > 0
    }
    for limit in sorted(limits):
        hit = [
            row
            for row in rows
            if row.waited is not None and abs(row.waited - limit) <= AT_TIMEOUT * limit
        ]
        if hit or len(limits) == 1:
            yield evidence(
                TIMES_OUT,
                target,
                ramp(len(hit), 0.5, 4),
                link=link,
                value=float(len(hit)),
                command=f"grep -F {address} ACCESS_LOG | grep ' 504 '",
                count=len(hit),
                address=address,
                timeout=limit,
            )
            return


def _slower(log: Log, address: str, rows: list[Given], link: str, target: str) -> Iterable[Judged]:
    past = [g.waited for g in log.before.get(address, []) if g.waited is not None]
    now = [g.waited for g in rows if g.waited is not None]
    if len(past) < LEAST_ROWS or len(now) < LEAST_ROWS:
        return
    before, after = quantile_of(past, 0.95) or 0.0, quantile_of(now, 0.95) or 0.0
    enough = after - before >= SLOW_FLOOR
    yield evidence(
        SLOWER,
        target,
        ramp(after / max(before, 1e-3), 2.0, 6.0) if enough else 0.0,
        link=link,
        value=round(after, 3),
        baseline=round(before, 3),
        command=f"grep -F {address} ACCESS_LOG | tail",
        proxy=log.proxy.name,
        now=round(after, 2),
        before=round(before, 3),
    )


@look("members")
def shares(view: View) -> Iterable[Judged]:
    """Which configured members get no requests, and who takes them all."""
    logs = {log.proxy.key: log for log in proxy_logs(view)}
    for proxy, _, members in upstreams(view):
        log = logs.get(proxy.key)
        if log is None:
            continue
        # Requests that have ended recently; a member that hangs shows in other signs.
        recent = {
            address: [
                given
                for given in [*log.before.get(address, []), *rows]
                if given.at >= log.end - RECENT
            ]
            for address, rows in log.since.items()
        }
        names = [member.address for member in members]
        total = sum(len(recent.get(address, [])) for address in names)
        weights = sum(member.weight for member in members)
        if total == 0 or len(members) < 2:
            continue
        for member in members:
            fair = total * member.weight / weights
            got = len(recent.get(member.address, []))
            link, target = who(view, proxy, member.address)
            found = view.chain.link(link)
            listens = found is not None and found.role != "external"
            idle = ramp(fair, *EXPECTED) if got == 0 and listens else 0.0
            yield evidence(
                GETS_NOTHING,
                target,
                idle,
                link=link,
                value=float(got),
                baseline=round(fair, 1),
                command=f"grep -cF {member.address} ACCESS_LOG",
                address=member.address,
                now=got,
                total=total,
                fair=round(fair),
            )
            share = got / total
            even = member.weight / weights
            yield evidence(
                TAKES_ALL,
                target,
                ramp(share / even, 1.5, 1.9 if len(members) == 2 else 2.4),
                link=link,
                value=round(share, 3),
                baseline=round(even, 3),
                command="awk '{print $upstream_addr}' ACCESS_LOG | sort | uniq -c",
                address=member.address,
                percent=round(100 * share),
                fair=round(100 * even),
            )


def upstreams(view: View) -> Iterator[tuple[Link, Upstream, list[UpstreamMember]]]:
    """Each proxy of the chain with a group of members that it may ask."""
    owners = {key: link for link in view.chain.links for key in link.processes}
    for upstream in view.case.upstreams:
        proxy = owners.get(upstream.owner)
        if proxy is not None:
            active = [m for m in upstream.members if not m.down and not m.backup]
            yield proxy, upstream, active


@look("members")
def presence(view: View) -> Iterable[Judged]:
    """Which configured members nobody serves, which refuse, which get no connection."""
    book = view.book
    for proxy, _, members in upstreams(view):
        talks = {
            connection.remote
            for connection in view.connections(proxy)
            if connection.state == "established"
        }
        for member in members:
            serving = book.serving(member.address, proxy.netns)
            link, target = who(view, proxy, member.address)
            here = book.is_here(member.address)
            if serving is not None or here:
                yield evidence(
                    NOT_LISTENING,
                    target,
                    0.0 if serving else 1.0,
                    link=link,
                    command=f"ss -ltnp | grep {member.address}",
                    address=member.address,
                    proxy=proxy.name,
                )
            peers = len([m for m in members if m.address in talks and m.address != member.address])
            if serving is not None and len(members) > 1 and view.ticks:
                silent = member.address not in talks and peers > 0
                yield evidence(
                    NO_CONNECTIONS,
                    target,
                    1.0 if silent else 0.0,
                    link=link,
                    value=float(peers),
                    command=f"ss -tnp dst {member.address}",
                    address=member.address,
                    proxy=proxy.name,
                    peers=peers,
                )
