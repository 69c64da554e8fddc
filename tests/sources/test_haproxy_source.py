"""A real HAProxy: its backends, its log wherever that goes, and requests with real addresses."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from weaklink.model.case import Case, grow
from weaklink.reach.host import NotHere
from weaklink.sources.haproxy import haproxy
from weaklink.sources.nginx_logs import nginx_logs
from weaklink.testing.servers import bare_case, fact_of, fetch, free_port, hands, wait_for

CONFIG = """
global
  log stdout format raw local0
defaults
  mode http
  log global
  option httplog
  timeout client 5s
  timeout connect 1s
  timeout server 3s
frontend web
  bind 127.0.0.1:{front}
  default_backend apps
backend apps
  server one 127.0.0.1:{back}
"""
DAEMON = """
import sys, time
log = open(sys.argv[1], "a")
for line in sys.stdin:
    log.write("Dec  1 10:00:00 gw haproxy[7]: " + line); log.flush()
"""


@pytest.fixture(name="ports")
def a_back_end(tmp_path: Path) -> Iterator[tuple[int, int]]:
    front, back = free_port(), free_port()
    (tmp_path / "hap.cfg").write_text(CONFIG.format(front=front, back=back))
    server = subprocess.Popen(
        [sys.executable, "-m", "http.server", str(back), "--bind", "127.0.0.1"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(("127.0.0.1", back))
        yield front, back
    finally:
        server.kill()
        server.wait()


def ask(front: int, count: int) -> None:
    for number in range(count):
        fetch(front, f"/{number}")


def requests_of(case: Case) -> list[str]:
    seen = haproxy(hands(0.0), case)
    whole = grow(case, logs=seen.logs, upstreams=seen.upstreams)
    rows = nginx_logs(hands(0.0), whole).requests
    return [name for one in rows for name in one.upstream]


@pytest.mark.needs("haproxy")
def test_its_own_output_is_its_log(tmp_path: Path, ports: tuple[int, int]) -> None:
    front, back = ports
    with (tmp_path / "hap.log").open("w") as log:
        proxy = subprocess.Popen(
            ["/usr/sbin/haproxy", "-f", "hap.cfg"], cwd=tmp_path, stdout=log, stderr=log
        )
    try:
        wait_for(("127.0.0.1", front))
        ask(front, 5)
        time.sleep(0.2)
        case = bare_case(fact_of(proxy.pid, "haproxy"))
        seen = haproxy(hands(0.0), case)
        assert [member.address for member in seen.upstreams[0].members] == [f"127.0.0.1:{back}"]
        assert seen.servers[0].listen == [f"127.0.0.1:{front}"]
        assert [Path(log.path).name for log in seen.logs] == ["hap.log"]
        assert requests_of(case) == [f"127.0.0.1:{back}"] * 5
    finally:
        proxy.kill()
        proxy.wait()


@pytest.mark.needs("haproxy")
def test_a_syslog_daemons_file_is_its_log(tmp_path: Path, ports: tuple[int, int]) -> None:
    front, back = ports
    path = tmp_path / "messages.log"
    daemon = subprocess.Popen(
        [sys.executable, "-c", DAEMON, str(path)], stdin=subprocess.PIPE, text=True
    )
    proxy = subprocess.Popen(
        ["/usr/sbin/haproxy", "-f", str(tmp_path / "hap.cfg")],
        stdout=daemon.stdin, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(("127.0.0.1", front))
        ask(front, 4)
        time.sleep(0.3)
        case = bare_case(fact_of(proxy.pid, "haproxy"), fact_of(daemon.pid, "rsyslogd"))
        assert requests_of(case) == [f"127.0.0.1:{back}"] * 4
        alone = haproxy(hands(0.0), bare_case(fact_of(proxy.pid, "haproxy")))
        assert [look.reason.key for look in alone.looks if look.reason] == ["haproxy.no-log"]
    finally:
        for process in (proxy, daemon):
            process.kill()
            process.wait()
        if daemon.stdin is not None:
            daemon.stdin.close()


def test_no_haproxy_is_said() -> None:
    with pytest.raises(NotHere):
        haproxy(hands(0.0), bare_case())
