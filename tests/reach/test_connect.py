"""Connections go where they were told to, and nowhere else."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from weaklink.reach.connect import connect, parse_address, resolve
from weaklink.reach.host import NotAllowed, NotHere

SERVES = (
    "import ctypes, fcntl, socket, struct, time\n"
    "s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
    "d = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    "fcntl.ioctl(d, 0x8914, struct.pack('16sh14x', b'lo', 0x1 | 0x8 | 0x40))\n"
    "s.bind(('0.0.0.0', 0)); s.listen(9)\n"
    "print(s.getsockname()[1], flush=True)\n"
    "c, _ = s.accept(); c.sendall(b'from inside'); time.sleep(30)\n"
)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("10.0.0.1:80", "10.0.0.1", 80),
        ("[fd00::1]:443", "fd00::1", 443),
        ("0.0.0.0:8080", "127.0.0.1", 8080),
        ("[::]:8080", "::1", 8080),
        ("db.local:5432", "db.local", 5432),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    assert parse_address(text) == ("", host, port)


@pytest.mark.parametrize(
    "text",
    ["", "nothing", "h:", "h:0", "h:70000", "h:-1", "unix:rel", "unix:", "unix:/a\0b", "a\0:5"],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(NotAllowed):
        parse_address(text)


@pytest.mark.parametrize(
    "address",
    ["169.254.169.254:80", "[fe80::1]:80", "[::ffff:169.254.169.254]:80", "[fe80::1%lo]:80"],
)
def test_link_local_is_refused(address: str) -> None:
    with pytest.raises(NotAllowed):
        connect(address, timeout=0.2)


def test_a_name_that_resolves_to_link_local_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: answers)
    with pytest.raises(NotAllowed):
        resolve("metadata.example", 80)


def test_tcp() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"0.0.0.0:{server.getsockname()[1]}"
        with connect(address) as link:
            assert link.getpeername() == server.getsockname()
    with pytest.raises(ConnectionRefusedError):
        connect(address)


def test_unix_with_a_path_longer_than_the_call_takes() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        deep = Path(folder, "d" * 120)
        deep.mkdir()
        handle = os.open(deep, os.O_PATH)
        server.bind(f"/proc/self/fd/{handle}/s.sock")
        os.close(handle)
        server.listen(3)
        with connect(f"unix:{deep}/s.sock") as link:
            assert link.fileno() > 0
        with connect(f"unix:{deep}/s.sock", pid=os.getpid()) as link:
            assert link.fileno() > 0


def test_an_abstract_unix_socket() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(b"\0weaklink-test-abstract")
        server.listen(1)
        with connect("unix:@weaklink-test-abstract") as link:
            assert link.fileno() > 0


def test_a_process_that_is_gone_is_not_here() -> None:
    with pytest.raises(NotHere):
        connect("127.0.0.1:80", pid=999_999_999)


def test_inside_another_network_namespace() -> None:
    with subprocess.Popen(
        ["unshare", "--net", sys.executable, "-c", SERVES],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                pytest.skip("needs root to make a network namespace")
            with connect(f"0.0.0.0:{int(line)}", pid=process.pid, timeout=5) as link:
                assert link.recv(100) == b"from inside"
        finally:
            process.kill()


def test_nobody_answering_ends_at_the_timeout() -> None:
    with contextlib.ExitStack() as stack:
        full = stack.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = f"127.0.0.1:{full.getsockname()[1]}"

        def fill() -> None:
            for _ in range(16):  # the queue of the listener takes one or two
                stack.enter_context(connect(address, timeout=0.2))

        with pytest.raises(TimeoutError):
            fill()
