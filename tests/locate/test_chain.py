"""The chain is found from sockets and configuration alone, whatever the parts are called."""

from __future__ import annotations

from msgspec import structs

from weaklink.locate.chain import discover
from weaklink.model.case import Case, grow
from weaklink.model.fact import Connection, Listener, Process, Upstream, UpstreamMember
from weaklink.model.target import target_key
from weaklink.testing.fake_chain import CACHE, FRONT, GATE, WORKERS, FakeChain, process_key

HOST = "h1"


def process(pid: int, name: str, *, ppid: int = 1, session: int = 0, **more: object) -> Process:
    return Process(
        key=target_key("process", f"{pid}@{pid}", host=HOST),
        pid=pid,
        start_ticks=pid,
        start=float(pid),
        ppid=ppid,
        name=name,
        state="S",
        session=session or pid,
        command=[name],
        exe=f"/usr/bin/{name}",
        **more,  # type: ignore[arg-type]
    )


def case(
    processes: list[Process],
    listeners: list[tuple[str, str, list[int]]],
    connections: list[tuple[int, str, str, str]],
) -> Case:
    base = FakeChain().case()
    return grow(
        base,
        processes=processes,
        listeners=[Listener(address=a, netns=ns, pids=pids) for a, ns, pids in listeners],
        connections=[
            Connection(local=local, remote=remote, netns=ns, pid=pid, at=1.0)
            for pid, local, remote, ns in connections
        ],
        upstreams=[],
        servers=[],
        requests=[],
        logs=[],
    )


def roles(found: Case) -> dict[str, str]:
    return {link.name: link.role for link in discover(found).links}


def test_the_made_up_chain_is_walked_from_its_proxy_to_its_cache() -> None:
    chain = discover(FakeChain().case())
    by_pid = {link.pids[0]: link for link in chain.links if link.pids}
    assert by_pid[FRONT].entry
    assert [link.key for link in chain.links if link.entry] == [by_pid[FRONT].key]
    assert {link.key for link in chain.callees(by_pid[FRONT].key)} == {
        by_pid[pid].key for pid in WORKERS
    }
    assert by_pid[CACHE].key in chain.below(by_pid[FRONT].key)
    assert by_pid[CACHE].role == "cache"
    assert {by_pid[pid].role for pid in WORKERS} == {"inference"}
    assert len({by_pid[pid].group for pid in WORKERS}) == 1
    assert by_pid[WORKERS[0]].group
    assert not by_pid[GATE].on_chain


def test_master_and_workers_that_share_a_listener_are_one_link() -> None:
    found = discover(
        case(
            [process(1, "nginx"), process(2, "nginx", ppid=1, session=1), process(3, "x")],
            [("0.0.0.0:80", "-", [1, 2]), ("127.0.0.1:9", "-", [3])],
            [(2, "127.0.0.1:40000", "127.0.0.1:9", "-")],
        )
    )
    front = next(link for link in found.links if link.entry)
    assert front.pids == [1, 2]
    assert [link.name for link in found.callees(front.key)] == ["x"]


def test_the_same_address_in_two_namespaces_is_two_links() -> None:
    found = discover(
        case(
            [process(1, "nginx"), process(2, "a", netns="11"), process(3, "b", netns="22")],
            [
                ("0.0.0.0:80", "-", [1]),
                ("0.0.0.0:8000", "11", [2]),
                ("0.0.0.0:8000", "22", [3]),
            ],
            [
                (1, "10.0.0.1:5000", "10.0.0.2:8000", "-"),
                (2, "10.0.0.2:8000", "10.0.0.1:5000", "11"),
                (3, "10.0.0.3:8000", "10.0.0.9:1", "22"),
            ],
        )
    )
    front = next(link for link in found.links if link.entry)
    assert [link.name for link in found.callees(front.key)] == ["a"]


