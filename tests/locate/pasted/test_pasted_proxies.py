"""Proxies and application servers in pasted logs: nginx, HAProxy, access logs, gunicorn."""

from __future__ import annotations

import pytest

from weaklink.testing.pasted import read_pasted, said

TAIL = (
    ', client: 10.9.0.1, server: _, request: "POST /v1/gen HTTP/1.1", upstream: '
    '"http://10.2.0.{member}:8000/v1/gen", host: "api"\n'
)


def nginx(text: str, level: str = "error", member: int = 4, at: str = "10:00:00") -> str:
    return f"2026/03/02 {at} [{level}] 31#31: *7 {text}" + TAIL.format(member=member)


@pytest.mark.parametrize(
    ("text", "words", "cause"),
    [
        (
            "upstream timed out (110: Connection timed out) while connecting to upstream",
            "timeout while connecting to 10.2.0.4:8000",
            "upstream-down",
        ),
        (
            "upstream timed out (110: Connection timed out) while reading response header from "
            "upstream",
            "did not answer in time",
            "worker-frozen",
        ),
        (
            "connect() failed (111: Connection refused) while connecting to upstream",
            "refuses connections",
            "upstream-down",
        ),
        (
            "connect() to 10.2.0.4:8000 failed (99: Cannot assign requested address) while "
            "connecting to upstream",
            "no local port is free",
            "port-exhaustion",
        ),
        (
            "connect() to 10.2.0.4:8000 failed (113: No route to host) while connecting to "
            "upstream",
            "no way to",
            "no-route",
        ),
        (
            "upstream prematurely closed connection while reading response header from upstream",
            "prematurely closed",
            "worker-crash-loop",
        ),
    ],
)
def test_the_phase_in_which_an_upstream_failed_decides(text: str, words: str, cause: str) -> None:
    reading = read_pasted(nginx(text))
    first = reading.findings[0]
    assert reading.verdict == "critical"
    assert words in first.text
    assert first.cause == cause


def test_like_lines_are_told_once_and_counted() -> None:
    text = "connect() failed (111: Connection refused) while connecting to upstream"
    log = "".join(nginx(text, at=f"10:00:{second:02}") for second in range(9))
    findings = read_pasted(log).findings
    assert len(findings) == 1
    assert "9 times" in findings[0].text
    assert findings[0].line.count("\n") == 1


def test_no_live_upstreams_names_the_member_that_refuses() -> None:
    log = nginx("connect() failed (111: Connection refused) while connecting to upstream")
    log += nginx("no live upstreams while connecting to upstream").replace("10.2.0.4:8000", "pool")
    assert "10.2.0.4:8000 refuses connections, so every member was put aside" in said(log)


def test_a_line_cut_before_its_phase_says_nothing_of_it() -> None:
    cut = nginx("upstream timed out (110: Connection timed out) while")[:88]
    assert read_pasted(cut).verdict != "critical"


SPENT = "2026/03/02 10:00:00 [alert] 88#88: {limit} worker_connections are not enough\n"


def test_512_worker_connections_may_be_the_cache_managers() -> None:
    alone = read_pasted(SPENT.format(limit=512))
    assert (alone.verdict, alone.findings[0].cause) == ("warn", "")
    proved = SPENT.format(limit=512) + "  88 ?  S  0:01 nginx: cache manager process\n"
    assert "are not concerned" in said(proved)
    worker = SPENT.format(limit=512) + "  88 ?  S  0:01 nginx: worker process\n"
    assert read_pasted(worker).verdict == "critical"
    assert read_pasted(SPENT.format(limit=4096)).verdict == "critical"


def test_answers_buffered_on_disk_are_no_outage() -> None:
    text = nginx("an upstream response is buffered to a temporary file /t/1 while reading", "warn")
    assert read_pasted(text).verdict == "warn"


def access(status: int, seconds: float, count: int, start: int = 0) -> str:
    return "".join(
        f'10.0.0.{n % 9} - - [02/Mar/2026:10:{(start + n) // 60 % 60:02}:{(start + n) % 60:02} '
        f'+0000] "POST /v1/gen HTTP/1.1" {status} 12 "-" "app/1" {seconds:.3f} {seconds:.3f}\n'
        for n in range(count)
    )  # fmt: skip


def test_exactly_sixty_seconds_is_a_proxys_timeout() -> None:
    reading = read_pasted(access(200, 0.3, 90) + access(504, 60.001, 10, 100))
    assert reading.verdict == "critical"
    assert "proxy-timeout-too-short" in {one.cause for one in reading.findings}
    other = read_pasted(access(200, 0.3, 90) + access(504, 41.37, 10, 100))
    assert "proxy-timeout-too-short" not in {one.cause for one in other.findings}


