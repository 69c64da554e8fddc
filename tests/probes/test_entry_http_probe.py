"""The active probe asks little, harmless things, and nothing that it does not know."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain, Link
from weaklink.parse.log_format import ROLES
from weaklink.probes.entry_http import cheapest, entry_http, harmless
from weaklink.reach.host import NotHere
from weaklink.sources.nginx import nginx
from weaklink.testing.servers import (
    bare_case,
    fact_of,
    fetch,
    free_port,
    hands,
    nginx_server,
    wait_for,
)

HTTP = """
log_format rich '$msec "$request" $status $request_time';
access_log access.log rich;
server { listen 127.0.0.1:PORT; server_name ai.example.com; return 200 "ok"; }
"""


def row(request: str, status: str = "200", took: str = "0.010") -> tuple[str | None, ...]:
    told = {"request": request, "status": status, "request_time": took}
    return tuple(told.get(role) for role in ROLES)


def entry_case(case: Case, pid: int, port: int) -> Case:
    link = Link(
        key="entry",
        name="nginx",
        role="proxy",
        pids=[pid],
        processes=[f"process:h1/-/{pid}@1"],
        listen=[f"127.0.0.1:{port}"],
        entry=True,
    )
    return grow(case, chain=Chain(links=[link]))


@pytest.mark.needs("nginx")
def test_it_asks_what_users_asked(tmp_path: Path) -> None:
    with nginx_server(tmp_path, HTTP) as (master, _):
        port = int((tmp_path / "port").read_text())
        assert fetch(port, "/v1/health") == 200
        case = bare_case(fact_of(master, "nginx"))
        take = nginx(hands(), case)
        case = entry_case(grow(case, logs=take.logs, servers=take.servers), master, port)
        answers = entry_http(hands(2.2), case).answers
    lines = (tmp_path / "access.log").read_text().splitlines()
    assert 2 <= len(answers) <= 3  # one a second
    assert {(one.status, one.error, one.link) for one in answers} == {(200, "", "entry")}
    assert {one.url for one in answers} == {"http://ai.example.com/v1/health"}
    assert len(lines) == 1 + len(answers)
    assert all('"GET /v1/health HTTP/1.1"' in line for line in lines)


@pytest.mark.needs("nginx")
def test_where_no_get_was_seen_it_only_knocks(tmp_path: Path) -> None:
    with nginx_server(tmp_path, HTTP) as (master, _):
        port = int((tmp_path / "port").read_text())
        fetch(port, "/v1/x?token=hunter2")
        case = bare_case(fact_of(master, "nginx"))
        take = nginx(hands(), case)
        case = entry_case(grow(case, logs=take.logs, servers=take.servers), master, port)
        (answer,) = entry_http(hands(2.0), case).answers
    lines = (tmp_path / "access.log").read_text().splitlines()
    assert (answer.url, answer.status, answer.error) == (f"tcp://127.0.0.1:{port}", 0, "")
    assert len(lines) == 1


def test_a_url_that_the_user_gave_is_asked_and_its_secrets_hidden() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer() -> None:
            link, _ = server.accept()
            link.recv(4096)
            link.sendall(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
            link.close()

        thread = threading.Thread(target=answer)
        thread.start()
        reach = hands(0.5)
        reach.entry = f"http://u:hunter2@127.0.0.1:{port}/x?key=hunter3"
        (got,) = entry_http(reach, bare_case()).answers
        thread.join(5)
    assert got.status == 503
    assert "hunter" not in got.url


def test_a_refusal_and_silence_are_told() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=1) as server:
        port = server.getsockname()[1]
        reach = hands(0.2)
        reach.entry = f"http://127.0.0.1:{port}/"
        (silent,) = entry_http(reach, bare_case()).answers
    reach = hands(0.2)
    reach.entry = f"http://127.0.0.1:{port}/"
    (refused,) = entry_http(reach, bare_case()).answers
    assert (silent.status, silent.error) == (0, "timeout")
    assert silent.duration > 0.5
    assert (refused.status, refused.error) == (0, "refused")


def test_ten_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    reach = hands(0.2)
    reach.until += 30.0
    reach.deadline += 30.0
    reach.entry = f"http://127.0.0.1:{port}/"
    slept: list[float] = []
    monkeypatch.setattr(reach, "pause", slept.append)
    assert len(entry_http(reach, bare_case()).answers) == 10
    assert all(0.5 < pause <= 1.0 for pause in slept)


def test_without_an_entry_nothing_is_asked() -> None:
    with pytest.raises(NotHere):
        entry_http(hands(0.2), bare_case())


@pytest.mark.parametrize("target", ["/", "/healthz", "/v1/models", "/v1/videos/417",
                                    "/v1/preview/8f14e45fceea167a"])  # fmt: skip
def test_harmless(target: str) -> None:
    assert harmless(target)


@pytest.mark.parametrize(
    "target",
    [
        "/v1/x?token=abc",
        "/logout",
        "/admin/users",
        "/v1/jobs/7/cancel",
        "/users/bob@example.com",
        "/t/q7Rk2LmX9vTb4NcZ8sWd1YhG",
        "/v1/chat/completions",
        "/a b",
        "http://other/",
        "/%2e%2e/x",
        "/\x1b[31m",
        "",
    ],
)
def test_not_harmless(target: str) -> None:
    assert not harmless(target)


def test_the_cheapest_is_chosen() -> None:
    rows = [
        *[row("GET /v1/slow HTTP/1.1", took="1.500")] * 5,
        *[row("GET /v1/quick/12 HTTP/1.1", took="0.004")] * 3,
        *[row("GET /v1/quick/7 HTTP/1.1", took="0.004")] * 3,
        row("GET /v1/broken HTTP/1.1", status="502", took="0.001"),
        row("POST /v1/post HTTP/1.1", took="0.001"),
        row("GET /v1/tail HTTP/1.1", took="9.000"),
        row("\\x16\\x03", status="400"),
    ]
    assert cheapest(rows) == "/v1/quick/7"
    assert cheapest(rows[-4:]) == ""
    assert cheapest([]) == ""


def test_an_application_without_a_proxy_is_asked_what_its_own_log_shows(tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    log.write_text(
        'INFO:     10.0.0.9:1 - "POST /v1/chat HTTP/1.1" 200 OK\n'
        'INFO:     10.0.0.9:1 - "GET /v1/models HTTP/1.1" 200 OK\n'
    )
    port = free_port()
    with log.open("a") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"],
            stdout=out, stderr=out, cwd=tmp_path,
        )  # fmt: skip
    try:
        wait_for(("127.0.0.1", port))
        fact = fact_of(server.pid, "python3")
        link = Link(
            key="link:h1/-/app", name="app", role="app", pids=[server.pid], processes=[fact.key],
            listen=[f"127.0.0.1:{port}"], entry=True,
        )  # fmt: skip
        (answer,) = entry_http(hands(0.3), grow(bare_case(fact), chain=Chain(links=[link]))).answers
    finally:
        server.kill()
        server.wait()
    assert answer.url == f"http://127.0.0.1:{port}/v1/models"
    assert answer.status == 404
