"""nginx found among processes, its files read as files: frozen ones and a real one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from weaklink.model.case import Case, grow
from weaklink.model.fact import Process
from weaklink.model.take import Take
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.root import Root
from weaklink.sources.nginx import instances, nginx
from weaklink.sources.nginx_logs import nginx_logs
from weaklink.testing.servers import bare_case, fact_of, fetch, hands, nginx_server

MAIN = "http { upstream up { server 10.0.0.1:80; } server { listen 80; access_log /var/log/a.log;"
MAIN += " location / { proxy_pass http://up; } } include sites/*; }"


def process(pid: int, ppid: int, title: str, **more: object) -> Process:
    fields: dict[str, object] = {
        "key": f"process:h1/-/{pid}@1",
        "pid": pid,
        "ppid": ppid,
        "start_ticks": 1,
        "start": 1000.0,
        "name": "nginx",
        "state": "S",
        "command": [title],
        **more,
    }
    return Process(**fields)  # type: ignore[arg-type]


def frozen(path: Path, files: dict[str, str]) -> Reach:
    for name, text in files.items():
        file = path / name.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    now = time.monotonic()
    return Reach(root=Root(str(path)), window=0.0, until=now, deadline=now + 2)


def test_files_are_found_as_the_master_sees_them(tmp_path: Path) -> None:
    # Two instances with the same path in their own roots, as in two containers.
    reach = frozen(
        tmp_path,
        {
            "/proc/7/root/etc/nginx/nginx.conf": MAIN,
            "/proc/7/root/etc/nginx/sites/one": "server { listen 81; }",
            "/proc/7/root/etc/nginx/sites/.hidden": "broken {",
            "/proc/9/root/etc/nginx/nginx.conf": MAIN.replace("10.0.0.1", "10.0.0.2"),
        },
    )
    case = bare_case(
        process(7, 1, "nginx: master process nginx -g daemon off;"),
        process(8, 7, "nginx: worker process"),
        process(9, 1, "nginx: master process /usr/sbin/nginx", root="/data/c2"),
    )
    take = nginx(reach, case)
    assert [one.members[0].address for one in take.upstreams] == ["10.0.0.1:80", "10.0.0.2:80"]
    assert [one.listen for one in take.servers] == [["0.0.0.0:80"], ["0.0.0.0:81"], ["0.0.0.0:80"]]
    assert len({log.key for log in take.logs}) == 2
    assert take.looks == []


def test_an_option_names_the_file(tmp_path: Path) -> None:
    reach = frozen(tmp_path, {"/srv/x.conf": MAIN, "/srv/conf/y.conf": MAIN})
    for title in (
        "nginx -c /srv/x.conf",
        "nginx -p /srv -c conf/y.conf",
        "nginx -p /srv/ -cx.conf",
    ):
        case = bare_case(process(7, 1, f"nginx: master process {title}"))
        take = nginx(reach, case)
        assert len(take.upstreams) == (0 if "-cx" in title else 1)


def test_no_file_is_said(tmp_path: Path) -> None:
    take = nginx(frozen(tmp_path, {}), bare_case(process(7, 1, "nginx: master process nginx")))
    assert [one.reason.key for one in take.looks if one.reason] == ["nginx.no-config"]


def test_a_broken_file_is_told_with_its_line(tmp_path: Path) -> None:
    reach = frozen(tmp_path, {"/etc/nginx/nginx.conf": "http {\n server {\n listen 80;\n"})
    take = nginx(reach, bare_case(process(7, 1, "nginx: master process nginx")))
    assert {one.outcome for one in take.looks} == {"failed"}
    assert take.servers[0].listen == ["0.0.0.0:80"]


def test_without_nginx_nothing_is_here() -> None:
    with pytest.raises(NotHere):
        nginx(hands(), bare_case())


def test_workers_tell_when_the_configuration_was_read() -> None:
    master = process(7, 1, "nginx: master process nginx", start=100.0)
    old = process(8, 7, "nginx: worker process is shutting down", start=101.0)
    new = process(9, 7, "nginx: worker process", start=500.0)
    cache = process(10, 7, "nginx: cache manager process", start=900.0)
    (one,) = instances([master, old, new, cache])
    assert one.loaded == 500.0
    assert one.workers == [new]


def live_case(master: int, workers: list[int]) -> Case:
    facts = [fact_of(master, "nginx")]
    facts += [fact_of(pid, "nginx", ppid=master) for pid in workers]
    return bare_case(*facts)


def grown(case: Case, take: Take) -> Case:
    return grow(case, logs=take.logs, servers=take.servers, configs=take.configs)


HTTP = """
log_format rich '$msec $remote_addr "$request" $status $request_time "$http_user_agent" '
                '$upstream_addr $upstream_status $upstream_response_time $upstream_connect_time';
access_log access.log rich;
access_log plain.log;
upstream app { server 127.0.0.1:PORT; server 127.0.0.1:1 backup; }
server { listen 127.0.0.1:PORT; server_name inner; access_log off;
         location / { return 200 "ok"; } }
