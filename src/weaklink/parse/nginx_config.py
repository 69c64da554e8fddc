"""What an nginx configuration means for the chain: upstreams, servers, logs, limits, timeouts.

Sources for defaults: nginx.org, ngx_http_upstream_module (max_fails=1, fail_timeout=10s) and
ngx_http_proxy_module (timeouts of 60s). Variables are kept as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from weaklink.model.fact import LogFile, ProxyLocation, ProxyServer, Upstream, UpstreamMember
from weaklink.model.message import Message
from weaklink.parse.log_format import COMBINED
from weaklink.parse.nginx_tokens import Directive, Glob, Read, parse_files

PASSES = ("proxy_pass", "grpc_pass", "uwsgi_pass", "fastcgi_pass", "scgi_pass", "memcached_pass")
_DEFAULT_PORT = {"http": "80", "https": "443", "grpc": "80", "grpcs": "443"}
_POLICIES = ("least_conn", "ip_hash", "hash", "random", "least_time", "sticky")
_DURATION = re.compile(r"(\d{1,12})(ms|[smhdwMy]?)")
_SECONDS = {
    "": 1.0,
    "ms": 0.001,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 7 * 86400.0,
    "M": 30 * 86400.0,
    "y": 365 * 86400.0,
}
MAX_SERVERS = 2_000
"""Virtual servers kept; beyond that a host serves strangers' sites, not one service."""


class NginxConfig(NamedTuple):
    """What the files say. `default_log` is True where no directive turns access logs on or off."""

    upstreams: list[Upstream]
    servers: list[ProxyServer]
    logs: list[LogFile]
    files: tuple[str, ...]
    problems: tuple[Message, ...]
    default_log: bool
    pid_file: str = ""


class _Scope(NamedTuple):
    """What an inner block inherits."""

    access: tuple[tuple[str, str], ...] | None = None
    """(path, format name) pairs, None where nothing was said."""
    errors: tuple[str, ...] = ()
    read_timeout: float = 60.0
    connect_timeout: float = 60.0
    limits: tuple[str, ...] = ()


def read_nginx(path: str, read: Read, glob: Glob, *, owner: str, base: str = "") -> NginxConfig:
    """Facts from a configuration file and all that it includes; see `parse_files`."""
    parsed = parse_files(path, read, glob, base=base)
    top = Directive("main", (), parsed.directives, path, 0)
    gathered = _Gathered(owner)
    scope = _scope(top, _Scope())
    for kind in ("http", "stream"):
        for block in top.find(kind):
            gathered.block(block, kind, scope)
    gathered.error_logs(scope.errors)
    pid = next((d.args[0] for d in top.find("pid") if d.args), "")
    return NginxConfig(
        gathered.upstreams,
        gathered.servers[:MAX_SERVERS],
        list(gathered.logs.values()),
        parsed.files,
        parsed.problems,
        gathered.default_log,
        pid,
    )


def duration(text: str) -> float | None:
    """Seconds of nginx's `60`, `1m 30s`, `500ms`; None where it is none."""
    found = _DURATION.findall(text)
    if not found or "".join(f"{value}{unit}" for value, unit in found) != text.replace(" ", ""):
        return None
    return sum(float(value) * _SECONDS[unit] for value, unit in found)


class _Gathered:
    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.upstreams: list[Upstream] = []
        self.servers: list[ProxyServer] = []
        self.logs: dict[tuple[str, str], LogFile] = {}
        self.default_log = False

    def block(self, block: Directive, kind: str, outer: _Scope) -> None:
        formats = {"combined": COMBINED}
        for one in block.find("log_format"):
            if len(one.args) >= 2:
                formats[one.args[0]] = _pattern(one.args[1:])
        scope = _scope(block, outer)
        for one in block.find("upstream"):
            self.upstreams.append(_upstream(one, self.owner))
        for one in block.find("server"):
            if len(self.servers) < MAX_SERVERS:
                self.server(one, kind, scope, formats)

    def server(self, block: Directive, kind: str, outer: _Scope, formats: dict[str, str]) -> None:
        scope = _scope(block, outer)
        listen = [address for d in block.find("listen") if d.args and (address := _listen(d.args))]
        tls = any("ssl" in d.args for d in block.find("listen"))
        names = [name for d in block.find("server_name") for name in d.args]
        passes: list[str] = []
        locations: list[ProxyLocation] = []
        logs: list[str] = []
        self.access_logs(scope, formats, logs, kind)
        for match, one, inner in _walk(block, "", scope):
            if one.name == "access_log" and match:
                self.access_logs(inner, formats, logs, kind)
            if one.name in PASSES and one.args:
                target = pass_target(one.args[0], one.name)
                passes.append(target)
                locations.append(
                    ProxyLocation(
                        match=match or "/",
                        passes=target,
                        read_timeout=inner.read_timeout,
                        connect_timeout=inner.connect_timeout,
                        limits=list(inner.limits),
                    )
                )
        self.error_logs(scope.errors)
        self.servers.append(
            ProxyServer(
                owner=self.owner,
                listen=listen or ["0.0.0.0:80"],
                passes=list(dict.fromkeys(passes)),
                logs=list(dict.fromkeys(logs)),
                read_timeout=max((one.read_timeout for one in locations), default=60.0),
                file=block.file,
                names=names[:20],
                locations=locations[:200],
                kind=kind,
                tls=tls,
            )
        )

    def access_logs(
        self, scope: _Scope, formats: dict[str, str], logs: list[str], kind: str
    ) -> None:
        if scope.access is None:
            self.default_log = self.default_log or kind == "http"
            return
        known = [(path, formats.get(name, "")) for path, name in scope.access]
        best = max(known, key=_tells)[0]
        for path, pattern in known:
            if path != "off":
                logs.append(path)
            twin = best if _tells((path, pattern)) < _tells((best, dict(known)[best])) else ""
            log = LogFile(owner=self.owner, path=path, kind="access", format=pattern, same_as=twin)
            # Alone in one place is enough to be read: there it has lines that no other has.
            if (path, pattern) not in self.logs or not twin:
                self.logs[path, pattern] = log

    def error_logs(self, paths: tuple[str, ...]) -> None:
        for path in paths:
            self.logs.setdefault(
                (path, "error"), LogFile(owner=self.owner, path=path, kind="error", format="")
            )


