"""TCP by its counters and sockets: loss on the way, full accept queues, ports used up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.nic import percent
from weaklink.locate.view import View
from weaklink.model.fact_net import NetCounters, NetError, SocketCount, SocketRow
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import Argument, say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.counters.loss": "{share} of the segments sent were retransmitted "
        "({count} of {sent}): "
        "packets are lost on the way",
        "finding.counters.normal": "{count} of {sent} segments sent were retransmitted, "
        "{share}: usual",
        "finding.counters.overflow": "the accept queue of a listener overflowed {count} times: it "
        "does not accept fast enough (blocked workers or a short backlog); counted since boot, so "
        "look twice to date it",
        "finding.counters.memory": "{count} connections were cut off for lack of socket memory",
        "finding.counters.udp": "{share} of the UDP packets were dropped: their reader is too slow",
        "finding.socket.retransmits": "{local} to {remote}: {count} retransmits so far, {unsent} "
        "bytes wait in Send-Q, window {window}: the way there loses packets or the receiver is "
        "slow, the application has done its part",
        "finding.socket.unread": "{local}: {unread} bytes in Recv-Q that {owner} does not read",
        "finding.socket.unsent": "{local} to {remote}: {unsent} bytes in Send-Q: the other end "
        "does not take them",
        "finding.socket.queue": "the listener {local} has {waiting} connections waiting of "
        "{backlog} that fit: it does not accept",
        "finding.socket.ports": "{count} sockets to {remote} are in TIME_WAIT: the ports of this "
        "client are used up{error}: it opens a connection for each request; keep them open (pool)",
        "finding.socket.time-wait": "{count} sockets in TIME_WAIT on the whole machine: many short "
        "connections",
        "finding.socket.close-wait": "{count} sockets in CLOSE_WAIT{remote}: the program here does "
        "not close what its peer has closed",
        "finding.socket.syn": "{count} connection attempts{remote} got no answer yet",
        "finding.socket.calm": "{count} sockets, none with a queue",
        "finding.socket.totals": "{words}: nothing out of the ordinary in the totals",
        "finding.connect.EADDRNOTAVAIL": "connecting{remote}: no local port is free (or the source "
        "address is not this machine's)",
        "finding.connect.ENETUNREACH": "connecting{remote}: Network is unreachable: this machine "
        "has no route there",
        "finding.connect.EHOSTUNREACH": "connecting{remote}: No route to host: no neighbour "
        "answers, or a firewall refuses",
        "finding.connect.EMFILE": "connecting{remote}: Too many open files: the process's limit "
        "of descriptors",
    }
)
LOSS_BAD, LOSS_SOME = 1e-2, 5e-3
"""Shares of segments. Up to 0.5 % is seen on sound paths across the internet; from 1 % on TCP's
throughput falls and tails of latency grow by whole timeouts."""
ENOUGH_SEGMENTS = 1000
OVERFLOWS = 10
"""Since boot: fewer come from one burst at a restart."""
PORTS = 28_232
"""32768 to 60999, the default of net.ipv4.ip_local_port_range."""
PORTS_NEAR = 0.85
RETRANSMITS_MANY, RETRANSMITS_SHARE = 1000, 0.01
QUEUED = 1 << 20
"""Bytes in one queue that a healthy peer would have taken or read long ago."""
CLOSE_WAIT_MANY = 200
SYN_MANY = 20
TIME_WAIT_MANY = 20_000


@look("network")
def tcp_counters(view: View) -> Iterable[Judged]:
    """Loss and overflow from the protocol's counters, each by its share."""
    for fact in view.case.hardware:
        if isinstance(fact, NetCounters):
            yield from _counters(fact, view.case.host.name)


def _finding(
    verdict: Verdict,
    key: str,
    line: str,
    host: str,
    *,
    cause: str = "packet-loss",
    step: str = "",
    sure: float = 0.8,
    target: str = "-",
    **args: Argument,
) -> Finding:
    return Finding(
        verdict=verdict,
        target=target_key("socket" if target != "-" else "host", target, host=host),
        subject="network",
        message=say(f"finding.{key}", **args),
        line=line,
        cause=cause,
        next=step,
        sure=sure,
    )


def _counters(fact: NetCounters, host: str) -> Iterator[Finding]:
    value, line = fact.counters.get, fact.lines.get
    sent, again = value("TcpOutSegs"), value("TcpRetransSegs")
    if sent and again is not None and sent >= ENOUGH_SEGMENTS:
        # A tail-loss probe is counted as a retransmission, and mostly nothing was lost.
        share = max(0, again - value("TcpExtTCPLossProbes", 0)) / sent
        if share >= LOSS_SOME:
            yield _finding(
                "critical" if share >= LOSS_BAD else "warn", "counters.loss",
                line("TcpRetransSegs", ""), host, share=percent(share), count=again, sent=sent,
                step="nstat twice: does it grow? ss -ti: to which peer; ethtool -S on the way",
            )  # fmt: skip
        else:
            yield _finding("healthy", "counters.normal", line("TcpRetransSegs", ""), host,
                           share=percent(share), count=again, sent=sent)  # fmt: skip
    overflow = value("TcpExtListenOverflows", 0) or value("TcpExtListenDrops", 0)
    if overflow and overflow >= OVERFLOWS:
        name = "TcpExtListenOverflows" if value("TcpExtListenOverflows") else "TcpExtListenDrops"
        yield _finding(
            "warn", "counters.overflow", line(name, ""), host,
            cause="listen-overflow", count=overflow,
            step="ss -ltn now: Recv-Q against Send-Q; nstat -az TcpExtListenOverflows twice",
        )  # fmt: skip
    memory = value("TcpExtTCPAbortOnMemory", 0)
    if memory:
        yield _finding("warn", "counters.memory", line("TcpExtTCPAbortOnMemory", ""), host,
                       count=memory, step="sysctl net.ipv4.tcp_mem")  # fmt: skip
    udp, lost = value("UdpInDatagrams"), value("UdpRcvbufErrors")
    if udp and lost and lost / (udp + lost) >= LOSS_BAD:
        yield _finding("warn", "counters.udp", line("UdpRcvbufErrors", ""), host,
                       share=percent(lost / (udp + lost)))  # fmt: skip


