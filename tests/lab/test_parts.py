"""Parts that are not always up: who they bring, and what they leave as it was."""

import pytest

from weaklink_lab import breaking, faults
from weaklink_lab.draw import Wants, draw
from weaklink_lab.parts_of import PARTS, roles
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


def test_the_same_question_lies_in_the_same_place() -> None:
    assert embed("a cat") == embed("a cat") != embed("a dog")
    assert len(embed("a cat")) == DIMENSIONS
