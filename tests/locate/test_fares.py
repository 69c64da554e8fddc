"""Where a request spends its time, and how each link fares, in the words of the chain's line."""

from __future__ import annotations

from weaklink.incident import judge
from weaklink.model.chain import Link
from weaklink.testing.fake_chain import CACHE, FRONT, WORKERS, FakeChain, address


def links_of(chain: FakeChain) -> dict[str, Link]:
    found = judge(chain.case()).chain.links
    return {where: link for link in found for where in link.listen}


def test_the_link_that_takes_long_itself_and_the_proxy_that_waits_for_it() -> None:
    chain = FakeChain()
    chain.slow_members(*WORKERS, share=0.9)
    for pid in WORKERS:
        chain.waiting(pid, caller=FRONT, count=5, age=2.0)
    links = links_of(chain)
    front, worker = links[address(FRONT)], links[address(WORKERS[0])]
    assert worker.state == "busy"
    assert front.state == "waits"
    assert 1.0 < (worker.own_seconds or 0.0) < 3.0
    assert (front.own_seconds or 0.0) < 0.1 < (front.wait_seconds or 0.0)


def test_who_waits_for_the_cache_has_no_time_of_its_own() -> None:
    chain = FakeChain()
    chain.slow_members(*WORKERS, share=0.9)
    for pid in WORKERS:
        chain.waiting(pid, caller=FRONT, count=5, age=2.0)
        chain.waiting(CACHE, caller=pid, count=5, age=2.0)
    links = links_of(chain)
    worker = links[address(WORKERS[0])]
    assert worker.state == "waits"
    assert (worker.own_seconds or 0.0) < 0.2 * (worker.wait_seconds or 0.0)
    assert links[address(CACHE)].state == "busy"


def test_on_a_healthy_chain_everything_is_fine() -> None:
    links = links_of(FakeChain())
    assert {link.state for link in links.values() if link.on_chain} <= {"fine", ""}


def test_a_stopped_member_is_said_to_be_stopped() -> None:
    chain = FakeChain()
    chain.state(WORKERS[1], "T")
    chain.slow_members(WORKERS[1], share=1.0, status=504)
    assert links_of(chain)[address(WORKERS[1])].state == "stopped"