def _walk(block: Directive, match: str, scope: _Scope) -> Iterator[tuple[str, Directive, _Scope]]:
    """Every directive inside a server with its location and what applies there."""
    for one in block.block or ():
        if one.block is None:
            yield match, one, scope
        elif one.name in ("location", "if", "limit_except"):
            inner = _scope(one, scope)
            here = " ".join(one.args) if one.name == "location" else match
            yield from _walk(one, here, inner)


def _scope(block: Directive, outer: _Scope) -> _Scope:
    access: list[tuple[str, str]] = []
    errors: list[str] = []
    limits: list[str] = []
    read, connect = outer.read_timeout, outer.connect_timeout
    for one in block.block or ():
        if one.block is not None or not one.args:
            continue
        if one.name == "access_log":
            options = [arg for arg in one.args[1:] if "=" not in arg]
            name = options[0] if options and options[0] != "gzip" else "combined"
            squeezed = any(arg == "gzip" or arg.startswith("gzip=") for arg in one.args[1:])
            access.append((one.args[0], "gzip" if squeezed else name))
        elif one.name == "error_log":
            errors.append(one.args[0])
        elif one.name in ("limit_req", "limit_conn"):
            limits.append(" ".join((one.name, *one.args)))
        elif one.name.endswith("_read_timeout") or one.name == "proxy_timeout":
            read = duration(" ".join(one.args)) or read
        elif one.name.endswith("_connect_timeout"):
            connect = duration(" ".join(one.args)) or connect
    return _Scope(
        tuple(access) if access else outer.access,
        tuple(errors) or outer.errors,
        read,
        connect,
        tuple(limits) or outer.limits,
    )


def _tells(log: tuple[str, str]) -> tuple[int, str]:
    """How much a log tells, to choose among those that get the same lines; then by name."""
    path, pattern = log
    if not path.startswith("/") and ("." not in path or ":" in path):
        return -1, path  # off, syslog:, stderr
    worth = 8 * ("$request_time" in pattern) + 4 * ("$upstream_" in pattern)
    return worth + 2 * ("$msec" in pattern) + 1 * ("$time_" in pattern), path


def _pattern(args: tuple[str, ...]) -> str:
    if args[0].startswith("escape="):
        return f"{args[0]} {''.join(args[1:])}"
    return "".join(args)


def _upstream(block: Directive, owner: str) -> Upstream:
    members: list[UpstreamMember] = []
    policy, keepalive = "round-robin", 0
    for one in block.block or ():
        if one.name == "server" and one.args and len(members) < 1_000:
            members.append(_member(one.args))
        elif one.name in _POLICIES:
            policy = " ".join((one.name, *one.args)).replace("_", "-", 1)
        elif one.name == "keepalive" and one.args and one.args[0].isdigit():
            keepalive = int(one.args[0][:9])
    name = block.args[0] if block.args else ""
    return Upstream(
        owner=owner,
        name=name,
        members=members,
        policy=policy,
        file=block.file,
        keepalive=keepalive,
    )


def _member(args: tuple[str, ...]) -> UpstreamMember:
    options = dict(arg.partition("=")[::2] for arg in args[1:])
    address = args[0]
    if not address.startswith("unix:") and not re.search(r":\d{1,5}$", address):
        address = f"{address}:80"
    return UpstreamMember(
        address=address,
        max_fails=_count(options.get("max_fails", ""), 1),
        fail_timeout=_or(duration(options.get("fail_timeout", "")), 10.0),
        down="down" in options,
        backup="backup" in options,
        weight=_count(options.get("weight", ""), 1),
    )


def _count(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


def pass_target(text: str, directive: str = "proxy_pass") -> str:
    """The upstream's name or the address that a `proxy_pass` and the like hands requests to."""
    scheme, found, rest = text.partition("://")
    if not found:
        scheme, rest = "", text
    if rest.startswith("unix:"):
        if not found:
            return rest
        return rest[:-1] if rest.endswith(":") else rest.rpartition(":/")[0] or rest
    host = rest.partition("/")[0] if not rest.startswith("$") else rest
    host = host.rpartition("@")[2]
    if re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:.]+\]", host):
        port = _DEFAULT_PORT.get(scheme or ("grpc" if directive == "grpc_pass" else "http"), "80")
        return f"{host}:{port}"
    return host


def _listen(args: tuple[str, ...]) -> str:
    where = args[0]
    if where.startswith("unix:"):
        return where
    if where.isdigit():
        return f"0.0.0.0:{where}"
    if where.startswith("*:"):
        return f"0.0.0.0:{where[2:]}"
    if where.startswith("["):
        return where if "]:" in where else f"{where}:80"
    return where if ":" in where else f"{where}:80"