def test_an_access_log_without_failures_says_nothing_about_slowness() -> None:
    reading = read_pasted(access(200, 7.5, 60))
    assert reading.verdict == "healthy"
    assert "the log alone does not say" in reading.findings[0].text
    bare = "".join(line.rsplit(" ", 2)[0] + "\n" for line in access(200, 1, 60).splitlines())
    assert "median" not in said(bare)


def test_clients_that_gave_up_and_refusals_are_told_apart_from_errors() -> None:
    gone = read_pasted(access(200, 0.3, 80) + access(499, 9.1, 20, 90))
    assert gone.findings[0].cause == "abandoned-work"
    limited = read_pasted(access(200, 0.3, 80) + access(429, 0.0, 20, 90))
    assert limited.findings[0].cause == "gateway-limit"


HAPROXY = (
    "Mar  2 10:00:00 lb haproxy[8]: 10.0.0.1:40000 [02/Mar/2026:10:00:00.000] in llm/gpu1 "
    '{timers} {status} 90 - - {state} 9/9/9/9/0 {queue} "POST /v1/chat HTTP/1.1"\n'
)


@pytest.mark.parametrize(
    ("timers", "status", "state", "queue", "cause"),
    [
        ("0/0/1/-1/60001", 504, "sH--", "0/0", "worker-frozen"),
        ("0/0/-1/-1/9", 503, "SC--", "0/0", "upstream-down"),
        ("0/0/-1/-1/5003", 503, "sC--", "0/0", "upstream-down"),
        ("0/5001/-1/-1/5001", 503, "sQ--", "9/9", "gateway-limit"),
        ("0/0/1/-1/90", 502, "SH--", "0/0", "worker-crash-loop"),
        ("0/0/1/-1/900", 400, "CH--", "0/0", "abandoned-work"),
        ("0/900/1/90/991", 200, "----", "3/4", "gateway-limit"),
    ],
)
def test_who_ended_a_session_in_which_phase(
    timers: str, status: int, state: str, queue: str, cause: str
) -> None:
    line = HAPROXY.format(timers=timers, status=status, state=state, queue=queue)
    assert read_pasted(line).findings[0].cause == cause


def test_a_session_that_ended_well_is_healthy() -> None:
    line = HAPROXY.format(timers="0/0/1/90/91", status=200, state="----", queue="0/0")
    assert read_pasted(line).verdict == "healthy"


def gunicorn(at: str, level: str, text: str, pid: int = 1) -> str:
    return f"[2026-03-02 {at} +0000] [{pid}] [{level}] {text}\n"


def test_out_of_memory_is_gunicorns_guess() -> None:
    log = gunicorn("10:00:00", "CRITICAL", "WORKER TIMEOUT (pid:77)")
    log += gunicorn("10:00:01", "ERROR", "Worker (pid:77) was sent SIGKILL! Perhaps out of memory?")
    reading = read_pasted(log)
    assert (reading.verdict, reading.findings[0].cause) == ("critical", "event-loop-blocked")
    assert "guess" in reading.findings[0].text
    assert "oom-killed" not in {one.cause for one in reading.findings}


def test_a_worker_killed_before_it_served_loads_too_long() -> None:
    log = gunicorn("10:00:00", "INFO", "Booting worker with pid: 90", 90)
    log += gunicorn("10:01:00", "CRITICAL", "WORKER TIMEOUT (pid:90)")
    first = read_pasted(log).findings[0]
    assert "60 s after its boot" in first.text
    assert first.cause == "worker-crash-loop"
    late = log.replace("10:01:00", "13:00:00")
    assert read_pasted(late).findings[0].cause == "event-loop-blocked"


def test_a_normal_start_is_healthy() -> None:
    log = gunicorn("10:00:00", "INFO", "Starting gunicorn 21.2.0")
    log += gunicorn("10:00:00", "INFO", "Booting worker with pid: 8", 8)
    assert read_pasted(log).verdict == "healthy"


def test_uvicorns_errors_and_answers() -> None:
    good = 'INFO:     10.0.0.1:4000 - "GET /x HTTP/1.1" 200 OK\n'
    bad = 'INFO:     10.0.0.1:4000 - "GET /x HTTP/1.1" 500 Internal Server Error\n'
    assert (
        read_pasted(good * 30 + "ERROR:    Exception in ASGI application\n").verdict == "critical"
    )
    assert read_pasted(good * 10 + bad * 10).verdict == "critical"
    assert read_pasted(good * 10).verdict == "unknown"


def test_a_containers_name_before_each_line_hides_nothing() -> None:
    text = nginx("connect() failed (111: Connection refused) while connecting to upstream")
    assert "10.2.0.4:8000 refuses" in said(f"proxy-1   | {text}")
