"""The kernel's own lists of sockets, held against /proc and against pyroute2."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.proc_net import parse_proc_tcp
from weaklink.reach.host import TooLate
from weaklink.reach.netlink import attributes, dump, messages, open_diag
from weaklink.reach.sock_diag import (
    parse_tcp,
    parse_unix,
    tcp_listeners,
    tcp_sockets,
    time_wait_sockets,
    unix_sockets,
)


def soon() -> float:
    return time.monotonic() + 10


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket, socket.socket]]:
    """A listener, its client, and the accepted end."""
    with socket.create_server(("127.0.0.1", 0), backlog=7) as listener:
        client = socket.create_connection(listener.getsockname())
        served, _ = listener.accept()
        with client, served:
            yield listener, client, served


def name(link: socket.socket) -> str:
    host, port = link.getsockname()[:2]
    return f"{host}:{port}"


def test_a_listener_tells_its_queue_and_how_long_it_may_grow(
    pair: tuple[socket.socket, socket.socket, socket.socket],
) -> None:
    listener = pair[0]
    with socket.create_connection(listener.getsockname()):
        found = {
            one.local: one
            for one in tcp_sockets(deadline=soon(), limit=10_000)
            if one.state == "listen"
        }
    assert (found[name(listener)].unread, found[name(listener)].unsent) == (1, 7)
    assert found[name(listener)].inode == os.fstat(listener.fileno()).st_ino


def test_listeners_alone(pair: tuple[socket.socket, socket.socket, socket.socket]) -> None:
    alone = {
        one for one in tcp_listeners(deadline=soon(), limit=10_000) if one.local == name(pair[0])
    }
    both = {
        one
        for one in tcp_sockets(deadline=soon(), limit=10_000)
        if one.local == name(pair[0]) and one.state == "listen"
    }
    assert alone == both
    assert len(alone) == 1


def test_a_connection_tells_what_is_unread_and_how_long_it_is_silent(
    pair: tuple[socket.socket, socket.socket, socket.socket],
) -> None:
    _, client, served = pair
    client.sendall(b"hello")
    inode = os.fstat(served.fileno()).st_ino
    for _ in range(100):
        (one,) = [s for s in tcp_sockets(deadline=soon(), limit=10_000) if s.inode == inode]
        if one.unread:
            break
        time.sleep(0.01)
    assert (one.local, one.remote, one.state) == (name(served), name(client), "established")
    assert (one.unread, one.received) == (5, 5)
    assert one.received_age is not None
    assert one.received_age < 10
    assert one.rtt is not None


def test_a_connection_nobody_accepted_has_no_inode(
    pair: tuple[socket.socket, socket.socket, socket.socket],
) -> None:
    listener = pair[0]
    with socket.create_connection(listener.getsockname()) as waiting:
        found = [
            one
            for one in tcp_sockets(deadline=soon(), limit=10_000)
            if one.local == name(listener) and one.remote == name(waiting)
        ]
    assert [(one.state, one.inode) for one in found] == [("established", 0)]


def test_ipv6_is_in_the_same_list() -> None:
    with socket.socket(socket.AF_INET6) as listener:
        try:
            listener.bind(("::1", 0))
        except OSError:
            pytest.skip("no IPv6 on this machine")
        listener.listen(3)
        local = f"[::1]:{listener.getsockname()[1]}"
        assert local in {one.local for one in tcp_sockets(deadline=soon(), limit=10_000)}


def test_time_wait_comes_apart(pair: tuple[socket.socket, socket.socket, socket.socket]) -> None:
    _, client, served = pair
    ends = {name(client), name(served)}
    client.close()
    served.close()
    for _ in range(100):
        waiting = time_wait_sockets(deadline=soon(), limit=50_000)
        if any(one.local in ends for one in waiting):
            break
        time.sleep(0.02)
    assert any(one.local in ends and one.state == "time-wait" for one in waiting)
    assert all(one.state != "time-wait" for one in tcp_sockets(deadline=soon(), limit=50_000))
    both = tcp_sockets(deadline=soon(), limit=50_000, time_wait=True)
    assert any(one.local in ends and one.state == "time-wait" for one in both)


def test_the_limit_holds(pair: tuple[socket.socket, socket.socket, socket.socket]) -> None:
    assert len(tcp_sockets(deadline=soon(), limit=2)) == 2
    assert tcp_sockets(deadline=soon(), limit=10_000)


def test_a_deadline_that_is_over_is_too_late() -> None:
    with pytest.raises(TooLate):
        tcp_sockets(deadline=time.monotonic() - 1, limit=10)


def test_what_the_kernel_does_not_know_is_an_error() -> None:
    with open_diag() as kernel, pytest.raises(OSError, match="netlink"):
        list(dump(kernel, 20, struct.pack("=BB54x", 250, 0), deadline=soon()))


def test_unix_listeners_and_both_ends_of_a_connection() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "a b.sock"))
        with contextlib.ExitStack() as stack:
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(path)
            listener.listen(5)
            client = stack.enter_context(socket.socket(socket.AF_UNIX))
            client.connect(path)
            waiting = {s.inode: s for s in unix_sockets(deadline=soon(), limit=50_000)}
            served = stack.enter_context(listener.accept()[0])
            found = {s.inode: s for s in unix_sockets(deadline=soon(), limit=50_000)}
            inodes = [os.fstat(each.fileno()).st_ino for each in (listener, client, served)]
    own = [found[inode] for inode in inodes]
    assert [one.name for one in own] == [f"unix:{path}", "", f"unix:{path}"]
    assert [one.listening for one in own] == [True, False, False]
    assert own[1].peer == own[2].inode
    assert own[2].peer == own[1].inode
    assert waiting[inodes[0]].unread == 1
    assert own[0].unsent == 5


def test_it_agrees_with_the_files_of_proc(
    pair: tuple[socket.socket, socket.socket, socket.socket],
) -> None:
    mine = {name(end) for end in pair}
    asked = {
        (one.local, one.remote, one.state, one.inode)
        for one in tcp_sockets(deadline=soon(), limit=50_000)
        if one.local in mine
    }
    read, _ = parse_proc_tcp(Path("/proc/net/tcp").read_bytes(), limit=50_000)
    assert asked == {
        (one.local, one.remote, one.state, one.inode) for one in read if one.local in mine
    }


def test_it_agrees_with_pyroute2(
    pair: tuple[socket.socket, socket.socket, socket.socket],
) -> None:
    diag = pytest.importorskip("pyroute2.netlink.diag", reason="pyroute2 is not installed")
    mine = {name(end) for end in pair}
    with diag.DiagSocket() as kernel:
        kernel.bind()
        stats = kernel.get_sock_stats(
            family=socket.AF_INET, states=diag.SS_ALL & ~(1 << 6), extensions=1 << 1
        )
        theirs = {
            (f"{s['idiag_src']}:{s['idiag_sport']}", s["idiag_inode"], s["idiag_rqueue"])
            for s in stats
        }
    ours = {
        (one.local, one.inode, one.unread) for one in tcp_sockets(deadline=soon(), limit=50_000)
    }
    assert {row for row in theirs if row[0] in mine} == {row for row in ours if row[0] in mine}
    assert len({row for row in ours if row[0] in mine}) == 3


def test_many_at_once_from_many_threads() -> None:
    counts: list[int] = []
    with socket.create_server(("127.0.0.1", 0)):
        threads = [
            threading.Thread(
                target=lambda: counts.append(len(tcp_sockets(deadline=soon(), limit=50_000)))
            )
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert len(counts) == 8
    assert min(counts) >= 1


@given(st.binary(max_size=400))
def test_no_answer_raises(data: bytes) -> None:
    list(messages(data))
    attributes(data, 0)
    parse_tcp(data)
    parse_unix(data)