server { listen 127.0.0.1:PORT default_server;
         location /app { proxy_pass http://app; proxy_set_header Host inner; }
         location /dead { proxy_pass http://127.0.0.1:1; }
         location / { return 204; } }
"""


@pytest.mark.needs("nginx")
def test_a_real_one_from_files_to_requests(tmp_path: Path) -> None:
    with nginx_server(tmp_path, HTTP) as (master, workers):
        port = int((tmp_path / "port").read_text())
        for number in range(5):
            assert fetch(port, f"/app/videos/{number}?token=hunter2") == 200
        assert fetch(port, "/dead/x") == 502
        case = live_case(master, workers)
        take = nginx(hands(), case)
        case = grown(case, take)
        got = nginx_logs(hands(0.0), case)
    # Of the two logs with the same lines the one that tells more is read.
    (requests,) = got.requests
    assert requests.source.endswith("/access.log")
    assert len(requests) == 6
    assert requests.resolution == 0.001
    assert set(requests.route) == {"/app/videos/{}", "/dead/x"}
    assert requests.status[-1] == 502
    assert requests.upstream[0] == f"127.0.0.1:{port}"
    assert requests.upstream[-1] == "127.0.0.1:1"
    assert all(duration is not None for duration in requests.duration)
    assert "hunter2" not in str(got)
    assert [event.details["code"] for event in got.events] == ["connect-refused"]
    assert got.events[0].details["upstream"] == "127.0.0.1:1"
    assert [one.reason.key for one in got.looks if one.reason] == []


@pytest.mark.needs("nginx")
def test_a_reload_is_an_event(tmp_path: Path) -> None:
    with nginx_server(tmp_path, HTTP) as (master, workers):
        case = live_case(master, workers)
        now = time.time()

        def take_of(age: float) -> Take:
            workers_now = [fact_of(pid, "nginx", ppid=master, start=now - age) for pid in workers]
            own = fact_of(master, "nginx", start=now - 100)
            return nginx(hands(), grow(case, processes=[own, *workers_now]))

        takes = {age: take_of(age) for age in (100.0, 40.0, -60.0)}
    reloads = {
        age: [event.at for event in take.events if "reload" in event.details]
        for age, take in takes.items()
    }
    # Workers as old as their master were not reloaded; ones from the future are a broken clock.
    assert reloads == {100.0: [], 40.0: [now - 40], -60.0: []}
    # The files were written just now, long after the workers started: not what runs.
    assert {
        event.details["loaded"] for event in takes[40.0].events if "loaded" in event.details
    } == {0}


@pytest.mark.needs("nginx", "strace", "root")
def test_reading_writes_nothing_and_starts_nothing(tmp_path: Path) -> None:
    """P6: no file is opened for writing, no program is started."""
    script = (
        "import sys, os; from weaklink.testing.servers import *;"
        "from weaklink.sources.nginx import nginx; from weaklink.sources.nginx_logs import *;"
        "from weaklink.model.case import grow;"
        "case = bare_case(fact_of(int(sys.argv[1]), 'nginx')); os.write(2, b'BEGIN');"
        "take = nginx(hands(), case);"
        "got = nginx_logs(hands(0.0), grow(case, logs=take.logs)); os.write(2, b'END');"
        "print(len(got.requests[0]))"
    )
    with nginx_server(tmp_path, HTTP) as (master, _):
        fetch(int((tmp_path / "port").read_text()), "/x")
        log = tmp_path / "trace"
        traced = ["/usr/bin/strace", "-f", "-o", str(log), "-e", "trace=%file,write,execve"]
        out = subprocess.run(
            [*traced, sys.executable, "-c", script, str(master)],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
    assert out.stdout.strip() == b"1"
    during = log.read_text().partition("BEGIN")[2].partition("END")[0]
    assert "O_RDONLY" in during
    for word in ("O_WRONLY", "O_RDWR", "O_CREAT", "execve(", "unlink", "rename", "mkdir"):
        assert word not in during


@pytest.fixture(name="open_folder")
def folder_that_others_may_read() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="weaklink-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.needs("nginx", "setpriv", "root")
def test_without_rights_it_says_so(open_folder: Path) -> None:
    """P14: an unprivileged user sees the files of a host's nginx, not those that are closed."""
    tmp_path = open_folder
    script = (
        "import sys; from weaklink.testing.servers import *;"
        "from weaklink.sources.nginx import nginx; from weaklink.sources.nginx_logs import *;"
        "from weaklink.model.case import grow; from weaklink.model.fact import *;"
        "p = Process(key='k', pid=int(sys.argv[1]), ppid=1, start_ticks=1, start=1.0, name='nginx',"
        " state='S', command=[sys.argv[2]]); case = bare_case(p);"
        "take = nginx(hands(), case); got = nginx_logs(hands(0.0), grow(case, logs=take.logs));"
        "print([one.outcome for one in take.looks], len(take.servers),"
        " [one.outcome for one in got.looks])"
    )
    with nginx_server(tmp_path, HTTP) as (master, _):
        fetch(int((tmp_path / "port").read_text()), "/x")
        (tmp_path / "access.log").chmod(0o600)
        (tmp_path / "nginx.conf").chmod(0o644)
        title = f"nginx: master process nginx -c {tmp_path}/nginx.conf -p {tmp_path}"
        out = subprocess.run(
            [
                "/usr/bin/setpriv",
                "--reuid",
                "65534",
                "--clear-groups",
                sys.executable,
                "-c",
                script,
                str(master),
                title,
            ],
            capture_output=True,
            check=True,
        )
    assert out.stdout.decode().strip() == "[] 2 ['denied']"


def test_signal_is_never_sent() -> None:
    """Sources have no way to signal a process: nothing in them imports `signal` or `os.kill`."""
    from weaklink import sources

    for file in Path(str(sources.__file__)).parent.glob("*.py"):
        text = file.read_text()
        assert "os.kill" not in text
        assert "import signal" not in text
    assert signal.SIGTERM
