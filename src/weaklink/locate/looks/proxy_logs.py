"""Error logs of nginx and HAProxy: which upstream failed, in which phase, and whose fault it is.

A timeout while connecting is the network or a dead host; one while reading is a slow or frozen
worker. "512 worker_connections are not enough" may come from the cache manager, which has 512
whatever is configured.
"""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.log_rules import Rule, arguments_of, judge
from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, lasting
from weaklink.locate.view import View
from weaklink.model.fact_text_log import Saying
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.nginx.no-live-upstreams": "no live upstreams[ in {about}][ ({times} times)]: all "
        "its members failed and were put aside, requests get 502 at once",
        "finding.nginx.none-left-because": "no live upstreams in {about}[ ({times} times)]: "
        "{member} refuses connections, so every member was put aside: a total outage behind nginx",
        "finding.nginx.connect-refused": "{about} refuses connections[ ({times} times)]: nothing "
        "listens there",
        "finding.nginx.connect-timeout": "timeout while connecting to {about}[ ({times} times)], "
        "not while waiting for an answer: the host or pod cannot be reached, or its accept queue "
        "is full",
        "finding.nginx.connect-failed": "connecting to {about} fails[ ({times} times)]: {text}",
        "finding.nginx.ports": "no local port is free for connections to {about}[ ({times} times)]:"
        " too many short connections",
        "finding.nginx.no-route": "there is no way to {about}[ ({times} times)]: {text}",
        "finding.nginx.backlog": "the accept queue of {about} is full[ ({times} times)]: its "
        "workers do not accept",
        "finding.nginx.read-timeout": "{about} accepted the request and did not answer in time"
        "[ ({times} times)]: it is slow, frozen or its queue is long",
        "finding.nginx.closed-early": "{about} closed before it answered (prematurely closed)"
        "[ ({times} times)]: its worker died (timeout, memory) or it had just given up the idle "
        "connection (keep-alive race)",
        "finding.nginx.reset": "the connection to {about} was reset[ ({times} times)]: its worker "
        "died, or a keep-alive race",
        "finding.nginx.cache-manager": "{limit} worker_connections ran out in the cache manager "
        "process (pid {about}), which has a fixed {limit} whatever is configured; the workers that "
        "serve requests are not concerned",
        "finding.nginx.perhaps-cache-manager": "{limit} worker_connections ran out in pid {about}: "
        "{limit} is the default, but also what the cache manager process always has; which of the "
        "two, only the process tells",
        "finding.nginx.worker-connections": "a worker has no free connection left (its limit is "
        "{limit})[, {times} times]: new requests fail",
        "finding.nginx.file-limit": "nginx has no free file descriptor[ ({times} times)]",
        "finding.nginx.disk-full": "the disk that nginx writes to is full[ ({times} times)]",
        "finding.nginx.limited": "requests are limited by configuration[ ({times} times)]",
        "finding.nginx.resolve-failed": "a name could not be resolved[ ({times} times)]: {text}",
        "finding.nginx.tls": "the TLS handshake fails[ with {about}][ ({times} times)]",
        "finding.nginx.temporary-file": "answers are larger than the buffers and go through a "
        "temporary file on disk[ ({times} times)]; slower, no outage",
        "finding.nginx.too-big": "clients send bodies larger than client_max_body_size"
        "[ ({times} times)]: 413",
        "finding.nginx.worker-died": "an nginx worker died[ ({times} times)]: {text}",
        "finding.nginx.ejected": "a member was put aside for a while[: {about}][ ({times} times)]",
        "finding.nginx.serious": "{text}",
        "finding.nginx.quiet": "nothing serious in nginx' error log",
        "finding.haproxy.refused": "{about} refuses or fails connections[ ({times} requests)]",
        "finding.haproxy.connect-timeout": "connecting to {about} times out[ ({times} requests)]",
        "finding.haproxy.closed": "{about} closed before it answered[ ({times} requests)]: its "
        "worker died, or a keep-alive race",
        "finding.haproxy.silent": "{about} did not answer in time[ ({times} requests)]: slow or "
        "frozen",
        "finding.haproxy.stream": "{about} stopped in the middle of its answers[ ({times} "
        "requests)]",
        "finding.haproxy.queue": "requests for {about} waited in HAProxy's queue until they timed "
        "out[ ({times} requests)]: maxconn of the servers is used up",
        "finding.haproxy.proxy": "HAProxy itself refused[ {times}] requests: no slot or no server",
        "finding.haproxy.invalid": "{about} gave invalid answers[ ({times} requests)]",
        "finding.haproxy.clients": "clients left before {about} had answered[ ({times} requests)]",
        "finding.haproxy.errors": "{about} answers {status}[ ({times} requests)]",
        "finding.haproxy.down": "server {about} is down[: {why}][ ({times} times)]",
        "finding.haproxy.none-left": "{about} has no server left: every request gets 503",
        "finding.haproxy.waits": "requests for {about} wait up to {wait} in HAProxy's queue",
        "finding.haproxy.fine": "requests end well in HAProxy's log",
    }
)
NGINX = {
    "no-live-upstreams": Rule("critical", "upstream-down", 0.9, "lines before: why each failed"),
    "connect-refused": Rule("critical", "upstream-down", 0.9, "ss -ltn on that host; its log"),
    "connect-timeout": Rule("critical", "upstream-down", 0.7,
                            "ping and ip route get to it; ss -ltn there: Recv-Q at its backlog"),
    "connect-failed": Rule("critical", "upstream-down", 0.7, "ip route get; ss -ltn there"),
    "read-timeout": Rule("critical", "worker-frozen", 0.5,
                         "the worker's stacks and queue; proxy_read_timeout against its answers"),
    "closed-early": Rule("critical", "worker-crash-loop", 0.6,
                         "WORKER TIMEOUT or an OOM kill at the same second; keep-alive times"),
    "reset": Rule("critical", "worker-crash-loop", 0.55, "its log at that second; keep-alive"),
    "file-limit": Rule("critical", "fd-exhausted", 0.95, "worker_rlimit_nofile; ls /proc/PID/fd"),
    "disk-full": Rule("critical", "disk-full", 0.95, "df -h; df -i"),
    "limited": Rule("warn", "gateway-limit", 0.8, "limit_req and limit_conn of that location"),
    "resolve-failed": Rule("critical", "dns-slow", 0.8, "dig with nginx' resolver"),
    "tls": Rule("warn", "tls-failure", 0.7, "openssl s_client -connect; certificate dates", 20),
    "temporary-file": Rule("warn", "proxy-buffers-stream", 0.4, "proxy_buffers; iostat"),
    "too-big": Rule("warn", "gateway-limit", 0.6, "client_max_body_size"),
    "worker-died": Rule("critical", "worker-crash-loop", 0.8, "dmesg: segfault, OOM kill"),
    "ejected": Rule("warn", "peers-ejected", 0.8, "why it failed: the lines before"),
    "emerg": Rule("critical", "bad-deploy", 0.5, "nginx -t"),
    "alert": Rule("warn", "", 0.5, ""),
    "crit": Rule("warn", "", 0.5, ""),
    "quiet": Rule("healthy", "", 0.5),
}  # fmt: skip
_SERIOUS = ("emerg", "alert", "crit")
FIXED = 512
"""ngx_cache_manager_process_cycle sets it; it is the default of `worker_connections` as well."""
HAPROXY: dict[str, tuple[str, Rule]] = {
    "SC": ("refused", Rule("critical", "upstream-down", 0.85, "ss -ltn on that host; its log")),
    "sC": ("connect-timeout", Rule("critical", "upstream-down", 0.75, "ping; ss -ltn there")),
    "SH": ("closed", Rule("critical", "worker-crash-loop", 0.65, "its log at that second; dmesg")),
    "sH": ("silent", Rule("critical", "worker-frozen", 0.55, "its stacks; timeout server")),
    "SD": ("stream", Rule("critical", "worker-crash-loop", 0.5, "its log at that second", 0)),
    "sD": ("stream", Rule("critical", "worker-frozen", 0.5, "its stacks; timeout server")),
    "sQ": ("queue", Rule("critical", "gateway-limit", 0.8, "show servers conn; what is slow")),
    "PC": ("proxy", Rule("critical", "gateway-limit", 0.7, "maxconn; are servers up")),
    "RC": ("proxy", Rule("critical", "port-exhaustion", 0.6, "ports, descriptors, memory")),
    "PH": ("invalid", Rule("critical", "bad-deploy", 0.5, "show errors")),
    "CH": ("clients", Rule("warn", "abandoned-work", 0.5, "their timeout against the answers")),
    "CD": ("clients", Rule("warn", "abandoned-work", 0.4, "their timeout against the answers")),
    "CC": ("clients", Rule("warn", "abandoned-work", 0.4, "their timeout against the answers")),
    "CQ": ("clients", Rule("warn", "gateway-limit", 0.5, "the queue: show servers conn")),
}
QUEUE_WAIT = 0.5


