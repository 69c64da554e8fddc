"""What users feel: pain where there is pain, calm where there is none, and since when."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from weaklink.incident import judge
from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain
from weaklink.model.diagnosis import Pain
from weaklink.model.fact import ProbeAnswer
from weaklink.model.requests import Requests
from weaklink.observe.asks import asks_of, without_ours
from weaklink.observe.pain import feel
from weaklink.testing.fake_chain import END, ONSET, WORKERS, FakeChain

Row = tuple[float, float | None, int, str, int]
"""Start, duration, status, path, bytes."""


def log(rows: Iterator[Row] | list[Row], *, upstream: str = "10.0.0.9:80") -> Requests:
    listed = list(rows)
    return Requests(
        source="log:h1/-/access.log",
        start=[row[0] if row[1] is not None else None for row in listed],
        end=[row[0] + (row[1] or 0.0) for row in listed],
        duration=[row[1] for row in listed],
        status=[row[2] for row in listed],
        method=["GET"] * len(listed),
        path=[row[3] for row in listed],
        route=[row[3].rpartition("/")[0] + "/{}" for row in listed],
        client=["10.1.1.1"] * len(listed),
        upstream=[upstream] * len(listed),
        upstream_status=[row[2] for row in listed],
        upstream_duration=[row[1] for row in listed],
        tries=[1] * len(listed),
        sent=[row[4] for row in listed],
    )


def pain_of(rows: Iterator[Row] | list[Row]) -> Pain:
    case = grow(FakeChain().case(), requests=[log(rows)], chain=Chain())
    return feel(case).pain


def steady(seconds: float = 600, rate: float = 10, took: float = 0.1) -> Iterator[Row]:
    for n in range(int(seconds * rate)):
        yield (END - seconds + n / rate, took * (1 + n % 7 / 10), 200, f"/a/{n % 50}", 1000)


def since(
    rows: Iterator[Row], ago: float, took: float, status: int, every: int = 1
) -> Iterator[Row]:
    for n, row in enumerate(rows):
        sick = row[0] >= END - ago and n % every == 0
        yield (row[0], took, status, row[3], row[4]) if sick else row


def test_calm_is_none() -> None:
    pain = pain_of(steady())
    assert pain.shape.id == "none"
    assert pain.looked_at
    assert pain.onset is None


@pytest.mark.parametrize("ago", [8.0, 20.0, 60.0, 300.0])
def test_slow_for_all_is_widespread_since_its_onset(ago: float) -> None:
    pain = pain_of(since(steady(), ago, 3.0, 200))
    assert pain.shape.id == "widespread-timeouts"
    assert pain.onset is not None
    assert abs(pain.onset.at - (END - ago)) <= max(0.5, pain.onset.plus_minus_seconds)
    assert pain.impact.p99_before is not None
    assert pain.impact.p99_now is not None
    assert pain.impact.p99_now > 10 * pain.impact.p99_before


def test_errors_for_all_are_an_outage() -> None:
    pain = pain_of(since(steady(), 30, 0.001, 502))
    assert pain.shape.id == "total-outage"
    assert pain.impact.error_ratio_now == 1.0


def test_a_few_in_some_seconds_are_spikes() -> None:
    def spiky() -> Iterator[Row]:
        for row in steady():
            burst = row[0] >= END - 90 and (END - row[0]) % 15 < 2
            yield (row[0], 2.0, 200, row[3], row[4]) if burst else row

    pain = pain_of(spiky())
    assert pain.shape.id == "intermittent-spikes"


def test_two_slow_requests_are_no_pain() -> None:
    rows = list(steady())
    rows[-30] = (rows[-30][0], 4.0, 200, rows[-30][3], 1000)
    rows[-60] = (rows[-60][0], 4.0, 200, rows[-60][3], 1000)
    assert pain_of(rows).shape.id == "none"


def test_a_slow_route_that_always_was_slow_is_no_pain() -> None:
    def mixed() -> Iterator[Row]:
        for n, row in enumerate(steady()):
            yield (row[0], 8.0, 200, f"/videos/{n}", 9000) if n % 10 == 0 else row

    assert pain_of(row for row in mixed() if row[0] + (row[1] or 0) <= END).shape.id == "none"


def test_twice_the_time_of_a_fast_route_is_no_pain() -> None:
    assert pain_of(since(steady(took=0.004), 60, 0.012, 200)).shape.id == "none"


def test_more_requests_alone_are_no_pain() -> None:
    def rising() -> Iterator[Row]:
        for row in steady():
            for copy in range(3 if row[0] > END - 60 else 1):
                yield (row[0] + copy / 100, row[1], row[2], row[3], row[4])

    pain = pain_of(rising())
    assert pain.shape.id == "none"


def test_what_is_shed_on_purpose_is_no_error() -> None:
    pain = pain_of(since(steady(), 60, 0.001, 429, every=4))
    assert pain.shape.id == "none"
    assert pain.impact.shed_ratio_now == pytest.approx(0.25, abs=0.05)


def test_a_log_without_durations_still_tells_errors_and_claims_no_latency() -> None:
    rows = [
        (at, None, status, path, sent)
        for at, _, status, path, sent in since(steady(), 40, 1, 502, 3)
    ]
    pain = pain_of(rows)  # type: ignore[arg-type]
    assert pain.shape.id == "widespread-timeouts"
    assert pain.impact.p99_now is None


def test_what_is_over_is_said_to_be_over() -> None:
    def once() -> Iterator[Row]:
        for row in steady():
            sick = END - 200 <= row[0] < END - 120
            yield (row[0], 2.0, 504, row[3], row[4]) if sick else row

    pain = pain_of(once())
    assert pain.shape.recovered
    assert not pain.impact.still_on


def test_answers_that_shrank_are_a_semantic_anomaly() -> None:
    def shrinking() -> Iterator[Row]:
        for n, row in enumerate(steady()):
            size = 4000 + n % 100 if row[0] < END - 60 else 150 + n % 20
            yield (row[0], row[1], 200, row[3], size)

    pain = pain_of(shrinking())
    assert pain.shape.id == "semantic-anomaly"
    assert pain.shape.semantic_looked_at


def test_pain_that_grows_creeps() -> None:
    def creeping() -> Iterator[Row]:
        for n, row in enumerate(steady()):
            share = max(0.0, (row[0] - (END - 200)) / 200)
            yield (row[0], 2.0, 200, row[3], 1000) if (n * 7 % 100) / 100 < share else row

    pain = pain_of(creeping())
    assert pain.onset is not None
    assert pain.onset.kind == "creep"


def test_without_anything_that_tells_it_is_not_called_healthy() -> None:
    case = grow(FakeChain().case(), requests=[])
    judged = judge(case)
    assert judged.pain is not None
    assert not judged.pain.looked_at
    assert judged.diagnoses[-1].too_blind
    assert judged.diagnoses[-1].next_look is not None


def test_an_entry_that_answers_our_own_gets_with_errors_is_down() -> None:
    chain = FakeChain().case()
    judged = judge(grow(chain, requests=[]))
    entry = next(link.key for link in judged.chain.links if link.entry)
    answers = [
        ProbeAnswer(url="/x", link=entry, at=END - n, duration=0.1, status=0, error="refused")
        for n in range(3)
    ]
    assert judge(grow(chain, requests=[], answers=answers)).diagnoses[-1].pain.shape.id == (
        "total-outage"
    )


def test_the_users_of_one_entry_do_not_hide_those_of_another() -> None:
    """Two services on one host: the busy one is fine, the small one hurts."""
    sick = FakeChain()
    sick.slow_members(*WORKERS, share=0.8)
    pain = judge(sick.case()).diagnoses[-1].pain
    assert pain.entry
    assert pain.onset is not None
    assert abs(pain.onset.at - (END - ONSET)) < 1.0


def test_since_and_until_bound_what_is_judged() -> None:
    rows = log(since(steady(), 100, 3.0, 200))
    case: Case = grow(FakeChain().case(), requests=[rows], chain=Chain())
    assert feel(case, until=END - 150).pain.shape.id == "none"
    assert feel(case, since=END - 200).pain.shape.id == "widespread-timeouts"


def test_our_own_gets_are_not_users() -> None:
    """They come from the entry's own address at the moments at which we sent them."""
    chain = FakeChain().case()
    entry = next(link for link in judge(chain).chain.links if link.entry)
    own = entry.listen[0].rpartition(":")[0]
    rows = log(list(steady()))
    ours = grow(
        chain,
        requests=[
            Requests(
                **{
                    **{name: getattr(rows, name) for name in rows.__struct_fields__},
                    "source": chain.requests[0].source,
                    "client": [own if n % 2 else "10.1.1.1" for n in range(len(rows))],
                }
            )
        ],
        answers=[ProbeAnswer(url="/", link=entry.key, at=END - 3, duration=0.1, status=200)],
    )
    judged = judge(ours)
    kept = without_ours(judged, entry.key, asks_of(judged.requests))
    assert 0 < len(asks_of(judged.requests)) - len(kept) <= 20


