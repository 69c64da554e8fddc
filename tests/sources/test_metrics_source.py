"""Asking the chain's own services for their counters, and nobody else."""

from __future__ import annotations

import http.server
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain, Link
from weaklink.model.fact import Connection
from weaklink.reach.host import NotHere
from weaklink.sources.metrics import doors_of, metrics
from weaklink.testing.servers import bare_case, fact_of, free_port, hands


class Engine:
    """A small HTTP server in this very process that counts what it is asked."""

    def __init__(self, answer: str, *, status: int = 200, kind: str = "text/plain") -> None:
        outer = self
        self.asked: list[str] = []
        self.tokens = 1000

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                body = answer.format(tokens=outer.tokens).encode()
                outer.tokens += 50
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                half = len(body) // 2
                for piece in (body[:half], body[half:], b""):
                    self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", free_low_port()), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def case(self, **more: object) -> Case:
        fact = fact_of(os.getpid(), "python3")
        fields: dict[str, object] = {
            "key": "link:h1/-/app", "name": "app", "role": "inference", "pids": [fact.pid],
            "processes": [fact.key], "listen": [f"127.0.0.1:{self.port}"], "entry": True, **more,
        }  # fmt: skip
        return grow(bare_case(fact), chain=Chain(links=[Link(**fields)]))  # type: ignore[arg-type]


def free_low_port() -> int:
    """One below the ephemeral ports, where services listen."""
    for number in range(10_100 + free_port() % 10_000, 30_000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", number)) != 0:
                return number
    raise AssertionError("no port is free")


@contextmanager
def serving(answer: str, **more: str | int) -> Iterator[Engine]:
    engine = Engine(answer, **more)  # type: ignore[arg-type]
    try:
        yield engine
    finally:
        engine.server.shutdown()
        engine.server.server_close()
        engine.thread.join()


GOOD = "vllm:num_requests_waiting 7\nvllm:generation_tokens_total {tokens}\n"


def test_counters_are_read_at_both_ends_of_the_window() -> None:
    with serving(GOOD) as engine:
        started = time.time()
        take = metrics(hands(1.0), engine.case())
        assert engine.asked == ["/metrics"] * 2
    tokens = [row for row in take.readings if row.quantity == "engine_output_tokens_total"]
    assert [row.value for row in tokens] == [1000.0, 1050.0]
    assert started <= tokens[0].at < tokens[1].at
    assert [look.touched for look in take.looks] == [
        [f"GET http://127.0.0.1:{engine.port}/metrics: 2 times"]
    ]


def test_counters_of_another_worker_behind_the_port_are_not_mixed_in() -> None:
    with serving(GOOD + "process_start_time_seconds {tokens}\n") as engine:
        take = metrics(hands(1.0), engine.case())
    assert len([row for row in take.readings if row.quantity.endswith("tokens_total")]) == 1


@pytest.mark.parametrize(
    ("answer", "status", "kind"),
    [("nothing", 404, "text/plain"), (GOOD, 200, "text/html"), ("up 1\n", 200, "text/plain")],
)
def test_what_is_no_page_of_metrics_is_not_here(answer: str, status: int, kind: str) -> None:
    with serving(answer, status=status, kind=kind) as engine:
        take = metrics(hands(0.5), engine.case())
        assert len(engine.asked) == 1
    assert take.readings == []
    assert not [look for look in take.looks if look.outcome == "failed"]


def test_only_ports_that_users_reach_are_asked() -> None:
    with serving(GOOD) as engine:
        for more in (
            {"role": "cache"},
            {"on_chain": False},
            {"entry": False},
            {"listen": ["127.0.0.1:50051"]},
            {"listen": ["127.0.0.1:45017"]},
        ):
            with pytest.raises(NotHere):
                metrics(hands(0.1), engine.case(**more))
        case = engine.case(entry=False)
        called = Connection(
            local=f"127.0.0.1:{engine.port}", remote="127.0.0.1:40000", netns="-", pid=os.getpid()
        )
        assert len(doors_of(grow(case, connections=[called]))) == 1
        assert engine.asked == []


def test_one_who_does_not_answer_is_told_and_waited_for_briefly() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", free_low_port()))
        silent.listen()
        fact = fact_of(os.getpid(), "python3")
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        link = Link(
            key="link:h1/-/a", name="a", role="app", pids=[fact.pid], processes=[fact.key],
            listen=[address], entry=True,
        )  # fmt: skip
        take = metrics(hands(0.5), grow(bare_case(fact), chain=Chain(links=[link])))
    assert [look.outcome for look in take.looks if look.reason] == ["timeout"]
