"""How many local ports are taken to the address to which most are."""

from __future__ import annotations

from weaklink.parse.socket_row import TcpSocket
from weaklink.probes.net_room import Seen, room


def taken(port: int, remote: str, state: str = "established") -> TcpSocket:
    return TcpSocket(f"10.0.0.1:{port}", remote, state, 1, 0, 0)


def test_ports_are_counted_by_destination_and_only_those_of_the_range() -> None:
    sockets = [taken(port, "10.0.0.2:80", "time-wait") for port in range(30_000, 30_005)]
    sockets += [taken(30_010, "10.0.0.2:80"), taken(30_011, "10.0.0.3:80")]
    sockets += [taken(8080, "10.0.0.2:80"), taken(30_012, "", "listen")]
    found = room("-", "p", Seen((30_000, 30_100), sockets, 5, 100, 12), 2, 1.0)
    assert (found.destination, found.ports_used, found.time_wait) == ("10.0.0.2:80", 6, 5)
    assert (found.tracked, found.tracked_most, found.dropped) == (5, 100, 10)


def test_what_the_kernel_does_not_tell_is_unknown() -> None:
    found = room("-", "p", Seen(None, [], None, None, None), None, 1.0)
    assert (found.port_high, found.tracked, found.dropped) == (0, None, None)