def test_a_unix_socket_is_a_hop() -> None:
    made = case(
        [process(1, "nginx"), process(2, "gunicorn")],
        [("0.0.0.0:80", "-", [1]), ("unix:/run/app.sock", "-", [2])],
        [],
    )
    upstream = Upstream(
        owner=target_key("process", "1@1", host=HOST),
        name="app",
        members=[UpstreamMember(address="unix:/run/app.sock")],
    )
    found = discover(grow(made, upstreams=[upstream]))
    front = next(link for link in found.links if link.entry)
    assert [link.name for link in found.callees(front.key)] == ["gunicorn"]


def test_a_configured_address_that_nobody_serves_is_a_link_with_that_address() -> None:
    made = FakeChain()
    made.listening.discard(WORKERS[2])
    del made.processes[WORKERS[2]]
    found = discover(made.case())
    gone = [link for link in found.links if link.role == "external"]
    assert [link.listen for link in gone] == [["10.0.0.3:8303"]]
    assert gone[0].on_chain


def test_who_only_calls_is_a_client_and_a_child_in_its_session_belongs_to_it() -> None:
    found = discover(
        case(
            [
                process(1, "redis-server"),
                process(2, "refresh"),
                process(3, "helper", ppid=2, session=2),
                process(4, "other", ppid=2),
            ],
            [("0.0.0.0:6379", "-", [1])],
            [(2, "127.0.0.1:40000", "127.0.0.1:6379", "-")],
        )
    )
    client = next(link for link in found.links if link.role == "client")
    assert client.pids == [2, 3]


def test_a_job_started_from_a_login_is_not_part_of_the_login_server() -> None:
    """sshd listens; the job below it has left its session and is its own link."""
    found = discover(
        case(
            [
                process(1, "sshd"),
                process(2, "job", ppid=1, session=2),
                process(3, "redis-server"),
            ],
            [("0.0.0.0:22", "-", [1]), ("127.0.0.1:6379", "-", [3])],
            [(2, "127.0.0.1:40000", "127.0.0.1:6379", "-")],
        )
    )
    assert [link.pids for link in found.links if link.name == "job"] == [[2]]
    assert [link.pids for link in found.links if link.name == "sshd"] == [[1]]


def test_the_entry_can_be_named_by_url() -> None:
    made = case(
        [process(1, "nginx"), process(2, "app")],
        [("0.0.0.0:80", "-", [1]), ("127.0.0.1:8123", "-", [2])],
        [(1, "127.0.0.1:40000", "127.0.0.1:8123", "-")],
    )
    found = discover(structs.replace(made, entry="http://127.0.0.1:8123/x"))
    assert [link.name for link in found.links if link.entry] == ["app"]


def test_a_lone_application_behind_nothing_is_its_own_entry() -> None:
    found = discover(
        case(
            [process(1, "python3", libraries=["torch"])],
            [("0.0.0.0:8000", "-", [1])],
            [(1, "10.0.0.1:8000", "10.0.0.2:999", "-")],
        )
    )
    assert [(link.role, link.entry) for link in found.links] == [("inference", True)]


def test_our_own_processes_are_not_part_of_the_chain() -> None:
    found = discover(
        case(
            [process(1, "weaklink"), process(2, "redis-server")],
            [("127.0.0.1:6379", "-", [2])],
            [(1, "127.0.0.1:40000", "127.0.0.1:6379", "-")],
        )
    )
    assert [link.name for link in found.links] == ["redis-server"]


def test_keys_are_distinct_even_for_twins() -> None:
    found = discover(
        case(
            [process(1, "app"), process(2, "app")],
            [("127.0.0.1:80", "-", [1]), ("127.0.0.2:80", "-", [2])],
            [],
        )
    )
    assert len({link.key for link in found.links}) == 2


def test_process_keys_of_the_made_up_chain_are_those_of_the_links() -> None:
    chain = discover(FakeChain().case())
    assert process_key(CACHE) in {key for link in chain.links for key in link.processes}
