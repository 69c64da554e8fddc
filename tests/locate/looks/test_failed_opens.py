"""The kernel's count of connections that were not made speaks for whoever made them."""

from __future__ import annotations

from weaklink.incident import judge
from weaklink.model.target import target_key
from weaklink.testing.fake_chain import HOST, FakeChain


def strongest(rate: float | None) -> float | None:
    chain = FakeChain()
    if rate is not None:
        chain.counter("tcp_failed_opens_total", target_key("netns", "tcp", host=HOST), rate)
    found = [e.strength for e in judge(chain.case()).evidence if e.sign == "link.connects-fail"]
    return max(found, default=None)


def test_many_a_second_are_a_sign_and_a_knock_now_and_then_is_none() -> None:
    assert strongest(50.0) == 1.0
    assert strongest(0.1) == 0.0


def test_where_nobody_could_count_nothing_is_said() -> None:
    assert strongest(None) is None
