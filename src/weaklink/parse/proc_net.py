"""Reads /proc/PID/net: tables of sockets (what netlink says better), and TCP's own counters."""

from __future__ import annotations

import binascii

from weaklink.model.quantities import socket as q
from weaklink.parse.socket_row import TCP_STATES, TcpSocket, UnixSocket, address, unix_name

UNIX_STREAM, UNIX_SEQPACKET = 1, 5
UNIX_LISTENS = 0x1_0000
"""__SO_ACCEPTCON in the flags column of /proc/net/unix."""
UNIX_COLUMNS = 7

TCP_COUNTERS = {
    ("TcpExt", "ListenOverflows"): q.TCP_LISTEN_OVERFLOWS_TOTAL,
    ("TcpExt", "ListenDrops"): q.TCP_LISTEN_DROPS_TOTAL,
    ("Tcp", "RetransSegs"): q.TCP_RETRANSMITS_TOTAL,
    ("TcpExt", "TCPLossProbes"): q.TCP_LOSS_PROBES_TOTAL,
    ("TcpExt", "TCPSynRetrans"): q.TCP_SYN_RETRANSMITS_TOTAL,
    ("Tcp", "OutSegs"): q.TCP_SEGMENTS_SENT_TOTAL,
    ("Tcp", "PassiveOpens"): q.TCP_ACCEPTED_TOTAL,
    ("Tcp", "ActiveOpens"): q.TCP_OPENED_TOTAL,
    ("Tcp", "AttemptFails"): q.TCP_FAILED_OPENS_TOTAL,
    ("Tcp", "CurrEstab"): q.TCP_ESTABLISHED,
}


def parse_proc_tcp(raw: bytes, *, limit: int) -> tuple[list[TcpSocket], list[TcpSocket]]:
    """`/proc/net/tcp` or `tcp6`: sockets, and those in TIME_WAIT apart; at most `limit` of each."""
    sockets: list[TcpSocket] = []
    waiting: list[TcpSocket] = []
    for line in raw.split(b"\n")[1:]:
        one = _tcp_line(line.split())
        if one is None:
            continue
        into = waiting if one.state == "time-wait" else sockets
        if len(into) < limit:
            into.append(one)
    return sockets, waiting


def _tcp_line(words: list[bytes]) -> TcpSocket | None:
    if len(words) < 10:
        return None
    try:
        unsent, _, unread = words[4].partition(b":")
        state = TCP_STATES.get(int(words[3], 16), "unknown")
        listens = state == "listen"
        return TcpSocket(
            local=_hex_address(words[1]),
            remote=_hex_address(words[2]),
            state=state,
            inode=int(words[9]),
            unread=int(unread, 16),
            unsent=0 if listens else int(unsent, 16),
        )
    except ValueError:
        return None


def _hex_address(word: bytes) -> str:
    """`0100007F:1F90`: each four bytes of the address as a number of this machine's order.

    All machines that we run on are little-endian, so the bytes of each group stand reversed.
    """
    digits, _, port = word.partition(b":")
    if len(digits) not in (8, 32):
        raise ValueError("no address")
    raw = binascii.unhexlify(digits)
    turned = b"".join(raw[n : n + 4][::-1] for n in range(0, len(raw), 4))
    return address(turned, int(port, 16))


def parse_proc_unix(raw: bytes, *, limit: int) -> list[UnixSocket]:
    """`/proc/net/unix`: stream sockets, at most `limit`; their peers and queues it does not tell.

    An abstract name is shown with @ by the kernel itself.
    """
    found: list[UnixSocket] = []
    for line in raw.split(b"\n")[1:]:
        words = line.split(None, UNIX_COLUMNS)
        if len(words) < UNIX_COLUMNS or len(found) >= limit:
            continue
        try:
            kind, flags, inode = int(words[4], 16), int(words[3], 16), int(words[6])
        except ValueError:
            continue
        if kind in (UNIX_STREAM, UNIX_SEQPACKET):
            name = unix_name(words[7]) if len(words) > UNIX_COLUMNS else ""
            found.append(UnixSocket(name, bool(flags & UNIX_LISTENS), inode, 0, 0, 0))
    return found


def parse_net_counters(*files: bytes) -> dict[str, float]:
    """TCP's counters from /proc/net/snmp and netstat: a line of names, then one of values."""
    values: dict[str, float] = {}
    for raw in files:
        lines = raw.split(b"\n")
        for names, numbers in zip(lines[::2], lines[1::2], strict=False):
            group = names.partition(b":")[0]
            if numbers.partition(b":")[0] != group:
                continue
            for name, number in zip(names.split()[1:], numbers.split()[1:], strict=False):
                key = (group.decode("ascii", "replace"), name.decode("ascii", "replace"))
                if key in TCP_COUNTERS and number.isdigit() and len(number) < 20:
                    values[TCP_COUNTERS[key]] = float(number)
    return values


def parse_time_wait(sockstat: bytes) -> float | None:
    """How many TCP sockets are in TIME_WAIT, from /proc/net/sockstat; None where it says not."""
    for line in sockstat.split(b"\n"):
        words = line.split()
        if words[:1] == [b"TCP:"] and b"tw" in words[:-1]:
            number = words[words.index(b"tw") + 1]
            return float(number) if number.isdigit() and len(number) < 20 else None
    return None
