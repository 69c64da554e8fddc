"""Two faults at once: who suits both, and what counts as right."""

import random
from typing import Any

import pytest

from weaklink_lab import faults
from weaklink_lab.draw import Wants
from weaklink_lab.score import score
from weaklink_lab.truth import Truth


def test_a_pair_asks_for_what_both_need() -> None:
    pair = faults.find("engine-dead+object-store-slow")
    assert pair.wants(random.Random(1)).parts == ("llm", "store")
    first = faults.together([Wants(members=2), Wants(members=3, balancing="nginx")])
    assert (first.members, first.balancing) == (2, "nginx")


def test_an_unknown_half_is_refused() -> None:
    with pytest.raises(LookupError, match="no fault is called nonsense"):
        faults.find("engine-dead+nonsense")


@pytest.mark.parametrize(
    ("named", "first", "everything"),
    [
        (["one", "two"], True, True),
        (["two", "one"], True, True),
        (["two", "other"], True, False),
        (["other", "one"], False, False),
        ([], False, False),
    ],
)
def test_either_may_be_named_first(named: list[str], first: bool, everything: bool) -> None:
    truth = Truth("one", ("none",), also=(Truth("two", ("none",)),))
    report: dict[str, Any] = {"causes": [{"id": name, "probability": 0.9} for name in named]}
    hits = score(report, 1, truth)
    assert (hits.cause, hits.all) == (first, everything)
