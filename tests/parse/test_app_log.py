"""What applications write, in the forms that they write it: addresses, exceptions, requests."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.model.fact_app_log import AppLog, AppSaying
from weaklink.parse.app_access import Asked, asked_in, unit_of
from weaklink.parse.app_log import AppLogReader, Origin
from weaklink.parse.app_log_tools import report_in, tables_for
from weaklink.parse.app_phrases import address_in, code_of
from weaklink.parse.log_clock import LogClock, clock_for
from weaklink.parse.log_dress import form_of, undress

AT = 1_796_117_176.0  # 2026-12-01T09:26:16Z


@pytest.mark.parametrize(
    ("line", "code", "address"),
    [
        ("requests.exceptions.ConnectionError: HTTPConnectionPool(host='10.0.0.1', port=8000): "
         "Max retries exceeded with url: /x (Caused by NewConnectionError(': Failed to establish a "
         "new connection: [Errno 111] Connection refused'))", "refused", "10.0.0.1:8000"),
        ("redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection "
         "refused.", "refused", "localhost:6379"),
        ("Error: connect ECONNREFUSED 127.0.0.1:8000", "refused", "127.0.0.1:8000"),
        ("dial tcp 10.1.2.3:80: connect: connection refused", "refused", "10.1.2.3:80"),
        ('connection to server at "db" (10.0.0.2), port 5432 failed: Connection refused',
         "refused", "db:5432"),
        ("Cannot connect to host 10.0.0.1:8000 ssl:default [Connect call failed ('10.0.0.1', "
         "8000)]", "refused", "10.0.0.1:8000"),
        ("OSError: [Errno 113] No route to host", "unreachable", ""),
        ("HTTPSConnectionPool(host='api.example.com', port=443): Read timed out. (read timeout=5)",
         "timed-out", "api.example.com:443"),
        ('HTTP Request: POST https://api.example.com/v1/chat "HTTP/1.1 429 Too Many Requests"',
         "rate-limited", "api.example.com:443"),
        ("sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection "
         "timed out, timeout 30.00", "pool-exhausted", ""),
        ("getaddrinfo ENOTFOUND store.internal", "unresolved", "store.internal"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
         "gpu-out-of-memory", ""),
        ("OSError: [Errno 28] No space left on device: '/x'", "disk-full", ""),
        ("everything is fine at 10.0.0.1:8000", "", "10.0.0.1:8000"),
    ],
)  # fmt: skip
def test_a_failed_call_is_told_with_its_address(line: str, code: str, address: str) -> None:
    assert code_of(line) == code
    assert address_in(line) == address


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ('INFO:     10.0.0.9:52346 - "GET /v1/x HTTP/1.1" 200 OK',
         Asked("GET", "/v1/x", 200, "10.0.0.9")),
        ('10.0.0.9 - - [01/Dec/2026:09:26:16 +0000] "POST /x HTTP/1.1" 502 12 "-" "c/7" 0.012345',
         Asked("POST", "/x", 502, "10.0.0.9", 12, 0.012345)),
        ("[GIN] 2026/12/01 - 09:26:16 | 200 |   1.250000s |  10.0.0.9 | POST     \"/api/chat\"",
         Asked("POST", "/api/chat", 200, "10.0.0.9", 0, 1.25)),
        ("GET /x/y 200 12.5 ms - 15", Asked("GET", "/x/y", 200, "", 0, 0.0125)),
        ('10.0.0.9 - - [01/Dec/2026 09:26:16] "GET /a HTTP/1.1" 200 -',
         Asked("GET", "/a", 200, "10.0.0.9")),
    ],
)  # fmt: skip
def test_requests_of_application_servers(line: str, asked: Asked) -> None:
    found = asked_in(line)
    assert found is not None
    assert found.duration == pytest.approx(asked.duration)
    assert found._replace(duration=None) == asked._replace(duration=None)


def test_what_the_application_asks_others_is_not_what_it_was_asked() -> None:
    line = 'DEBUG:urllib3.connectionpool:https://api.example.com:443 "POST /v1/chat HTTP/1.1" 429 9'
    assert asked_in(line) is None


def test_gunicorn_says_in_its_command_what_its_last_figure_counts() -> None:
    line = '10.0.0.9 - - [01/Dec/2026:09:26:16 +0000] "GET /x HTTP/1.1" 200 12 "-" "c/7" 250000'
    unit = unit_of(["gunicorn", "a:b", "--access-logformat", '%(h)s "%(r)s" %(s)s %(b)s %(D)s'])
    found = asked_in(line, unit)
    assert found is not None
    assert found.duration == pytest.approx(0.25)
    plain = asked_in(line)
    assert plain is not None
    assert plain.duration is None


def test_stamps_without_zone_or_year_are_placed_by_the_file() -> None:
    cet = "2026-12-01 10:26:16,120 ERROR worker: no"
    assert clock_for([cet], AT + 1).at(cet) == pytest.approx(AT + 0.12)
    short = "INFO 12-01 09:26:16 [loggers.py:123] Engine 000: fine"
    assert clock_for([short], AT + 1).at(short) == pytest.approx(AT)
    zoned = "[2026-12-01 10:26:16 +0100] [7] [ERROR] no"
    assert clock_for([zoned], 0.0).at(zoned) == pytest.approx(AT)


def test_lines_are_taken_out_of_what_they_are_dressed_in() -> None:
    docker = (
        '{"log":"INFO:  \\"GET /x HTTP/1.1\\" 200 OK\\n","stream":"stdout",'
        '"time":"2026-12-01T09:26:16.123456789Z"}'
    )
    cri = "2026-12-01T09:26:16.123456789Z stderr F Error: connect ECONNREFUSED 10.0.0.1:80"
    pino = (
        '{"level":50,"time":1796117176000,"msg":"call failed","err":{"message":"read ETIMEDOUT"}}'
    )
    clock = LogClock()
    assert undress(docker, clock).text == 'INFO:  "GET /x HTTP/1.1" 200 OK'
    assert undress(docker, clock).at == pytest.approx(AT + 0.123456)
    assert undress(cri, clock).text.startswith("Error: connect")
    one = undress(pino, clock)
    assert (one.at, one.error) == (AT, True)
    assert "ETIMEDOUT" in one.text
    assert [form_of([line]) for line in (docker, cri, pino, "plain")] == [
        "docker", "cri", "json", "text",
    ]  # fmt: skip


def read(lines: list[str], form: str = "text") -> tuple[AppLog, dict[tuple[str, str], AppSaying]]:
    origin = Origin("process:h1/-/1@1", "/x.log", form)
    reader = AppLogReader(origin, LogClock(), tools=tables_for(lines), sample=lines)
    reader.add(lines, fallback=AT)
    log, *said = reader.facts(AT - 60, AT)
    assert isinstance(log, AppLog)
    return log, {(one.code, one.about): one for one in said if isinstance(one, AppSaying)}


def test_an_exception_is_told_with_the_applications_own_frame() -> None:
    log, said = read(
        [
            "Traceback (most recent call last):",
            '  File "/srv/app/make.py", line 31, in make',
            "    answer = client.get(url)",
            '  File "/usr/lib/python3/dist-packages/httpx/_client.py", line 900, in get',
            "    return self.request()",
            "httpx.ConnectError: [Errno 111] Connection refused to 10.0.0.7:9000",
        ]
    )
    raised = said["exception", "ConnectError"]
    assert raised.where == "make.py:31 in make"
    assert ("refused", "10.0.0.7:9000") in said
    assert sum(bad for _, _, bad in log.counts) == 1


def test_the_line_before_a_traceback_tells_the_address_that_its_end_leaves_out() -> None:
    _, said = read(
        [
            "2026-12-01 09:26:16,120 ERROR gateway: call to 10.0.0.7:9000 failed",
            "Traceback (most recent call last):",
            '  File "/srv/app/call.py", line 9, in call',
            "    await connect()",
            "ConnectionRefusedError: [Errno 111] Connection refused",
            "2026-12-01 09:26:17,120 ERROR something: connection refused",
        ]
    )
    assert said["refused", "10.0.0.7:9000"].count == 1
    assert said["refused", ""].count == 1


def test_a_path_that_reads_like_a_failure_is_a_request_and_nothing_else() -> None:
    lines = ['INFO:     10.0.0.9:52346 - "GET /connection%20refused/10.0.0.7:9000 HTTP/1.1" 404 x']
    assert read(lines)[1] == {}


def test_an_engines_own_words_and_its_reports() -> None:
    report = (
        "INFO 12-01 09:26:16 [loggers.py:123] Engine 000: Avg prompt throughput: 10.0 tokens/s, "
        "Avg generation throughput: 0.0 tokens/s, Running: 4 reqs, Waiting: 9 reqs, GPU KV cache "
        "usage: 99.1%, Prefix cache hit rate: 0.0%"
    )
    _, said = read(
        [report, "ERROR 12-01 09:26:17 [core.py:1] EngineCore encountered a fatal error"]
    )
    assert ("vllm.engine-dead", "") in said
    sample = report_in(report)
    assert sample is not None
    assert (sample.running, sample.waiting) == (4.0, 9.0)
    assert sample.kv_used == pytest.approx(0.991)


@pytest.mark.parametrize(
    "line",
    [
        "INFO 12-01 09:26:17 [logger.py:40] Received request x: prompt: 'EngineDeadError: connect "
        "ECONNREFUSED 10.0.0.7:80', params: ...",
        '{"level":30,"msg":"prompt: EngineDeadError connect ECONNREFUSED 10.0.0.7:80"}',
        "2026-12-01 09:26:16,120 INFO app: user asked: connect ECONNREFUSED 10.0.0.7:80",
    ],
)
def test_a_prompt_that_is_quoted_is_not_the_programs_own_word(line: str) -> None:
    report = (
        "INFO 12-01 09:26:16 [loggers.py:123] Engine 000: Avg prompt throughput: 10.0 tokens/s, "
        "Avg generation throughput: 0.0 tokens/s, Running: 4 reqs, Waiting: 9 reqs, GPU KV cache "
        "usage: 99.1%"
    )
    form = "json" if line.startswith("{") else "text"
    assert read([report, line] if form == "text" else [line], form)[1] == {}


def test_secrets_do_not_get_into_facts() -> None:
    _, said = read(["ERROR 401 Unauthorized for api_key=sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2"])
    assert "sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2" not in repr(said)
    assert ("unauthorized", "") in said


@given(st.lists(st.text(max_size=300), max_size=30))
def test_no_text_breaks_it(lines: list[str]) -> None:
    log, _ = read(lines)
    assert log.lines <= len(lines)


def test_a_stranger_cannot_fill_memory_with_kinds() -> None:
    lines = [f"connect ECONNREFUSED 10.0.{n // 250}.{n % 250}:80" for n in range(5000)]
    lines += [f"Very{n}Error: no" for n in range(5000)]
    assert len(read(lines)[1]) <= 150


def test_long_nonsense_is_quick() -> None:
    lines = ['"GET ' + 'GET "' * 700, "http://" * 600, "to " + "a-" * 1900, "{" * 4000] * 20
    started = time.process_time()
    read(lines)
    assert time.process_time() - started < 20  # quadratic code takes minutes
