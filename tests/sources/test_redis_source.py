"""A real redis-server, looked at while it is used: what is seen, and what our looking leaves."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from weaklink.model.case import Case
from weaklink.model.fact import Listener, Process
from weaklink.model.quantities import cache
from weaklink.model.take import Take
from weaklink.reach.host import NotHere
from weaklink.sources.redis import redis, servers
from weaklink.testing.servers import (
    bare_case,
    fact_of,
    hands,
    redis_say,
    redis_server,
    running,
    wait_for,
)

pytestmark = pytest.mark.needs("redis")


def case_of(pid: int, address: str) -> Case:
    listener = Listener(address=address, netns="-", pids=[pid])
    return bare_case(fact_of(pid, "redis-server"), listeners=(listener,))


@pytest.fixture(name="server")
def one_server(tmp_path: Path) -> Iterator[tuple[int, int]]:
    with redis_server(tmp_path, "--slowlog-log-slower-than", "0") as server:
        yield server


def look(pid: int, port: int, window: float = 1.5) -> Take:
    return redis(hands(window), case_of(pid, f"127.0.0.1:{port}"))


def series(take: Take, quantity: str) -> list[float]:
    return [one.value for one in take.readings if one.quantity == quantity]


def test_what_it_says_about_itself(server: tuple[int, int]) -> None:
    pid, port = server
    fill: list[tuple[str | int, ...]] = [
        ("SET", f"preview:{i:016x}", "v", "EX", 500) for i in range(300)
    ]
    redis_say(port, *fill, ("SET", "config", "x"), ("GET", "config"), ("GET", "missing"))
    take = look(pid, port)
    assert series(take, cache.CACHE_HITS_TOTAL) == [1.0] * len(series(take, cache.CACHE_HITS_TOTAL))
    assert series(take, cache.CACHE_MISSES_TOTAL)[-1] == 1
    assert series(take, cache.CACHE_KEYS) == [301.0, 301.0]
    assert series(take, cache.CACHE_SET_COMMANDS_TOTAL) == [301.0, 301.0]
    assert len(series(take, cache.CACHE_PING_SECONDS)) >= 1
    previews = next(one for one in take.keyspaces if one.prefix == "preview")
    assert previews.sampled >= 100
    assert all(400 < ttl <= 500 for ttl in previews.ttls)
    assert previews.cache == take.readings[0].target
    assert previews.key.endswith("/preview")


def test_nothing_of_ours_is_in_the_counters(server: tuple[int, int]) -> None:
    pid, port = server
    before = redis_say(port, ("INFO", "stats"))[0]
    take = look(pid, port)
    commands = series(take, cache.CACHE_COMMANDS_TOTAL)
    # Only the INFO above was a user's.
    assert commands[0] == commands[-1] == 1
    assert "keyspace_hits:0" in str(before)
    assert series(take, cache.CACHE_CONNECTIONS_TOTAL)[-1] <= 2


def test_only_harmless_commands_are_sent(server: tuple[int, int]) -> None:
    """P6: watched from the server's side."""
    pid, port = server
    redis_say(port, *[("SET", f"k:{i}", "v") for i in range(10)])
    seen: list[str] = []
    ready = threading.Event()

    def watch() -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=6) as link:
            link.sendall(b"MONITOR\r\n")
            text = b""
            # Administrators' commands such as SLOWLOG are not shown to watchers.
            while b"PTTL" not in text:
                piece = link.recv(65536)
                ready.set()
                if not piece:
                    break
                text += piece
            seen.append(text.decode())

    watcher = threading.Thread(target=watch)
    watcher.start()
    ready.wait(5)
    take = look(pid, port)
    watcher.join(8)
    names = {
        line.partition('] "')[2].partition('"')[0].upper()
        for line in seen[0].splitlines()
        if '] "' in line
    }
    assert names <= {"PING", "INFO", "SLOWLOG", "RANDOMKEY", "PTTL", "SELECT"}
    touched = next(one for one in take.looks if one.outcome == "value").touched
    assert any("PTTL" in one for one in touched)
    assert any("INFO" in one for one in touched)


def test_looking_is_last_where_it_pollutes(server: tuple[int, int]) -> None:
    pid, port = server
    redis_say(port, ("SET", "k:1", "v"))
    look(pid, port)
    after = str(redis_say(port, ("INFO", "stats"))[0])
    # The sample counts as look-ups, so it must come after our last reading: see the next look.
    assert "keyspace_hits:1\r" in after
    again = look(pid, port)
    assert series(again, cache.CACHE_HITS_TOTAL)[0] == series(again, cache.CACHE_HITS_TOTAL)[-1]


