"""The hour before, from a Prometheus that the user named."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain, Link
from weaklink.reach.host import NotHere
from weaklink.sources.prometheus import matrix, prometheus, selector
from weaklink.testing.servers import bare_case, hands

asked: list[str] = []
answer: dict[str, object] = {}


@pytest.fixture
def server() -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    asked.clear()
    answer.clear()
    one = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=one.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{one.server_address[1]}"
    one.shutdown()
    one.server_close()
    thread.join()


def case() -> Case:
    link = Link(
        key="link:h1/-/engine", name="engine", role="inference", pids=[7],
        processes=["process:h1/-/7@1"], listen=["10.0.0.7:8000"],
    )  # fmt: skip
    return grow(bare_case(), chain=Chain(links=[link]))


def series(name: str, instance: str, *values: float) -> dict[str, object]:
    now = time.time()
    points = [[now - 30 * (len(values) - n), str(value)] for n, value in enumerate(values)]
    return {"metric": {"__name__": name, "instance": instance}, "values": points}


def told(*rows: dict[str, object]) -> None:
    answer.update(status="success", data={"resultType": "matrix", "result": list(rows)})


def test_series_of_an_address_of_the_chain_become_its_readings(server: str) -> None:
    told(
        series("vllm:num_requests_waiting", "10.0.0.7:8000", 0, 1, 9),
        series("vllm:num_requests_waiting", "10.0.0.8:8001", 5, 5, 5),
    )
    reach = hands()
    reach.prometheus = server + "/"
    take = prometheus(reach, case())
    assert [(row.quantity, row.value) for row in take.readings] == [
        ("engine_requests_waiting", 0.0),
        ("engine_requests_waiting", 1.0),
        ("engine_requests_waiting", 9.0),
    ]
    parts = urlsplit(asked[0])
    query = parse_qs(parts.query)
    assert parts.path == "/api/v1/query_range"
    assert query["query"] == [selector()]
    assert float(query["end"][0]) - float(query["start"][0]) == 3600
    assert take.looks[0].touched


def test_what_it_does_not_know_is_said(server: str) -> None:
    reach = hands()
    reach.prometheus = server
    told(series("vllm:num_requests_waiting", "10.9.9.9:1", 1))
    assert [look.outcome for look in prometheus(reach, case()).looks] == ["value", "failed"]
    told()
    assert [look.outcome for look in prometheus(reach, case()).looks] == ["value", "failed"]
    reach.prometheus = "http://127.0.0.1:9"
    (_, look) = prometheus(reach, case()).looks
    assert look.reason is not None
    assert look.reason.args["reason"] == "refused"


def test_nobody_is_asked_where_nobody_was_named() -> None:
    with pytest.raises(NotHere):
        prometheus(hands(), case())


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"data":null}', b'{"data":{"result":[{"metric":1,"values":[[1]]},7]}}', b"\xff"],
)
def test_nonsense_gives_nothing(body: bytes) -> None:
    assert matrix(body) == []
