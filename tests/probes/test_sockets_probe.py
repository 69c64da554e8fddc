"""Who listens, who is connected, and where requests pile up."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import pytest

from weaklink.model.fact import Connection
from weaklink.model.take import Take
from weaklink.probes.process_table import scanned_table
from weaklink.probes.sockets import Past, look_at_first, look_at_tick, namespaces, tenants
from weaklink.reach.host import NotHere
from weaklink.reach.memory import memory
from weaklink.reach.root import Root
from weaklink.testing.frozen_host import FrozenHost
from weaklink.testing.live import live_case, live_reach
from weaklink.testing.nobody import run_as_nobody

OTHER = 4026532500


def test_a_small_chain_in_two_namespaces(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    frozen.process(10, name="nginx", sockets=[1, 2]).process(11, name="nginx", sockets=[1])
    frozen.process(20, name="app", sockets=[3, 4], netns=OTHER)
    frozen.listen("0.0.0.0:80", inode=1, waiting=5)
    frozen.connection("10.0.0.1:40000", "10.0.0.2:8000", inode=2, unsent=7)
    frozen.listen("[::]:8000", inode=3, netns=OTHER)
    frozen.connection("10.0.0.2:8000", "10.0.0.1:40000", inode=4, unread=9, netns=OTHER)
    frozen.connection("10.0.0.2:8000", "10.0.0.1:39999", inode=0, state=6, netns=OTHER)
    take = look_at_first(frozen.reach(), frozen.case())
    assert [(one.address, one.netns, one.pids, one.waiting) for one in take.listeners] == [
        ("0.0.0.0:80", "-", [10, 11], 5),
        ("[::]:8000", str(OTHER), [20], 0),
    ]
    ends = {(one.local, one.remote): one for one in take.connections}
    client = ends["10.0.0.1:40000", "10.0.0.2:8000"]
    assert (client.pid, client.netns, client.unsent, client.sent_age) == (10, "-", 7, None)
    assert ends["10.0.0.2:8000", "10.0.0.1:40000"].unread == 9
    gone = ends["10.0.0.2:8000", "10.0.0.1:39999"]
    assert (gone.state, gone.pid) == ("time-wait", 0)
    queue = {one.target: one.value for one in take.readings if one.quantity == "listener_queue"}
    assert queue == {
        "listener:h1/-/0.0.0.0:80": 5,
        f"listener:h1/{OTHER}/[::]:8000": 0,
    }


def test_time_wait_is_told_once(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).process(10)
    frozen.connection("10.0.0.1:80", "10.0.0.2:5", inode=0, state=6)
    root = frozen.root()
    takes = [look_at_tick(frozen.reach(root=root), frozen.case()) for _ in range(2)]
    assert [len(take.connections) for take in takes] == [1, 0]


def test_counters_of_a_namespace(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).process(10).listen("0.0.0.0:80", inode=1)
    frozen.write("/proc/10/net/snmp", "Tcp: PassiveOpens RetransSegs\nTcp: 5 6\n")
    frozen.write("/proc/10/net/netstat", "TcpExt: ListenOverflows\nTcpExt: 7\n")
    frozen.write("/proc/10/net/sockstat", "TCP: inuse 1 orphan 0 tw 8 alloc 1 mem 1\n")
    take = look_at_tick(frozen.reach(), frozen.case())
    found = {one.quantity: one.value for one in take.readings if one.target == "netns:h1/-/tcp"}
    assert found == {
        "tcp_accepted_total": 5,
        "tcp_retransmits_total": 6,
        "tcp_listen_overflows_total": 7,
        "tcp_time_wait": 8,
    }


def test_no_table_at_all_is_not_here(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).process(10)
    with pytest.raises(NotHere):
        look_at_first(frozen.reach(), frozen.case())


def test_what_is_open_in_a_pods_namespace_is_the_pods_even_where_descriptors_are_hidden(
    tmp_path: Path,
) -> None:
    frozen = FrozenHost(tmp_path).process(10).process(20, netns=OTHER, ppid=10)
    frozen.process(21, netns=OTHER, ppid=20).process(30, netns=OTHER + 1)
    frozen.process(31, netns=OTHER + 1)
    case = frozen.case()
    known = scanned_table(frozen.root(), case).by_pid
    spaces = namespaces(known)
    assert tenants(known, spaces, {10, 20, 21, 30, 31}) == {str(OTHER): [20, 21]}
    assert tenants(known, spaces, {10, 20, 30, 31}) == {}


def own(take: Take, port: int) -> list[Connection]:
    return [one for one in take.connections if one.local.endswith(f":{port}")]


def test_live_owners_queues_and_ages() -> None:
    root, case = Root(), live_case()
    with socket.create_server(("127.0.0.1", 0), backlog=6) as server:
        port = server.getsockname()[1]
        with (
            socket.create_connection(server.getsockname()) as client,
            server.accept()[0] as served,
            socket.create_connection(server.getsockname()),
        ):
            client.sendall(b"x" * 10)
            take = look_at_first(live_reach(root), case)
            inode = os.fstat(served.fileno()).st_ino
    (listener,) = [one for one in take.listeners if one.address == f"127.0.0.1:{port}"]
    assert os.getpid() in listener.pids
    assert (listener.waiting, listener.backlog) == (1, 6)
    by_inode = {one.inode: one for one in own(take, port)}
    assert (by_inode[inode].pid, by_inode[inode].unread) == (os.getpid(), 10)
    assert by_inode[inode].received_age is not None
    assert by_inode[0].pid == 0  # nobody accepted it yet


def test_live_a_connection_made_between_two_ticks_has_its_owner() -> None:
    root, case = Root(), live_case()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        look_at_first(live_reach(root), case)
        with socket.create_connection(server.getsockname()), server.accept()[0]:
            memory(root, "sockets", Past).next_walk = 0.0
            take = look_at_tick(live_reach(root), case)
    assert [one.pid for one in own(take, port)] == [os.getpid()]


def test_live_ticks_between_two_lists_of_connections_give_the_queues_all_the_same() -> None:
    root, case = Root(), live_case()
    with socket.create_server(("127.0.0.1", 0), backlog=5) as server:
        port = server.getsockname()[1]
        look_at_first(live_reach(root), case)
        memory(root, "sockets", Past).next_walk = float("inf")
        with socket.create_connection(server.getsockname()):
            take = look_at_tick(live_reach(root), case)
    assert take.connections == []
    (listener,) = [one for one in take.listeners if one.address == f"127.0.0.1:{port}"]
    assert (listener.waiting, listener.backlog, listener.pids) == (1, 5, [os.getpid()])
    assert any(one.quantity == "tcp_accepted_total" for one in take.readings)


def test_live_unix_pairs() -> None:
    root, case = Root(), live_case()
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        path = str(Path(folder, "app.sock"))
        server.bind(path)
        server.listen(4)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            with server.accept()[0]:
                take = look_at_first(live_reach(root), case)
    (listener,) = [one for one in take.listeners if one.address == f"unix:{path}"]
    assert listener.pids == [os.getpid()]
    ends = [one for one in take.connections if f"unix:{path}" in (one.local, one.remote)]
    assert sorted((one.local == f"unix:{path}", one.pid) for one in ends) == [
        (False, os.getpid()),
        (True, os.getpid()),
    ]
    served, asking = sorted(ends, key=lambda one: one.local != f"unix:{path}")
    assert served.remote == asking.local


def test_without_rights_it_works_and_says_what_it_could_not_see() -> None:
    """P14: /proc/PID/net/tcp works without any capability; owners do not."""
    said = run_as_nobody(
        "import socket\n"
        "from weaklink.testing.live import live_case, live_reach\n"
        "from weaklink.probes.sockets import look_at_first\n"
        "from weaklink.probes.process import look_at_processes\n"
        "from weaklink.probes.process_counters import look_at_counters\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "port = server.getsockname()[1]\n"
        "def look():\n"
        "    case, reach = live_case(), live_reach()\n"
        "    take = look_at_first(reach, case)\n"
        "    assert any(one.address == f'127.0.0.1:{port}' for one in take.listeners)\n"
        "    found = look_at_processes(reach, case)\n"
        "    assert any(one.uid == 0 for one in found.processes)\n"
        "    assert look_at_counters(reach, case).readings\n"
        "    return reach.privileged, [*take.looks, *found.looks]\n"
        "look()\n"
        "become_nobody()\n"
        "privileged, looks = look()\n"
        "assert not privileged\n"
        "for one in looks:\n"
        "    print(one.name, one.outcome, one.reason.key, one.remedy)\n"
    )
    assert "process denied process.hidden sudo weaklink" in said
