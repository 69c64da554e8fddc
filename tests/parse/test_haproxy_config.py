"""What HAProxy's configuration means for the chain."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.haproxy_config import read_haproxy

TEXT = """
global
    log /dev/log local0   # where lines go
    stats socket /run/haproxy/admin.sock mode 660 level admin
defaults "all of ours"
    mode http
    timeout connect 500
    timeout server 8s
frontend web
    bind *:443,:8443 ssl crt /etc/ssl/a.pem
    use_backend gpu if { path_beg /v1/videos }
    default_backend apps
backend apps
    balance leastconn
    server a 10.0.0.1:8000 check fall 2 weight 5
    server b unix@/run/app.sock backup
backend gpu
    timeout server 2m
    server g1 gpu1.internal:9000 disabled
peers others
    server c 10.9.9.9:1
defaults
    mode tcp
listen redis
    bind 127.0.0.1:6380
    server r 127.0.0.1:6379
"""


def test_backends_and_their_members() -> None:
    config = read_haproxy([TEXT], owner="p")
    by_name = {one.name: one for one in config.upstreams}
    assert set(by_name) == {"apps", "gpu", "redis"}
    apps = by_name["apps"]
    assert apps.policy == "least_conn"
    assert [(m.name, m.address, m.weight, m.max_fails, m.backup) for m in apps.members] == [
        ("a", "10.0.0.1:8000", 5, 2, False),
        ("b", "unix:/run/app.sock", 1, 3, True),
    ]
    assert by_name["gpu"].members[0].down


def test_who_listens_passes_and_for_how_long() -> None:
    config = read_haproxy([TEXT], owner="p")
    web, redis = config.servers
    assert web.listen == ["0.0.0.0:443", "0.0.0.0:8443"]
    assert web.passes == ["apps", "gpu"]
    assert (web.read_timeout, web.locations[0].connect_timeout, web.tls) == (8.0, 0.5, True)
    assert (redis.kind, redis.passes, redis.read_timeout) == ("stream", ["redis"], 0.0)


def test_where_it_logs_and_where_it_is_asked() -> None:
    config = read_haproxy([TEXT], owner="p")
    assert config.logs == ["/dev/log"]
    assert config.stats == ["unix:/run/haproxy/admin.sock"]


def test_files_follow_one_another() -> None:
    first, second = TEXT.split("backend apps", 1)
    config = read_haproxy([first, "backend apps" + second], owner="p")
    assert [one.name for one in config.upstreams] == ["apps", "gpu", "redis"]


@given(st.text(max_size=300))
def test_any_text_is_read_or_passed_over(text: str) -> None:
    read_haproxy(
        [text, f"backend x\n server {text}\n bind {text}\n timeout server {text}"], owner="p"
    )