@pytest.mark.parametrize(
    ("errors", "shape"),
    [
        (["timeout", "", "timeout", ""], "widespread-timeouts"),
        (["", "", "", ""], "none"),
        (["timeout", "", "", "", "", ""], "none"),
        (["refused", "refused"], "total-outage"),
        (["refused"], "none"),
    ],
)
def test_without_a_log_our_own_gets_tell(errors: list[str], shape: str) -> None:
    """A member that hangs is in no log yet, and a log without durations tells no slowness."""
    chain = FakeChain().case()
    entry = next(link.key for link in judge(chain).chain.links if link.entry)
    answers = [
        ProbeAnswer(
            url="/x", link=entry, at=END - n, duration=2.0, status=0 if error else 200, error=error
        )
        for n, error in enumerate(errors)
    ]
    pain = judge(grow(chain, requests=[], answers=answers)).diagnoses[-1].pain
    assert pain.shape.id == shape


def test_a_bare_connect_that_was_accepted_is_no_failure() -> None:
    chain = FakeChain().case()
    entry = next(link.key for link in judge(chain).chain.links if link.entry)
    answers = [
        ProbeAnswer(url="tcp://10.0.0.1:80", link=entry, at=END - n, duration=0.1, status=0)
        for n in range(3)
    ]
    assert judge(grow(chain, requests=[], answers=answers)).diagnoses[-1].pain.shape.id == "none"


def test_a_route_that_few_ask_for_keeps_its_own_normal() -> None:
    """Twelve in a hundred ask for it; in the last half minute each takes sixty times as long."""

    def two_routes() -> Iterator[Row]:
        for n, row in enumerate(steady(seconds=120, rate=6)):
            if n % 8:
                yield row
            else:
                took = 6.0 if row[0] >= END - 30 else 0.1
                yield (row[0], took, 200, f"/rare/{n}", 900)

    pain = pain_of(row for row in two_routes() if row[0] + (row[1] or 0) <= END)
    assert pain.shape.id == "widespread-timeouts"
    assert pain.onset is not None
    assert abs(pain.onset.at - (END - 30)) < 2.5


def test_two_failures_of_ours_are_no_outage_while_users_are_served() -> None:
    """One of two members hangs: our GETs met it, the log shows that others were answered."""
    chain = FakeChain().case()
    entry = next(link.key for link in judge(chain).chain.links if link.entry)
    answers = [
        ProbeAnswer(url="/x", link=entry, at=END - n, duration=3.0, status=0, error="timeout")
        for n in range(2)
    ]
    pain = judge(grow(chain, answers=answers)).diagnoses[-1].pain
    assert pain.shape.id == "widespread-timeouts"
