"""Sockets: `ss` (with `-i`, `-s`, `-l`), rows of `netstat -ant`, and counts of them."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_net import NetError, SocketCount, SocketRow
from weaklink.model.take import Take
from weaklink.parse.figures import whole
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 5000
"""Rows that are kept one by one; all are counted by state and remote address."""
_SS = re.compile(
    r"(?:(tcp|udp|u_str|mptcp) {1,8})?(ESTAB|LISTEN|TIME-WAIT|CLOSE-WAIT|SYN-SENT|SYN-RECV|"
    r"FIN-WAIT-1|FIN-WAIT-2|LAST-ACK|CLOSING|UNCONN) {1,12}(\d{1,12}) {1,20}(\d{1,12}) {1,40}"
    r"(\S{1,80}) {1,60}(\S{1,80})(.{0,600})$"
)
_NETSTAT = re.compile(
    r"(tcp6?|udp6?) {1,10}(\d{1,12}) {1,10}(\d{1,12}) (\S{1,64}) {1,40}(\S{1,64}) {1,40}"
    r"(ESTABLISHED|LISTEN|TIME_WAIT|CLOSE_WAIT|SYN_SENT|SYN_RECV|FIN_WAIT1|FIN_WAIT2|LAST_ACK|"
    r"CLOSING|CLOSE)(.{0,200})$"
)
_RETRANS = re.compile(r"\bretrans:(\d{1,10})/(\d{1,12})")
_FIELDS = {
    "bytes_sent": re.compile(r"\bbytes_sent:(\d{1,18})"),
    "segments_out": re.compile(r"\bsegs_out:(\d{1,18})"),
    "congestion_window": re.compile(r"\bcwnd:(\d{1,9})"),
}
_RTT = re.compile(r"\brtt:(\d{1,8}(?:\.\d{1,6})?)/")
_OWNER = re.compile(r"users:\(\(\"([^\"]{1,64})\",pid=(\d{1,10})")
_TOTALS = re.compile(r"TCP:\s{1,8}(\d{1,9}) \((.{1,200})\)")


def _is_row(line: str) -> bool:
    bare = line.strip()[:900]
    return _SS.match(bare) is not None or _NETSTAT.match(bare) is not None


def _is_detail(line: str) -> bool:
    return line.startswith((" ", "\t")) and ("rto:" in line or "cwnd:" in line or "ts sack" in line)


@tool(
    "sockets",
    heads=(
        "State ",
        "Netid ",
        "Proto ",
        "tcp",
        "udp",
        "ESTAB",
        "LISTEN",
        "TIME-WAIT",
        "CLOSE-WAIT",
        "SYN-",
        "FIN-WAIT",
        "LAST-ACK",
        "UNCONN",
        "Active Internet",
    ),
    starts=lambda line: (
        _is_row(line)
        or ("Recv-Q" in line and "Send-Q" in line)
        or line.startswith("Active Internet")
    ),
    goes_on=lambda line: _is_row(line) or _is_detail(line) or "Recv-Q" in line,
    commands=("ss", "netstat"),
)
def sockets(passage: Passage) -> Take | None:
    """Rows worth keeping one by one, and how many there are of each state and remote address."""
    rows: list[SocketRow] = []
    counts: dict[tuple[str, str], tuple[int, str]] = {}
    for raw in passage.lines:
        line = raw.strip()
        if rows and _is_detail(raw):
            rows[-1] = _with_detail(rows[-1], line)
            continue
        row = _row(line)
        if row is None:
            continue
        key = (row.state, row.remote)
        number, first = counts.get(key, (0, line))
        counts[key] = (number + 1, first)
        if len(rows) < MAX_ROWS:
            rows.append(row)
    if not rows:
        return None
    kept = [row for row in rows if row.state not in {"TIME-WAIT"}] or rows[:5]
    tallies = [
        SocketCount(state=state, remote=remote, count=number, line=first)
        for (state, remote), (number, first) in counts.items()
        if number > 1
    ]
    return Take(hardware=[*kept, *sorted(tallies, key=lambda t: -t.count)[:200]])


def _row(line: str) -> SocketRow | None:
    found = _SS.match(line[:900])
    if found:
        protocol, state, unread, unsent, local, remote, rest = found.groups()
        owner = _OWNER.search(rest)
        return SocketRow(
            state=state, local=local, remote=remote, protocol=protocol or "tcp",
            unread=int(unread), unsent=int(unsent),
            owner=f"{owner.group(1)} (pid {owner.group(2)})" if owner else "", line=line,
        )  # fmt: skip
    old = _NETSTAT.match(line[:400])
    if old is None:
        return None
    protocol, unread, unsent, local, remote, state, rest = old.groups()
    names = {"ESTABLISHED": "ESTAB", "FIN_WAIT1": "FIN-WAIT-1", "FIN_WAIT2": "FIN-WAIT-2"}
    program = re.search(r"(\d{1,10})/([\w.:-]{1,40})", rest)
    return SocketRow(
        state=names.get(state, state.replace("_", "-")), local=local, remote=remote,
        protocol=protocol[:3], unread=int(unread), unsent=int(unsent),
        owner=f"{program.group(2)} (pid {program.group(1)})" if program else "", line=line,
    )  # fmt: skip


def _with_detail(row: SocketRow, line: str) -> SocketRow:
    """The TCP_INFO line below a row (`ss -i`)."""
    import msgspec

    retrans, rtt = _RETRANS.search(line[:2000]), _RTT.search(line[:2000])
    more: dict[str, Any] = {
        name: int(found.group(1))
        for name, pattern in _FIELDS.items()
        if (found := pattern.search(line[:2000]))
    }
    return msgspec.structs.replace(
        row,
        retransmits_now=int(retrans.group(1)) if retrans else 0,
        retransmits=int(retrans.group(2)) if retrans else 0,
        rtt=float(rtt.group(1)) / 1000 if rtt else None,
        line2=line[:600],
        **more,
    )


@tool(
    "ss-s",
    heads=("Total:", "TCP:"),
    starts=lambda line: (
        _TOTALS.match(line.strip()) is not None
        or re.match(r"Total: \d{1,9}", line.strip()) is not None
    ),
    goes_on=lambda line: (
        re.match(r"(?:TCP:|Transport|\*|RAW|UDP|TCP|INET|FRAG)\s", line) is not None
    ),
    commands=("ss",),
)
def ss_summary(passage: Passage) -> Take | None:
    """How many sockets there are of each state on the whole machine."""
    for raw in passage.lines:
        line = raw.strip()
        totals = _TOTALS.match(line)
        if totals is None:
            continue
        found: list[Any] = []
        for part in totals.group(2).split(","):
            words = part.replace("/", " ").split()
            count = whole(words[1]) if len(words) >= 2 else None
            if count is not None:
                found.append(SocketCount(state=words[0], count=count, line=line))
        return Take(hardware=found) if found else None
    return None


_PATTERN = re.compile(r"TIME[-_]WAIT|time-wait|CLOSE[-_]WAIT|close-wait|SYN[-_]SENT|syn-sent")
_REMOTE = re.compile(r"(\d{1,3}(?:\.\d{1,3}){3}:\d{1,5}|:\d{2,5})")


@tool(
    "socket-count",
    heads=tuple("123456789"),
    starts=lambda line: line.strip().isdigit() and len(line.strip()) < 9,
    goes_on=lambda line: False,
)
def socket_count(passage: Passage) -> Take | None:
    """The number that `ss … | wc -l` or `netstat … | grep -c` printed, if that was asked."""
    counted = "wc -l" in passage.command or "grep -c" in passage.command
    state = _PATTERN.search(passage.command)
    value = whole(passage.lines[0])
    if not counted or state is None or value is None:
        return None
    remote = _REMOTE.search(passage.command)
    line = f"{passage.command} -> {value}"[:300]
    return Take(
        hardware=[
            SocketCount(
                state=state.group().upper().replace("_", "-"),
                count=value,
                remote=remote.group(1) if remote else "",
                line=line,
            )
        ]
    )


_ERRORS: tuple[tuple[str, str], ...] = (
    ("Cannot assign requested address", "EADDRNOTAVAIL"),
    ("cannot assign requested address", "EADDRNOTAVAIL"),
    ("Network is unreachable", "ENETUNREACH"),
    ("network is unreachable", "ENETUNREACH"),
    ("No route to host", "EHOSTUNREACH"),
    ("no route to host", "EHOSTUNREACH"),
    ("Too many open files", "EMFILE"),
)
_WHERE = re.compile(r"(\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?|\[[0-9a-f:]{2,45}\]:\d{1,5})")


@tool(
    "connect-error",
    needles=(" requested address", " is unreachable", "oute to host", "many open files"),
    starts=lambda line: (
        any(text in line for text, _ in _ERRORS)
        and ("connect" in line.lower() or "dial " in line or "curl: (7)" in line)
    ),
    scattered=True,
)
def connect_error(passage: Passage) -> Take | None:
    """Errors of connecting, by errno and remote address; each kind and place once."""
    found: dict[tuple[str, str], NetError] = {}
    for line in passage.lines[:20_000]:
        kind = next((kind for text, kind in _ERRORS if text in line), "")
        where = _WHERE.search(line[:1000])
        if kind:
            remote = where.group(1) if where else ""
            found.setdefault(
                (kind, remote), NetError(kind=kind, remote=remote, line=line.strip()[:400])
            )
    errors: list[Any] = list(found.values())[:200]
    return Take(hardware=errors) if found else None
