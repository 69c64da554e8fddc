"""Nothing leaves the machine: in a network of its own, only what the chain names is contacted.

The whole command runs under strace in network and pid namespaces of its own, with a real nginx
and a real Redis in them. Every address that it connects to or sends to must be one of theirs; every
file that it opens for writing must lie in its own folder, every program that it starts be py-spy.
"""

from __future__ import annotations

import ipaddress
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

INNER = """
import os, subprocess, sys, time
from pathlib import Path
from weaklink.testing.servers import fetch, nginx_server, redis_server
folder = Path(sys.argv[1])
(folder / "n").mkdir(); (folder / "r").mkdir()
http = "server { listen 127.0.0.1:PORT; location / { return 200 fine; } }"
with nginx_server(folder / "n", http) as (master, _), redis_server(folder / "r") as (_pid, port):
    front = int((folder / "n" / "port").read_text())
    for n in range(12):
        fetch(front, f"/thing/{n}")
    argv = ["/usr/bin/strace", "-f", "-qq", "-o", str(folder / "trace"), "-s", "256",
            "-e", "trace=connect,sendto,sendmsg,openat,open,creat,execve,unlink,rename,mkdir",
            sys.executable, "-c", "from weaklink.cli.main import main; main()",
            "diagnose", "--json", "--for", "1s"]
    done = subprocess.run(argv, capture_output=True, text=True)
    (folder / "out").write_text(done.stdout); (folder / "err").write_text(done.stderr)
    print(front, port, done.returncode)
"""
WRITES = re.compile(r'open(?:at)?\((?:AT_FDCWD, )?"([^"]+)", [^)]*O_(?:WRONLY|RDWR|CREAT)')


@pytest.fixture(scope="module", name="traced")
def _traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[int]]:
    folder = tmp_path_factory.mktemp("alone")
    state = folder / "state"
    inner = folder / "inner.py"
    inner.write_text(INNER)
    up = f"ip link set lo up && exec {sys.executable} {inner} {folder}"
    done = subprocess.run(
        ["/usr/bin/unshare", "-n", "-p", "-f", "--mount-proc", "sh", "-c", up],
        capture_output=True,
        text=True,
        check=True,
        timeout=90,
        env={**os.environ, "XDG_STATE_HOME": str(state), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    return folder, [int(word) for word in done.stdout.split()]


@pytest.mark.needs("nginx", "redis", "strace", "root")
def test_only_addresses_of_the_chain_are_contacted(traced: tuple[Path, list[int]]) -> None:
    folder, (front, cache, code) = traced
    assert code in (0, 1, 3), (folder / "err").read_text()
    ports = set()
    for line in (folder / "trace").read_text().splitlines():
        for port, address in re.findall(
            r'sin6?_port=htons\((\d+)\).*?(?:inet_addr\("|AF_INET6, ")([^"]+)"', line
        ):
            assert ipaddress.ip_address(address).is_loopback, line
            ports.add(int(port))
    assert ports <= {front, cache}
    assert cache in ports


@pytest.mark.needs("nginx", "redis", "strace", "root")
def test_only_its_own_folder_is_written_and_only_py_spy_is_started(
    traced: tuple[Path, list[int]],
) -> None:
    folder, _ = traced
    trace = (folder / "trace").read_text()
    written = {path for path in WRITES.findall(trace) if not path.startswith("/dev/")}
    own = ("/var/lib/weaklink", str(folder / "state"))
    assert {path for path in written if not path.startswith(own)} == set()
    started = set(re.findall(r'execve\("([^"]+)"', trace))
    assert {Path(path).name for path in started} <= {Path(sys.executable).name, "python3", "py-spy"}


@pytest.mark.needs("nginx", "redis", "strace", "root")
def test_the_redis_of_the_chain_was_read(traced: tuple[Path, list[int]]) -> None:
    assert '"schema":' in (traced[0] / "out").read_text()
