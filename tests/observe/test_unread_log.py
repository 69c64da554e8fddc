"""A log that could not be read in time is no proof that users fare well."""

from __future__ import annotations

from msgspec import structs

from weaklink.incident import judge
from weaklink.model.case import Case
from weaklink.model.fact import ProbeAnswer
from weaklink.model.look import Look
from weaklink.testing.fake_chain import END, FRONT, FakeChain, address


def without_its_log(chain: FakeChain) -> Case:
    case = judge(chain.case())
    entry = next(link for link in case.chain.links if address(FRONT) in link.listen)
    quick = [
        ProbeAnswer(url="http://x/", link=entry.key, at=END - n, duration=0.01, status=200)
        for n in (3, 2, 1)
    ]
    late = Look(name="nginx-logs", target="", outcome="timeout", at=END)
    return judge(
        structs.replace(case, requests=[], answers=quick, looks=[*case.looks, late], diagnoses=[])
    )


def test_quick_answers_to_us_do_not_make_it_healthy() -> None:
    found = without_its_log(FakeChain()).diagnoses[-1]
    assert found.too_blind
    assert not found.pain.looked_at


def test_requests_that_hang_at_the_entry_tell_that_users_wait() -> None:
    chain = FakeChain()
    chain.waiting(FRONT, caller=900, count=9, age=6.0)
    found = without_its_log(chain).diagnoses[-1]
    assert found.pain.shape.id == "widespread-timeouts"
    assert found.pain.impact.in_flight == 9
