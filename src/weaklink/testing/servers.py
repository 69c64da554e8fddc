"""Real servers for tests: started on loopback in a folder of the test, ended with it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from weaklink.model.case import Case
from weaklink.model.fact import Host, Listener, Process
from weaklink.reach.host import Reach
from weaklink.reach.root import Root

ENOUGH = 10.0


def free_port() -> int:
    """A TCP port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def hands(window: float = 1.5) -> Reach:
    """Live hands for one look."""
    now = time.monotonic()
    return Reach(root=Root("/"), window=window, until=now + window, deadline=now + window + 2)


def bare_case(*processes: Process, listeners: tuple[Listener, ...] = ()) -> Case:
    """A Case of this machine that knows these processes only."""
    now = time.time()
    return Case(
        schema="weaklink/case/1",
        id="test",
        created=now,
        version="0",
        host=Host(name="h1", boot=0.0, cpus=2, memory_bytes=1e9),
        window=(now, now),
        processes=list(processes),
        listeners=list(listeners),
    )


def fact_of(pid: int, name: str, **more: object) -> Process:
    """A Process fact of a live process, as little of it as sources need."""
    exe = str(Path(f"/proc/{pid}/exe").readlink())
    command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1]
    fields: dict[str, object] = {
        "key": f"process:h1/-/{pid}@1",
        "pid": pid,
        "start_ticks": 1,
        "start": time.time(),
        "ppid": 1,
        "name": name,
        "state": "S",
        "exe": exe,
        "command": [part.decode() for part in command],
        **more,
    }
    return Process(**fields)  # type: ignore[arg-type]


def wait_for(address: tuple[str, int] | str) -> None:
    """Until somebody accepts there."""
    end = time.monotonic() + ENOUGH
    while True:
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        with socket.socket(family) as probe, contextlib.suppress(OSError):
            probe.connect(address)
            return
        if time.monotonic() > end:
            raise AssertionError(f"nobody listens at {address}")
        time.sleep(0.02)


@contextlib.contextmanager
def running(argv: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process for the length of the block; killed at its end, even if it was stopped."""
    child = subprocess.Popen(argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(signal.SIGCONT)
        child.kill()
        child.wait()


@contextlib.contextmanager
def redis_server(folder: Path, *options: str) -> Iterator[tuple[int, int]]:
    """(pid, port) of a redis-server without persistence."""
    port = free_port()
    argv = ["/usr/bin/redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with running([*argv, *options], folder) as child:
        wait_for(("127.0.0.1", port))
        yield child.pid, port


def redis_say(port: int, *commands: tuple[str | int, ...]) -> list[object]:
    """Send commands as a user of the cache would."""
    from weaklink.sources.redis_client import RedisClient

    client = RedisClient(f"127.0.0.1:{port}", pid=os.getpid(), timeout=2.0)
    try:
        return list(client.ask_all(list(commands), timeout=5.0))
    finally:
        client.close()


@contextlib.contextmanager
def nginx_server(folder: Path, http: str) -> Iterator[tuple[int, list[int]]]:
    """(pid of the master, pids of its workers) of an nginx with this `http` block.

    PORT in the block becomes a free port; `folder/port` holds it.
    """
    port = free_port()
    folder.joinpath("spill").mkdir()
    temporary = "".join(
        f"{kind}_temp_path {folder}/spill/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    folder.joinpath("port").write_text(str(port))
    folder.joinpath("nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;"
        f"events {{ worker_connections 64; }}\n"
        f"http {{ {temporary}\n{http.replace('PORT', str(port))}\n}}\n"
    )
    argv = ["/usr/sbin/nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with running(argv, folder) as child:
        try:
            wait_for(("127.0.0.1", port))
            yield child.pid, children(child.pid)
        finally:
            child.terminate()  # killed, it would leave its workers behind
            child.wait(ENOUGH)


def children(pid: int) -> list[int]:
    """Pids of a process's children."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def fetch(port: int, target: str, *, host: str = "localhost") -> int:
    """Status of one GET."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as link:
        text = f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        link.sendall(text.encode())
        answer = b""
        while piece := link.recv(65536):
            answer += piece
    return int(answer.split(b" ", 2)[1])