@look("network")
def sockets_text(view: View) -> Iterable[Judged]:
    """Sockets as they were listed: queues, retransmits, states that pile up."""
    facts = view.case.hardware
    host = view.case.host.name
    rows = [fact for fact in facts if isinstance(fact, SocketRow)]
    counts = [fact for fact in facts if isinstance(fact, SocketCount)]
    errors = [fact for fact in facts if isinstance(fact, NetError)]
    found = [*_rows(rows, host), *_states(counts, errors, host)]
    yield from found
    if found:
        return
    if rows:
        yield _finding("healthy", "socket.calm", rows[0].line, host, count=len(rows),
                       cause="listen-overflow", sure=0.6)  # fmt: skip
    elif counts:
        words = ", ".join(f"{one.state} {one.count}" for one in counts[:6])
        yield _finding("healthy", "socket.totals", counts[0].line, host, words=words,
                       cause="port-exhaustion", sure=0.6)  # fmt: skip


def _rows(rows: list[SocketRow], host: str) -> Iterator[Finding]:
    for row in rows[:2000]:
        if row.state == "LISTEN":
            if row.unread and row.unsent and row.unread >= row.unsent:
                yield _finding(
                    "critical", "socket.queue", row.line, host, cause="listen-overflow",
                    target=row.local, local=row.local, waiting=row.unread, backlog=row.unsent,
                    step="py-spy dump of its workers; net.core.somaxconn and its backlog",
                )  # fmt: skip
            continue
        if row.state != "ESTAB":
            continue
        again = row.retransmits or 0
        share = again / row.segments_out if row.segments_out else None
        lossy = (
            again >= RETRANSMITS_MANY
            if share is None
            else (again >= 10 and share >= RETRANSMITS_SHARE)
        )
        if lossy:
            yield _finding(
                "warn", "socket.retransmits", f"{row.line}\n{row.line2}", host, target=row.local,
                local=row.local, remote=row.remote, count=again, unsent=row.unsent,
                window=row.congestion_window or "?",
                step=f"ss -ti dst {row.remote} twice; ping and ethtool -S on the way",
            )  # fmt: skip
        elif row.unread >= QUEUED:
            yield _finding(
                "warn", "socket.unread", row.line, host, cause="worker-frozen", target=row.local,
                local=row.local, unread=row.unread, owner=row.owner or "its process",
                step="py-spy dump of the owner",
            )  # fmt: skip
        elif row.unsent >= QUEUED:
            yield _finding(
                "warn", "socket.unsent", row.line, host, target=row.local, local=row.local,
                remote=row.remote, unsent=row.unsent, step=f"ss -ti dst {row.remote}",
            )  # fmt: skip


def _states(counts: list[SocketCount], errors: list[NetError], host: str) -> Iterator[Finding]:
    no_port = next((error for error in errors if error.kind == "EADDRNOTAVAIL"), None)
    said = False
    for one in _largest(counts):
        state = one.state.upper().replace("_", "-").replace("TIMEWAIT", "TIME-WAIT")
        remote = f" to {one.remote}" if one.remote else ""
        full = one.count >= PORTS_NEAR * PORTS or (no_port is not None and one.count >= 1000)
        if state == "TIME-WAIT" and one.remote and full and not said:
            said = True
            where = no_port.remote if no_port and no_port.remote else one.remote
            lines = f"{no_port.line}\n{one.line}" if no_port else one.line
            yield _finding(
                "critical", "socket.ports", lines, host, cause="port-exhaustion", count=one.count,
                remote=where, error=" (Cannot assign requested address)" if no_port else "",
                step="ss -tan state time-wait | wc -l; sysctl net.ipv4.ip_local_port_range",
            )  # fmt: skip
        elif state == "TIME-WAIT" and not one.remote and one.count >= TIME_WAIT_MANY:
            yield _finding("warn", "socket.time-wait", one.line, host, cause="port-exhaustion",
                           count=one.count, step="ss -tan state time-wait: to whom")  # fmt: skip
        elif state == "CLOSE-WAIT" and one.count >= CLOSE_WAIT_MANY:
            yield _finding("warn", "socket.close-wait", one.line, host, cause="worker-frozen",
                           count=one.count, remote=remote,
                           step="ss -tanp state close-wait")  # fmt: skip
        elif state == "SYN-SENT" and one.count >= SYN_MANY:
            yield _finding("warn", "socket.syn", one.line, host, count=one.count, remote=remote,
                           step="ping and traceroute to it")  # fmt: skip
    for error in errors:
        if not (error is no_port and said):
            yield _finding(
                "critical", f"connect.{error.kind}", error.line, host, target=error.remote or "-",
                cause={"EADDRNOTAVAIL": "port-exhaustion", "EMFILE": "fd-exhausted"}.get(
                    error.kind, "no-route"
                ),
                remote=f" to {error.remote}" if error.remote else "",
                step="ip route get that address" if "UNREACH" in error.kind else "ss -s",
            )  # fmt: skip


def _largest(counts: list[SocketCount]) -> list[SocketCount]:
    return sorted(counts, key=lambda one: -one.count)[:50]
