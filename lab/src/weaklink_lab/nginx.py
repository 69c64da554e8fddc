"""Configuration of the two nginx members: the front, and the balancer before the workers."""

import random
from pathlib import Path

from weaklink_lab.spec import Member, Spec

JSON_FIELDS = (
    ("time", "$time_iso8601"),
    ("client", "$remote_addr"),
    ("method", "$request_method"),
    ("uri", "$request_uri"),
    ("status", "$status"),
    ("bytes", "$body_bytes_sent"),
    ("request_time", "$request_time"),
    ("upstream", "$upstream_addr"),
    ("upstream_time", "$upstream_response_time"),
    ("upstream_status", "$upstream_status"),
)
TEXTS = (
    '$remote_addr [$time_local] "$request" $status $body_bytes_sent rt=$request_time '
    'ua="$upstream_addr" us="$upstream_status" ut="$upstream_response_time"',
    '$msec $remote_addr "$request" $status $body_bytes_sent $request_time '
    "$upstream_addr $upstream_status $upstream_response_time",
    "$time_iso8601 | $remote_addr | $request_method $request_uri | $status | $body_bytes_sent"
    " | $request_time | $upstream_response_time | $upstream_status | $upstream_addr",
)
NAMES = {
    "time": ("time", "ts", "@timestamp"),
    "request_time": ("request_time", "rt", "duration"),
    "upstream": ("upstream_addr", "upstream", "backend"),
    "upstream_time": ("upstream_response_time", "urt", "backend_time"),
}


def log_format(spec: Spec) -> str:
    """Give the log_format directive of this service, or nothing for the built-in one."""
    dice = random.Random(spec.log_seed)
    if spec.log_style == "combined":
        return ""
    if spec.log_style == "text":
        return f"log_format main {_quoted(dice.choice(TEXTS))};"
    fields = [(dice.choice(NAMES.get(name, (name,))), value) for name, value in JSON_FIELDS]
    head, tail = fields[:1], fields[1:]
    dice.shuffle(tail)
    body = ",".join(f'"{name}":"{value}"' for name, value in [*head, *tail])
    return f"log_format main escape=json '{{{body}}}';"


def config(spec: Spec, member: Member, folder: Path) -> str:
    """Give the whole nginx.conf of a front or balancer whose files live in `folder`."""
    style = "combined" if spec.log_style == "combined" else "main"
    front = member.role == "front"
    timeout = spec.front_timeout if front else spec.balancer_timeout
    servers = "\n".join(
        f"        server {_server(spec, target, front)};"
        for target in (spec.of("gateway") if front else spec.of("worker"))
    )
    return f"""worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;

events {{
    worker_connections 4096;
}}

http {{
    {log_format(spec)}
    access_log {folder}/access.log {style};
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server_tokens off;
    keepalive_timeout 75s;
    keepalive_requests 100000;

    upstream backend {{
{servers}
        keepalive 64;
    }}

    server {{
        listen {member.ip}:{member.port} backlog=2048;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        proxy_connect_timeout 3s;
        proxy_read_timeout {timeout}s;
        # A render is too dear to be asked for twice.
        proxy_next_upstream off;

        location / {{
            proxy_pass http://backend;
        }}
{_stream_location(spec) if front else ""}    }}
}}
"""


def _server(spec: Spec, target: Member, front: bool) -> str:
    if front:
        return target.address
    passive = spec.passive
    if passive.max_fails == 0:
        return f"{target.address} max_fails=0"
    return f"{target.address} max_fails={passive.max_fails} fail_timeout={passive.fail_timeout}s"


def _stream_location(spec: Spec) -> str:
    return f"""
        location {spec.routes.events} {{
            proxy_pass http://backend;
            proxy_buffering off;
            proxy_read_timeout 1h;
        }}
"""


def _quoted(text: str) -> str:
    return "'" + text + "'"
