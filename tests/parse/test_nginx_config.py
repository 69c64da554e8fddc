"""nginx configuration files: what they mean, and what becomes of broken ones."""

from __future__ import annotations

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.nginx_config import NginxConfig, duration, pass_target, read_nginx
from weaklink.parse.nginx_tokens import parse_files

MAIN = r"""
user www-data;  # comment with ; and {
error_log /var/log/nginx/error.log warn;
events { worker_connections 768; }
http {
    log_format timed '$remote_addr [$time_local] "$request" $status '
                     '$request_time';
    log_format js escape=json '{"t":$msec,"s":$status}';
    access_log /var/log/nginx/access.log timed;
    map $http_upgrade $connection_upgrade { default upgrade; '' close; }
    proxy_read_timeout 1m 30s;
    init_by_lua_block { if x then y = "}" end }
    include /etc/nginx/conf.d/*.conf;
    include mime.types;
}
stream {
    server { listen 5432; proxy_pass db; }
    upstream db { server 10.0.0.9:5432; }
}
"""
SITE = r"""
upstream members {
    least_conn;
    server 10.0.0.1:8001 max_fails=3 fail_timeout=30s weight=2;
    server 10.0.0.2 backup;
    server unix:/run/app.sock down;
    keepalive 32;
}
server {
    listen 80 default_server;
    listen [::]:80;
    listen 443 ssl;
    server_name a.example.com "b.example.com";
    location / { proxy_pass http://members; limit_req zone=one burst=5; }
    location ~ "^/re/\d{2}" { proxy_pass http://127.0.0.1:9000/x; proxy_read_timeout 5s; }
    location = /health { access_log off; return 200 "ok;{}"; }
    location /v { set $up http://$backend; proxy_pass $up; }
    location /py { include uwsgi_params; uwsgi_pass unix:/run/u.sock; }
    location /api { access_log /var/log/nginx/api.log js; proxy_pass http://members; }
}
server { listen unix:/run/n.sock; access_log logs/two.log; access_log /x/one.log timed;
  location / { grpc_pass grpc://10.0.0.7:50051; } }
"""
FILES = {
    "/etc/nginx/nginx.conf": MAIN,
    "/etc/nginx/conf.d/site.conf": SITE,
    "/etc/nginx/mime.types": "types { text/html html htm; }",
    "/etc/nginx/uwsgi_params": "uwsgi_param QUERY_STRING $query_string;",
}


def read(path: str) -> str:
    try:
        return FILES[path]
    except KeyError:
        raise FileNotFoundError(2, "No such file or directory", path) from None


def glob(pattern: str) -> list[str]:
    return [path for path in FILES if fnmatch.fnmatch(path, pattern)]


@pytest.fixture(name="config")
def read_config() -> NginxConfig:
    return read_nginx("/etc/nginx/nginx.conf", read, glob, owner="process:h/-/1@2")


def test_all_files_are_read_and_nothing_is_wrong(config: NginxConfig) -> None:
    assert set(config.files) == set(FILES)
    assert config.problems == ()


def test_upstreams(config: NginxConfig) -> None:
    members = next(one for one in config.upstreams if one.name == "members")
    assert (members.policy, members.keepalive) == ("least-conn", 32)
    assert members.file == "/etc/nginx/conf.d/site.conf"
    first, second, third = members.members
    assert (first.address, first.max_fails, first.fail_timeout, first.weight) == (
        "10.0.0.1:8001",
        3,
        30.0,
        2,
    )
    assert (second.address, second.backup, second.max_fails) == ("10.0.0.2:80", True, 1)
    assert (third.address, third.down) == ("unix:/run/app.sock", True)
    assert any(one.name == "db" for one in config.upstreams)


