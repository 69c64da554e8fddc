"""What HAProxy's configuration means for the chain: backends, frontends, timeouts, where it logs.

Sections and keywords as in the HAProxy configuration manual, 4 (proxies) and 5 (bind and server
options). Of `defaults` a section gets those that stand nearest before it. Times without a unit
are milliseconds. What stands between quotes is one word.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from weaklink.model.fact import ProxyLocation, ProxyServer, Upstream, UpstreamMember

SECTIONS = frozenset({"global", "defaults", "frontend", "backend", "listen"})
OTHER_SECTIONS = frozenset(
    {"peers", "resolvers", "userlist", "mailers", "program", "cache", "http-errors", "ring",
     "log-forward", "crt-store", "traces", "fcgi-app"}
)  # fmt: skip
MAX_LINES = 100_000
MAX_MEMBERS = 4_096
_TIME = re.compile(r"(\d{1,12})(us|ms|s|m|h|d)?")
_UNIT = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, None: 1e-3}
_WANTED = {"timeout server": "server", "timeout connect": "connect"}
NEVER = 0.0
"""A timeout that is not set: HAProxy then waits for ever."""


class HaproxyConfig(NamedTuple):
    """What the files say. `logs` are targets of `log`: `stdout`, `/dev/log`, `127.0.0.1:514`."""

    upstreams: list[Upstream]
    servers: list[ProxyServer]
    logs: list[str]
    stats: list[str]
    """Addresses of `stats socket`."""


@dataclass
class _Section:
    kind: str
    name: str
    mode: str = "tcp"
    times: dict[str, float] = field(default_factory=dict)
    policy: str = "round-robin"
    listen: list[str] = field(default_factory=list)
    tls: bool = False
    members: list[UpstreamMember] = field(default_factory=list)
    default: str = ""
    uses: list[str] = field(default_factory=list)
    """Backends that it uses under a condition."""


def read_haproxy(texts: Sequence[str], *, owner: str) -> HaproxyConfig:
    """Facts from the text of all files in their order."""
    sections: list[_Section] = []
    logs: dict[str, None] = {}
    stats: list[str] = []
    defaults = _Section("defaults", "")
    now: _Section | None = None
    for line in [line for text in texts for line in text.split("\n")][:MAX_LINES]:
        words = _words(line)
        if not words:
            continue
        if words[0] in SECTIONS:
            name = words[1] if len(words) > 1 else ""
            now = _begin(words[0], name, defaults)
            if words[0] == "defaults":
                defaults = now = _Section("defaults", name)
            elif words[0] != "global":
                sections.append(now)
        elif words[0] in OTHER_SECTIONS:
            now = None
        elif now is not None:
            if words[0] == "log" and len(words) > 2:
                logs[words[1]] = None
            if now.kind == "global" and words[:2] == ["stats", "socket"] and len(words) > 2:
                stats.append(_address(words[2]))
            _directive(now, words)
    return HaproxyConfig(
        upstreams=[_upstream(one, owner) for one in sections if one.members],
        servers=[_server(one, owner) for one in sections if one.listen],
        logs=list(logs),
        stats=stats,
    )


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line[:8192], comments=True)
    except ValueError:
        return line[:8192].partition("#")[0].split()


def _begin(kind: str, name: str, defaults: _Section) -> _Section:
    return _Section(kind, name, defaults.mode, dict(defaults.times), defaults.policy,
                    default=defaults.default)  # fmt: skip


def _directive(section: _Section, words: list[str]) -> None:
    key = " ".join(words[:2])
    if key in _WANTED and len(words) > 2:
        section.times[_WANTED[key]] = _seconds(words[2])
    elif words[0] == "mode" and len(words) > 1:
        section.mode = words[1]
    elif words[0] == "balance" and len(words) > 1:
        section.policy = {"roundrobin": "round-robin", "leastconn": "least_conn"}.get(
            words[1], words[1]
        )
    elif words[0] == "bind" and len(words) > 1:
        section.listen += [_address(one) for one in words[1].split(",")]
        section.tls = section.tls or "ssl" in words[2:]
    elif words[0] == "default_backend" and len(words) > 1:
        section.default = words[1]
    elif words[0] == "use_backend" and len(words) > 1:
        section.uses.append(words[1])
    elif words[0] == "server" and len(words) > 2 and len(section.members) < MAX_MEMBERS:
        section.members.append(_member(words))


def _member(words: list[str]) -> UpstreamMember:
    options = dict(zip(words[3:], [*words[4:], ""], strict=False))
    fall = options.get("fall", "")
    weight = options.get("weight", "")
    return UpstreamMember(
        address=_address(words[2]),
        name=words[1],
        max_fails=int(fall) if fall.isdigit() and "check" in options else 3,
        down="disabled" in options,
        backup="backup" in options,
        weight=int(weight) if weight.isdigit() and len(weight) < 5 else 1,
    )


def _address(word: str) -> str:
    """`ip:port`, `name:port` or `unix:/path`; `*:80` and `:80` are every address."""
    for family in ("ipv4@", "ipv6@", "tcp@", "quic4@"):
        word = word.removeprefix(family)
    if word.startswith(("unix@", "/")):
        return f"unix:{word.removeprefix('unix@')}"
    if word.startswith("abns@"):
        return f"unix:@{word.removeprefix('abns@')}"
    if word.startswith((":", "*:")):
        return f"0.0.0.0:{word.rpartition(':')[2]}"
    return word


def _seconds(word: str) -> float:
    found = _TIME.fullmatch(word)
    return int(found[1]) * _UNIT[found[2]] if found else NEVER


def _upstream(section: _Section, owner: str) -> Upstream:
    return Upstream(owner=owner, name=section.name, members=section.members, policy=section.policy)


def _server(section: _Section, owner: str) -> ProxyServer:
    own = [section.name] if section.members else []
    passes = [*own, *([section.default] if section.default else []), *section.uses]
    read = section.times.get("server", NEVER)
    connect = section.times.get("connect", NEVER)
    return ProxyServer(
        owner=owner,
        listen=section.listen,
        passes=list(dict.fromkeys(passes)),
        read_timeout=read,
        names=[section.name],
        kind="http" if section.mode == "http" else "stream",
        tls=section.tls,
        locations=[
            ProxyLocation(match="/", passes=one, read_timeout=read, connect_timeout=connect)
            for one in passes[:1]
        ],
    )