def test_the_slow_log_is_read_and_redacted(server: tuple[int, int]) -> None:
    pid, port = server
    redis_say(port, ("SET", "user:alice", "a private prompt"), ("KEYS", "user:*"))
    take = look(pid, port)
    commands = [one.command for one in take.slow_commands]
    assert any(command == "KEYS user:*" for command in commands)
    assert "private" not in str(take.slow_commands)
    assert "alice" not in str(take)


def test_a_password_is_a_reason_not_an_error(tmp_path: Path) -> None:
    with redis_server(tmp_path, "--requirepass", "hunter2") as (pid, port):
        take = look(pid, port)
    (said,) = [one for one in take.looks if one.outcome != "value"]
    assert said.outcome == "denied"
    assert said.reason is not None
    assert said.reason.key == "redis.password"
    assert said.remedy
    # That it answers, and how fast, was seen all the same.
    assert len(series(take, cache.CACHE_PING_SECONDS)) == 1
    assert "hunter2" not in str(take.looks)


def test_silence_is_evidence(server: tuple[int, int]) -> None:
    pid, port = server
    os.kill(pid, signal.SIGSTOP)
    try:
        take = look(pid, port, window=0.5)
    finally:
        os.kill(pid, signal.SIGCONT)
    (waited,) = series(take, cache.CACHE_PING_SECONDS)
    assert waited > 0.5
    assert [one.outcome for one in take.looks if one.outcome != "value"] == ["timeout"]


def test_a_user_without_rights(tmp_path: Path) -> None:
    with redis_server(tmp_path) as (pid, port):
        redis_say(port, ("ACL", "SETUSER", "default", "-slowlog", "-randomkey"))
        take = look(pid, port)
    kinds = {one.reason.key for one in take.looks if one.reason is not None}
    assert kinds == {"redis.forbidden"}
    assert len(series(take, cache.CACHE_HITS_TOTAL)) >= 2


def test_a_unix_socket_is_as_good(tmp_path: Path) -> None:
    path = tmp_path / "r.sock"
    argv = ["/usr/bin/redis-server", "--port", "0", "--unixsocket", str(path), "--save", ""]
    with running(argv, tmp_path) as child:
        wait_for(str(path))
        take = redis(hands(), case_of(child.pid, f"unix:{path}"))
    assert len(series(take, cache.CACHE_UPTIME_SECONDS)) >= 2


def test_something_else_on_the_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer() -> None:
            link, _ = server.accept()
            link.recv(100)
            link.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            link.close()

        thread = threading.Thread(target=answer)
        thread.start()
        take = look(os.getpid(), port)
        thread.join(5)
    assert [one.reason.key for one in take.looks if one.reason is not None] == ["redis.not-resp"]


def test_nobody_listens_any_more(tmp_path: Path) -> None:
    with redis_server(tmp_path) as (pid, port):
        case = case_of(pid, f"127.0.0.1:{port}")
    with pytest.raises(NotHere):
        redis(hands(), bare_case())
    take = redis(hands(0.3), case)
    assert {one.outcome for one in take.looks} <= {"failed", "absent"}
    assert take.looks


def test_which_processes_are_servers() -> None:
    def process(pid: int, ppid: int, name: str = "redis-server") -> Process:
        key = f"process:h1/-/{pid}@1"
        return Process(key=key, pid=pid, ppid=ppid, start_ticks=1, start=0.0, name=name, state="S")

    listeners = (
        Listener(address="0.0.0.0:16379", netns="-", pids=[10]),
        Listener(address="[::]:6379", netns="-", pids=[10]),
        Listener(address="0.0.0.0:6379", netns="-", pids=[10]),
        Listener(address="unix:/run/r.sock", netns="-", pids=[10]),
        Listener(address="0.0.0.0:80", netns="-", pids=[13]),
    )
    # 11 is the child that writes 10's snapshot, 12 a server whose listener nobody found.
    case = bare_case(
        process(10, 1),
        process(11, 10),
        process(12, 1),
        process(13, 1, "nginx"),
        listeners=listeners,
    )
    found, looks = servers(case, 0.0)
    assert [(one.process.pid, one.address, one.name) for one in found] == [
        (10, "0.0.0.0:6379", "redis:6379")
    ]
    assert [one.target for one in looks] == ["process:h1/-/12@1"]
