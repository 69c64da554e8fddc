"""Sockets as /proc/net lists them, and TCP's own counters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.proc_net import (
    parse_net_counters,
    parse_proc_tcp,
    parse_proc_unix,
    parse_time_wait,
)
from weaklink.parse.socket_row import address, unix_name

HEAD = b"  sl  local_address rem_address   st tx_queue rx_queue\n"


def row(local: str, remote: str, state: str, queues: str, inode: int) -> bytes:
    return f"  0: {local} {remote} {state} {queues} 00:00000000 00000000 0 0 {inode} 1\n".encode()


def test_a_listener_a_connection_and_a_time_wait() -> None:
    raw = HEAD + b"".join(
        [
            row("00000000:0050", "00000000:0000", "0A", "00000000:00000007", 11),
            row("0100007F:1F90", "0201A8C0:C350", "01", "00000010:00000020", 12),
            row("0100007F:1F90", "0201A8C0:C351", "06", "00000000:00000000", 0),
        ]
    )
    sockets, waiting = parse_proc_tcp(raw, limit=10)
    assert [(one.local, one.state, one.unread, one.unsent) for one in sockets] == [
        ("0.0.0.0:80", "listen", 7, 0),
        ("127.0.0.1:8080", "established", 32, 16),
    ]
    assert sockets[1].remote == "192.168.1.2:50000"
    assert sockets[1].sent_age is None
    assert [one.remote for one in waiting] == ["192.168.1.2:50001"]


def test_ipv6_and_ipv4_mapped_into_it() -> None:
    raw = HEAD + b"".join(
        [
            row(
                "00000000000000000000000001000000:0050",
                "00000000000000000000000000000000:0000",
                "0A",
                "0:0",
                1,
            ),
            row(
                "0000000000000000FFFF00000100007F:1F90",
                "0000000000000000FFFF00000100007F:0001",
                "01",
                "0:0",
                2,
            ),
        ]
    )
    sockets, _ = parse_proc_tcp(raw, limit=10)
    assert [one.local for one in sockets] == ["[::1]:80", "127.0.0.1:8080"]


def test_what_is_beyond_the_limit_is_left_out() -> None:
    raw = HEAD + row("0100007F:1F90", "0201A8C0:C350", "01", "0:0", 12) * 50
    assert len(parse_proc_tcp(raw, limit=3)[0]) == 3


def test_unix_listeners_with_blanks_in_their_path() -> None:
    raw = (
        b"Num       RefCount Protocol Flags    Type St Inode Path\n"
        b"0000000000000000: 00000002 00000000 00010000 0001 01 77 /run/my app.sock\n"
        b"0000000000000000: 00000003 00000000 00000000 0001 03 78 /run/my app.sock\n"
        b"0000000000000000: 00000003 00000000 00000000 0002 01 79 /run/log\n"
        b"0000000000000000: 00000003 00000000 00000000 0001 03 80\n"
    )
    found = parse_proc_unix(raw, limit=10)
    assert [(one.name, one.listening, one.inode) for one in found] == [
        ("unix:/run/my app.sock", True, 77),
        ("unix:/run/my app.sock", False, 78),
        ("", False, 80),
    ]


def test_counters_are_joined_by_name_not_by_place() -> None:
    netstat = b"TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 2 3\n"
    snmp = b"Ip: Forwarding\nIp: 1\nTcp: ActiveOpens PassiveOpens CurrEstab\nTcp: 4 5 6\n"
    assert parse_net_counters(snmp, netstat) == {
        "tcp_listen_overflows_total": 2,
        "tcp_listen_drops_total": 3,
        "tcp_opened_total": 4,
        "tcp_accepted_total": 5,
        "tcp_established": 6,
    }


def test_time_wait_from_sockstat() -> None:
    assert parse_time_wait(b"sockets: used 5\nTCP: inuse 3 orphan 0 tw 12 alloc 4 mem 1\n") == 12
    assert parse_time_wait(b"TCP: inuse 3 tw\n") is None


def test_names_of_unix_sockets() -> None:
    assert unix_name(b"/run/a.sock\x00") == "unix:/run/a.sock"
    assert unix_name(b"\x00abstract") == "unix:@abstract"
    assert unix_name(b"") == unix_name(b"\x00") == ""
    assert address(b"\x0a\x00\x00\x01", 5) == "10.0.0.1:5"


@given(st.binary(max_size=1500))
def test_no_bytes_raise(raw: bytes) -> None:
    parse_proc_tcp(HEAD + raw, limit=10)
    parse_proc_unix(HEAD + raw, limit=10)
    parse_net_counters(raw, raw)
    parse_time_wait(raw)
    unix_name(raw)