@look("entry")
def nginx_errors(view: View) -> Iterable[Judged]:
    """One finding a kind of line and upstream."""
    said = Said(view, "entry", "link")
    rows = [f for f in view.case.software if isinstance(f, Saying) and f.tool == "nginx"]
    processes = {
        fact.about: fact.code
        for fact in view.case.software
        if isinstance(fact, Saying) and fact.tool == "nginx-process"
    }
    refused = [row for row in rows if row.code == "connect-refused"]
    for row in rows:
        if row.code == "no-live-upstreams" and refused:
            yield said.finding(
                "critical",
                "finding.nginx.none-left-because",
                row.about,
                refused[0].line,
                row.line,
                cause="upstream-down",
                sure=0.93,
                next=f"ss -ltn on the host of {refused[0].about}; the service's own log",
                member=refused[0].about,
                more=_named(row),
            )
        elif row.code == "worker-connections":
            yield _connections(said, row, processes.get(row.about, ""))
        elif row.code == "connect-failed":
            yield _failed(said, row)
        elif row.code in _SERIOUS:
            rule = NGINX[row.code]
            yield said.finding(
                rule.verdict, "finding.nginx.serious", "nginx", row.line, row.last_line,
                cause=rule.cause, sure=rule.sure, next=rule.next, text=row.words.get("text", ""),
            )  # fmt: skip
        else:
            yield from judge(said, [_with_name(row)], NGINX, "finding.nginx.")


