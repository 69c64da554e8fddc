"""The stand-in engine streams, counts as vLLM does, and its front outlives it. SIMULATED model."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from weaklink.parse.engine_metrics import values_of
from weaklink.parse.prometheus import samples
from weaklink.testing.servers import free_port


class Server:
    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.control = folder / "control.json"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "weaklink_lab.service.llm", "--port", str(self.port),
             "--control", str(self.control)],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        assert "SIMULATED" in first
        self.engine = int(first.split()[-1])
        self.process.stdout.readline()
        self.wait()

    def wait(self) -> None:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                self.get("/health")
                return
            time.sleep(0.05)
        raise AssertionError("it does not answer")

    def get(self, path: str) -> str:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(link):
            link.request("GET", path)
            return link.getresponse().read().decode()

    def complete(self, **asked: object) -> tuple[int, list[dict[str, object]]]:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(link):
            link.request("POST", "/v1/completions", json.dumps({"max_tokens": 5} | asked))
            got = link.getresponse()
            lines = got.read().decode().split("\n\n")
        told = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
        return got.status, [one["choices"][0] for one in told]

    def counts(self) -> dict[str, float]:
        return values_of(samples(self.get("/metrics").split("\n")))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    one = Server(tmp_path)
    yield one
    with contextlib.suppress(ProcessLookupError):
        os.kill(one.engine, signal.SIGKILL)
    one.process.kill()
    one.process.communicate()


def test_it_streams_tokens_and_counts_them(server: Server) -> None:
    status, choices = server.complete(prompt="x" * 400)
    assert status == 200
    assert [choice["finish_reason"] for choice in choices] == [None] * 5 + ["stop"]
    found = server.counts()
    assert found["engine_output_tokens_total"] == 5
    assert found["engine_prompt_tokens_total"] == 100
    assert found["engine_ended_stop_total"] == 1


def test_a_limit_cuts_answers_off(server: Server) -> None:
    server.control.write_text('{"limit": 2}')
    time.sleep(0.7)
    _, choices = server.complete()
    assert choices[-1]["finish_reason"] == "length"
    assert len(choices) == 3


def test_the_front_outlives_its_engine(server: Server) -> None:
    os.kill(server.engine, signal.SIGKILL)
    end = time.monotonic() + 20
    while server.complete()[0] != 500:
        assert time.monotonic() < end
    assert server.get("/health") == ""