def test_servers(config: NginxConfig) -> None:
    site, second, stream = config.servers
    assert site.listen == ["0.0.0.0:80", "[::]:80", "0.0.0.0:443"]
    assert site.names == ["a.example.com", "b.example.com"]
    assert site.tls
    assert site.passes == ["members", "127.0.0.1:9000", "$up", "unix:/run/u.sock"]
    assert site.logs == ["/var/log/nginx/access.log", "/var/log/nginx/api.log"]
    by_match = {one.match: one for one in site.locations}
    assert by_match["/"].limits == ["limit_req zone=one burst=5"]
    assert by_match["/"].read_timeout == 90.0
    assert by_match[r"~ ^/re/\d{2}"].read_timeout == 5.0
    assert second.passes == ["10.0.0.7:50051"]
    assert (stream.kind, stream.passes, stream.listen) == ("stream", ["db"], ["0.0.0.0:5432"])


def test_logs_and_their_formats(config: NginxConfig) -> None:
    logs = {(log.path, log.kind): log for log in config.logs}
    timed = logs["/var/log/nginx/access.log", "access"]
    assert timed.format == '$remote_addr [$time_local] "$request" $status $request_time'
    assert logs["/var/log/nginx/api.log", "access"].format.startswith('escape=json {"t":$msec')
    assert logs["/var/log/nginx/error.log", "error"].owner == "process:h/-/1@2"
    assert "$body_bytes_sent" in logs["logs/two.log", "access"].format


def test_of_two_logs_with_the_same_lines_the_better_is_read(config: NginxConfig) -> None:
    logs = {log.path: log for log in config.logs}
    assert logs["logs/two.log"].same_as == "/x/one.log"
    assert logs["/x/one.log"].same_as == ""


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("http { server { listen 80; ", "nginx.not-closed"),
        ("http { } }", "nginx.too-many-closed"),
        ('http { server_name "x; }', "nginx.open-quote"),
        ("http { server { listen 80 } }", "nginx.no-semicolon"),
        ("include /missing.conf;", "nginx.unreadable"),
        ("include self.conf;", "nginx.too-deep"),
        ("a {" * 50 + "}" * 50, "nginx.too-deep"),
    ],
)
def test_a_broken_file_is_told_and_never_raises(text: str, key: str) -> None:
    files = {"/c/self.conf": text}

    def one(path: str) -> str:
        if path not in files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return files[path]

    parsed = parse_files("/c/self.conf", one, lambda _: [])
    assert key in {problem.key for problem in parsed.problems}


def test_what_stands_before_the_break_is_kept() -> None:
    text = "http { upstream a { server 10.0.0.1:1; } server { listen 81; "
    got = read_nginx("/n", lambda _: text, lambda _: [], owner="o")
    assert got.upstreams[0].members[0].address == "10.0.0.1:1"
    assert got.servers[0].listen == ["0.0.0.0:81"]


def test_a_file_that_may_not_be_read_is_named() -> None:
    def denied(path: str) -> str:
        raise PermissionError(13, "Permission denied", path)

    got = read_nginx("/n", denied, lambda _: [], owner="o")
    assert got.problems[0].args == {"file": "/n", "reason": "Permission denied"}


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("http://members", "members"),
        ("http://10.0.0.1/x", "10.0.0.1:80"),
        ("https://10.0.0.1", "10.0.0.1:443"),
        ("http://gateway:8000/", "gateway:8000"),
        ("http://unix:/tmp/a.sock:/x", "unix:/tmp/a.sock"),
        ("unix:/tmp/a.sock", "unix:/tmp/a.sock"),
        ("http://$host:9000", "$host:9000"),
        ("http://user:pw@members/", "members"),
    ],
)
def test_pass_target(text: str, target: str) -> None:
    assert pass_target(text) == target


def test_durations() -> None:
    assert duration("60") == 60.0
    assert duration("1m 30s") == 90.0
    assert duration("500ms") == 0.5
    assert duration("soon") is None
    assert duration("") is None


@given(st.text(alphabet="ab{};\"'\\$# \n*include", max_size=200))
def test_any_text_is_read(text: str) -> None:
    read_nginx("/n", lambda _: text, lambda pattern: ["/n"], owner="o")


@pytest.mark.parametrize(
    "piece", ["{", "}", '"', "\\", "a ", "${", "a;", "#", "'a", "x_by_lua_block {"]
)
def test_a_hostile_file_of_half_a_megabyte_ends(piece: str) -> None:
    text = piece * (500_000 // len(piece))
    read_nginx("/n", lambda _: text, lambda _: [], owner="o")