def _with_name(row: Saying) -> Saying:
    """A row whose `about` can stand in a sentence."""
    import msgspec

    optional = row.code in {"no-live-upstreams", "tls", "ejected"}
    return row if row.about or optional else msgspec.structs.replace(row, about="the upstream")


def _named(row: Saying) -> dict[str, str | int | float]:
    more = arguments_of(row)
    more.setdefault("about", "the upstream")
    return more


def _connections(said: Said, row: Saying, process: str) -> Finding:
    limit = row.values.get("limit", 0.0)
    if process == "cache manager":
        key, verdict, sure, after = (
            "cache-manager",
            "warn",
            0.9,
            "what uses it: health checks there",
        )
    elif limit == FIXED and not process:
        key, verdict, sure = "perhaps-cache-manager", "warn", 0.5
        after = f"ps -o args= -p {row.about}; worker_connections as configured"
    else:
        key, verdict, sure, after = "worker-connections", "critical", 0.9, "stub_status: active"
    return said.finding(
        "critical" if verdict == "critical" else "warn",
        f"finding.nginx.{key}",
        row.about,
        row.line,
        cause="gateway-limit" if key == "worker-connections" else "",
        sure=sure,
        next=after,
        more=arguments_of(row),
    )


def _failed(said: Said, row: Saying) -> Finding:
    text = row.words.get("text", "")
    key, cause = "connect-failed", "upstream-down"
    if "(99:" in text:
        key, cause = "ports", "port-exhaustion"
    elif "(113:" in text or "(101:" in text:
        key, cause = "no-route", "no-route"
    elif "(11:" in text:
        key, cause = "backlog", "listen-overflow"
    return said.finding(
        "critical", f"finding.nginx.{key}", row.about, row.line, row.last_line, cause=cause,
        sure=0.8, next=NGINX["connect-failed"].next, more=_named(row),
    )  # fmt: skip


@look("entry")
def haproxy(view: View) -> Iterable[Judged]:
    """One finding a way in which sessions end and server."""
    said = Said(view, "entry", "link")
    rows = [f for f in view.case.software if isinstance(f, Saying) and f.tool == "haproxy"]
    found = [one for row in rows if (one := _haproxy(said, row)) is not None]
    yield from found
    fine = [row for row in rows if row.code == "fine"]
    if fine and not found:
        yield said.finding("healthy", "finding.haproxy.fine", "haproxy", fine[0].line, sure=0.6)


def _haproxy(said: Said, row: Saying) -> Finding | None:
    more = arguments_of(row)
    key, rule = "", Rule("warn")
    if row.code.startswith("ended-"):
        key, rule = HAPROXY.get(row.code[6:], ("", rule))
    elif row.code.startswith("status-"):
        key, rule = "errors", Rule("critical", "", 0.6, "its own log of those seconds")
    elif row.code == "down":
        key, rule = "down", Rule("critical", "upstream-down", 0.85, "its health check by hand")
    elif row.code == "none-left":
        key, rule = "none-left", Rule("critical", "upstream-down", 0.95, "why each went down")
    elif row.code == "fine" and row.values.get("wait", 0.0) >= QUEUE_WAIT:
        key, rule = "waits", Rule("warn", "gateway-limit", 0.7, "maxconn; what is slow behind it")
        more["wait"] = lasting(row.values["wait"])
    if not key:
        return None
    if "status" in row.values:
        more["status"] = figure(row.values["status"])
    return said.finding(
        rule.verdict, f"finding.haproxy.{key}", row.about, row.line, row.last_line,
        cause=rule.cause, sure=rule.sure, next=rule.next, more=more,
    )  # fmt: skip
