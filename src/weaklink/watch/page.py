"""One OpenMetrics page on loopback: what the host does, and what watching it costs. Opt-in.

It answers GET /metrics of this machine alone, to whoever may connect to loopback, and holds no
names of processes: figures of the host and of ourselves only.
"""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from weaklink.model.quantity import quantities

if TYPE_CHECKING:
    from weaklink.watch.loop import Agent

TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
HOSTS = ("127.0.0.1", "localhost", "[::1]")
PREFIX = "weaklink_"


def page(agent: Agent) -> str:
    """The page's text."""
    import time

    known = quantities()
    lines: list[str] = []
    for name, value in sorted(agent.host.last.items()):
        one = known[name]
        lines += _family(name, one.kind, one.meaning, value)
    status, budget, store = agent.status, agent.budget, agent.box.store
    own = (
        ("agent_cpu_seconds_total", "counter", "CPU seconds of the agent", time.process_time()),
        ("agent_resident_bytes", "gauge", "memory of the agent", float(budget.resident)),
        ("agent_cpu_seconds_per_minute", "gauge", "over the last minute", budget.per_minute),
        ("agent_ticks_total", "counter", "seconds that were kept", float(status.ticks)),
        ("agent_late_ticks_total", "counter", "seconds that were missed", float(status.late)),
        ("agent_tick_seconds", "gauge", "time of the last tick", status.tick_seconds),
        ("agent_processes", "gauge", "processes followed", float(len(agent.processes.followed))),
        ("agent_turns", "gauge", "ticks between two readings of a sleeping process",
         float(agent.processes.turns * budget.thinner)),
        ("agent_deep_looks_total", "counter", "deep looks taken", float(status.deep_looks)),
        ("agent_durable", "gauge", "1 where it is kept on disk", float(store.durable)),
        ("agent_dropped_blocks_total", "counter", "blocks dropped for room", float(store.dropped)),
        ("agent_troubles", "gauge", "parts that cannot do their work", float(len(status.troubles))),
    )  # fmt: skip
    for name, kind, meaning, value in own:
        lines += _family(name, kind, meaning, value)
    felt = agent.felt.moment(time.time())
    if felt is not None:
        for name, meaning, value in (
            ("users_requests_per_second", "requests that ended, last 10 s", felt.rate),
            ("users_error_ratio", "of them failed", felt.errors),
            ("users_slow_ratio", "of them slower than their route's normal", felt.slow),
            ("users_p99_seconds", "99th percentile of their duration", felt.p99),
        ):
            lines += _family(name, "gauge", meaning, value)
    return "\n".join([*lines, "# EOF", ""])


def _family(name: str, kind: str, meaning: str, value: float) -> list[str]:
    base = PREFIX + (name.removesuffix("_total") if kind == "counter" else name)
    return [f"# TYPE {base} {kind}", f"# HELP {base} {meaning}", f"{PREFIX}{name} {value:.10g}"]


def serve(agent: Agent, port: int) -> ThreadingHTTPServer:
    """Answer at 127.0.0.1:port in a thread of its own; raises OSError where that is taken."""

    class Handler(BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self) -> None:
            host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
            if host not in HOSTS:
                self.send_error(403)
                return
            if self.path.partition("?")[0] != "/metrics":
                self.send_error(404)
                return
            body = page(agent).encode()
            self.send_response(200)
            self.send_header("Content-Type", TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            """Nobody wants a line a scrape."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="weaklink-page", daemon=True).start()
    return server
