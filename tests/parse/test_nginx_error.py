"""nginx's error log as data; lines as nginx 1.22 writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.nginx_error import group_errors, read_error_line, worth_telling

HEAD = "2026/12/01 04:59:19 [error] 13845#13845: *7 "
TAIL = (
    ', client: 127.0.0.1, server: a.example.com, request: "GET /d?token=hunter2 HTTP/1.1", '
    'upstream: "http://10.0.0.1:8001/d?token=hunter2", host: "a.example.com"'
)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (
            "connect() failed (111: Connection refused) while connecting to upstream",
            "connect-refused",
        ),
        ("connect() failed (113: No route to host) while connecting to upstream", "connect-failed"),
        (
            "connect() to unix:/run/a.sock failed (2: No such file or directory) "
            "while connecting to upstream",
            "connect-failed",
        ),
        (
            "upstream timed out (110: Connection timed out) while connecting to upstream",
            "connect-timeout",
        ),
        (
            "upstream timed out (110: Operation timed out) while reading response header from "
            "upstream",
            "read-timeout",
        ),
        (
            "upstream prematurely closed connection while reading response header from upstream",
            "closed-early",
        ),
        (
            "recv() failed (104: Connection reset by peer) while reading response header from "
            "upstream",
            "reset",
        ),
        ("no live upstreams while connecting to upstream", "no-live-upstreams"),
        ('limiting requests, excess: 5.2 by zone "one"', "limited"),
    ],
)
def test_kinds(said: str, code: str) -> None:
    line = read_error_line(HEAD + said + TAIL)
    assert line is not None
    assert (line.code, line.upstream, line.at) == (code, "10.0.0.1:8001", 1796101159.0)
    assert "hunter2" not in line.text
    assert worth_telling(line)


def test_local_time_is_turned_into_utc() -> None:
    line = read_error_line(HEAD + "no live upstreams", 2 * 3600)
    assert line is not None
    assert line.at == 1796101159.0 - 7200


def test_its_own_syslog_server_is_not_the_chain() -> None:
    line = read_error_line("2026/12/01 04:59:19 [alert] 1#1: connect() failed (2: No such file)")
    assert line is not None
    assert line.code == ""


def test_no_line_is_none() -> None:
    assert read_error_line("hello") is None
    assert read_error_line("2026/13/41 04:59:19 [error] 1#1: x") is None


def test_like_lines_are_put_together() -> None:
    lines = []
    for second in (19, 15, 59):
        text = HEAD.replace(":19 ", f":{second} ") + "no live upstreams" + TAIL
        line = read_error_line(text)
        assert line is not None
        lines.append(line)
    groups = group_errors(lines)
    assert [group.lines for group in groups] == [2, 1]
    assert groups[0].at == 1796101155.0


@given(st.text(max_size=200))
def test_any_line_is_read(text: str) -> None:
    read_error_line(text)
    read_error_line(HEAD + text)
