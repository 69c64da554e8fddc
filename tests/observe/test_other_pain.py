"""Pain that is neither slow nor 5xx: turned away, answers that shrank, and a service's counters."""

from __future__ import annotations

from msgspec import structs

from weaklink.incident import judge
from weaklink.model.case import Case, grow
from weaklink.model.diagnosis import Pain
from weaklink.model.requests import Requests
from weaklink.observe.asks import Ask
from weaklink.observe.refusals import risen
from weaklink.testing.fake_chain import END, FRONT, WORKERS, FakeChain, process_key


def pain_of(case: Case) -> Pain:
    pain = judge(case).pain
    assert pain is not None
    return pain


def ask(at: float, status: int, client: str = "10.0.0.1") -> Ask:
    return Ask(at, at + 0.1, 0.1, status, "/a", "/a", client, "10.0.0.2:80", 9, False, False)


def test_users_who_are_turned_away_hurt() -> None:
    chain = FakeChain()
    chain.slow_members(*WORKERS, share=0.6, status=401, seconds=0.02)
    pain = pain_of(chain.case())
    assert pain.shape.id == "widespread-timeouts"
    assert pain.onset is not None
    assert abs(pain.onset.at - (END - 30)) < 3


def test_a_stranger_who_tries_keys_is_no_pain() -> None:
    rows = [ask(float(n), 200, f"10.0.0.{n % 40}") for n in range(200)]
    rows += [ask(200.0 + n, 401, "203.0.113.9") for n in range(200)]
    rows += [ask(200.5 + n, 200, f"10.0.0.{n % 40}") for n in range(200)]
    rows.sort(key=lambda row: row.at)
    assert risen(rows, 0.001) is None
    many = [row._replace(client=f"10.0.1.{n % 50}") for n, row in enumerate(rows)]
    assert risen(many, 0.001) is not None


def leaving(before: float, after: float) -> Case:
    """A log without durations in which these shares of the users leave before their answer."""
    case = FakeChain().case()
    rows = case.requests[0]
    share = [after if end >= END - 30 else before for end in rows.end]
    status = [499 if part and n % round(1 / part) == 0 else 200 for n, part in enumerate(share)]
    nothing: list[float | None] = [None] * len(rows)
    untimed = structs.replace(
        rows, start=nothing, duration=nothing, status=status, upstream_duration=nothing,
        client=[f"10.9.0.{n % 50}" for n in range(len(rows))], upstream_status=status,
    )  # fmt: skip
    return grow(case, requests=[untimed])


def test_users_who_leave_hurt_where_more_of_them_do_than_before() -> None:
    assert pain_of(leaving(0.0, 0.2)).shape.id != "none"
    assert pain_of(leaving(0.02, 0.2)).shape.id != "none"
    assert pain_of(leaving(0.1, 0.1)).shape.id == "none"
    assert pain_of(leaving(0.0, 0.02)).shape.id == "none"


def counting(*, errors: float = 0.0, seconds: float = 0.2, requests: float = 10.0) -> Case:
    """A service without any log that counts its own requests."""
    chain = FakeChain()
    key = process_key(FRONT)
    for name, rate, usual in (
        ("app_requests_total", requests, 1.0),
        ("app_request_errors_total", requests * errors, 0.001),
        ("app_requests_timed_total", requests, 1.0),
        ("app_request_seconds_total", requests * seconds, 0.2),
    ):
        chain.counter(name, key, rate, start=50_000 * usual)
    return grow(chain.case(), requests=[])


def test_without_a_log_a_services_own_counters_tell_pain() -> None:
    assert pain_of(counting()).shape.id == "none"
    assert pain_of(counting(errors=0.2)).shape.id == "widespread-timeouts"
    assert pain_of(counting(errors=0.99)).shape.id == "total-outage"
    slow = pain_of(counting(seconds=1.5))
    assert slow.shape.id == "widespread-timeouts"
    assert (slow.impact.p50_before, slow.impact.p50_now) == (0.2, 1.5)


def test_a_handful_of_requests_says_nothing() -> None:
    assert pain_of(counting(errors=0.5, requests=0.5)).shape.id == "none"


def test_answers_that_shrank_are_an_anomaly_in_content() -> None:
    chain = FakeChain()
    chain.shrunk_to = 120
    pain = pain_of(chain.case())
    assert pain.shape.id == "semantic-anomaly"
    assert pain.shape.semantic_looked_at


def test_where_nothing_tells_what_answers_hold_it_is_said() -> None:
    chain = FakeChain()
    chain.slow_members(*WORKERS, share=0.7)
    case = chain.case()
    blind = [grow_sent(rows) for rows in case.requests]
    assert not pain_of(grow(case, requests=blind)).shape.semantic_looked_at


def grow_sent(rows: Requests) -> Requests:

    return structs.replace(rows, sent=[0] * len(rows))
