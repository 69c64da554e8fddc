"""Logs of the chain's own processes, found by their descriptors and tailed."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain, Link
from weaklink.model.fact_app_log import AppLog, AppSaying
from weaklink.model.take import Take
from weaklink.reach.host import NotHere, Reach
from weaklink.sources.app_logs import app_log_sizes, app_logs
from weaklink.testing.servers import bare_case, fact_of, hands


class Service:
    """A process that does nothing but hold its log open."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "service.log"
        self.log.write_text("")
        with self.log.open("a") as out:
            self.process = subprocess.Popen(["/bin/sleep", "60"], stdout=out, stderr=out)
        self.reach: Reach = hands(0.0)

    def write(self, *lines: str) -> None:
        with self.log.open("a") as out:
            out.write("".join(f"{line}\n" for line in lines))

    def case(self, role: str = "app") -> Case:
        fact = fact_of(self.process.pid, "sleep")
        link = Link(
            key="link:h1/-/app:80", name="app", role=role, pids=[fact.pid],  # type: ignore[arg-type]
            processes=[fact.key], listen=["127.0.0.1:80"], entry=True,
        )  # fmt: skip
        return grow(bare_case(fact), chain=Chain(links=[link]))

    def tick(self, case: Case) -> None:
        app_log_sizes(self.reach, case)

    def look(self, case: Case) -> Take:
        return app_logs(self.reach, case)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    one = Service(tmp_path)
    yield one
    one.process.kill()
    one.process.wait()


def stamp(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def said(take: Take) -> dict[tuple[str, str], AppSaying]:
    return {(one.code, one.about): one for one in take.software if isinstance(one, AppSaying)}


def test_lines_of_before_and_of_now_are_told_apart_by_their_stamps(service: Service) -> None:
    now = time.time()
    refused = "ERROR call failed: connect ECONNREFUSED 10.0.0.7:9000"
    service.write(*[f"{stamp(now - 300 + n)} INFO fine" for n in range(200)])
    case = service.case()
    service.tick(case)
    service.write(*[f"{stamp(now)} {refused}" for _ in range(5)])
    take = service.look(case)
    log = next(one for one in take.software if isinstance(one, AppLog))
    told = said(take)["refused", "10.0.0.7:9000"]
    assert told.count == 5
    assert all(at == pytest.approx(now, abs=2) for at in told.times)
    assert log.lines == 205
    assert log.covered_from == pytest.approx(now - 300, abs=2)


def test_uvicorn_writes_no_times_so_its_answers_are_placed_within_the_window(
    service: Service,
) -> None:
    old = 'INFO:     10.0.0.9:1 - "GET /v1/x HTTP/1.1" 200 OK'
    service.write(*[old] * 50)
    case = service.case()
    service.tick(case)
    service.write(*[old.replace("200 OK", "500 Internal Server Error")] * 7)
    take = service.look(case)
    (rows,) = take.requests
    assert rows.status == [500] * 7
    assert rows.end[0] == pytest.approx(time.time(), abs=5)
    assert rows.duration == [None] * 7
    assert rows.resolution == 1.0
    assert [log.key for log in take.logs] == [rows.source]


def test_gunicorns_access_lines_become_requests_with_durations(service: Service) -> None:
    now = time.time()
    at = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now - 5))
    service.write(*[f'10.0.0.9 - - [{at}] "GET /v1/x HTTP/1.1" 200 9 "-" "-" 0.250000'] * 4)
    take = service.look(service.case())
    (rows,) = take.requests
    assert rows.duration == [pytest.approx(0.25)] * 4
    assert rows.start[0] == pytest.approx(now - 5.25, abs=1.1)


def test_an_engines_reports_become_readings(service: Service) -> None:
    now = time.time()
    service.write(
        *[
            f"INFO {time.strftime('%m-%d %H:%M:%S', time.localtime(now - 30 + 10 * n))} "
            "[loggers.py:1] Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation "
            f"throughput: 5.0 tokens/s, Running: 2 reqs, Waiting: {n} reqs, GPU KV cache usage: "
            "50.0%, Prefix cache hit rate: 0.0%"
            for n in range(4)
        ]
    )
    take = service.look(service.case("inference"))
    waiting = [row for row in take.readings if row.quantity == "engine_requests_waiting"]
    assert [row.value for row in waiting] == [0.0, 1.0, 2.0, 3.0]
    assert waiting[-1].at == pytest.approx(now, abs=2)


def test_a_log_that_was_cut_meanwhile_is_read_from_its_new_beginning(service: Service) -> None:
    service.write(*["INFO long ago"] * 500)
    case = service.case()
    service.tick(case)
    service.log.write_text("")
    service.write("ERROR: connect ECONNREFUSED 10.0.0.7:9000")
    assert ("refused", "10.0.0.7:9000") in said(service.look(case))


def test_what_is_no_link_of_ours_is_left_alone(service: Service) -> None:
    service.write("ERROR: connect ECONNREFUSED 10.0.0.7:9000")
    with pytest.raises(NotHere):
        service.look(service.case("cache"))
    case = service.case()
    links = [structs.replace(link, on_chain=False) for link in case.chain.links]
    other = Service(service.log.parent)
    try:
        with pytest.raises(NotHere):
            other.look(grow(case, chain=Chain(links=links)))
    finally:
        other.process.kill()
        other.process.wait()


def test_a_proxy_that_logs_json_tells_which_member_it_chose(service: Service) -> None:
    now = time.time()
    service.write(
        *[
            f'{{"start_time":"{time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(now - n))}",'
            '"method":"GET","path":"/v1/x","response_code":503,"duration":12,'
            '"upstream_host":"10.0.0.7:8000","bytes_sent":9}'
            for n in range(9, 0, -1)
        ]
    )
    (rows,) = service.look(service.case("proxy")).requests
    assert set(rows.upstream) == {"10.0.0.7:8000"}
    assert rows.duration[0] == pytest.approx(0.012)


def test_workers_that_celery_lost() -> None:
    from weaklink.parse.app_phrases import code_of

    line = (
        "[2026-12-01 09:26:16,123: ERROR/MainProcess] Task handler raised error: "
        "WorkerLostError('Worker exited prematurely: signal 9 (SIGKILL) Job: 3.')"
    )
    assert code_of(line) == "workers-die"
