"""Parts that are not always up: who they bring, what the stand-in model server counts."""

import random

import pytest

from weaklink.parse import prometheus
from weaklink_lab import breaking, faults
from weaklink_lab.draw import Wants, draw
from weaklink_lab.parts_of import PARTS, roles
from weaklink_lab.service import engine
from weaklink_lab.service.meters import Meters
from weaklink_lab.service.rag import DIMENSIONS, embed


def test_a_small_drill_has_none_of_them() -> None:
    assert not [role for role in roles(tuple(PARTS)) if draw(3).has(role)]


@pytest.mark.parametrize("seed", range(8))
def test_a_part_more_renames_nobody(seed: int) -> None:
    plain, grown = draw(seed), draw(seed, Wants(parts=("store", "llm")))
    assert {*plain.members} < {*grown.members}
    assert grown.has("orchestrator")
    assert not grown.has("vector")
    assert len({member.ip for member in grown.members}) == len(grown.members)
    assert all(len(member.name) <= 15 for member in grown.members)


def test_who_lacks_a_part_is_told_so() -> None:
    wants = breaking.wants_of(faults.known()["engine-dead"], 1)
    assert "llm" in breaking.misfit(draw(1), wants)


def test_a_limit_of_tokens_ends_an_answer_and_says_so() -> None:
    wish = {"id": 1, "prompt": 30, "most": 256}
    whole = engine.taken_in(wish, {}, random.Random(1))
    cut = engine.taken_in(wish, {"most_tokens": 8}, random.Random(1))
    assert whole.reason == "stop"
    assert (cut.left, cut.reason) == (8, "length")
    assert engine.taken_in(wish, {"empty": True}, random.Random(1)).left == 1


def test_the_stand_in_counts_as_the_real_one_does() -> None:
    meters = Meters()
    meters.token(0.4, first=True)
    meters.token(0.02, first=False)
    meters.ended({"reason": "stop", "prompt": 30, "token": 2}, 0.42)
    text = meters.text()
    samples = {one.name: one.value for one in prometheus.samples(text.splitlines())}
    assert text.startswith("# SIMULATED")
    assert samples["vllm:generation_tokens_total"] == 2
    assert samples["vllm:time_to_first_token_seconds_sum"] == pytest.approx(0.4)
    assert samples["vllm:prompt_tokens_total"] == 30


def test_the_same_question_lies_in_the_same_place() -> None:
    assert embed("a cat") == embed("a cat") != embed("a dog")
    assert len(embed("a cat")) == DIMENSIONS
