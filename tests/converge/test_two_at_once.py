"""Two troubles at once: both are named where each has a ground of its own, and nobody else is.

The pairs are drawn at random from the made-up chains. Where two of them write the same counter the
second wins, as on a real machine: a pair counts where what each cannot do without is still there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from cause_proofs import Sick, proofs

from weaklink.converge import catalogue
from weaklink.incident import judge
from weaklink.model.case import Case
from weaklink.testing.fake_chain import FakeChain

PAIRS = 20
BOTH = 0.6
SEED = 5
SEEN = 0.9
Pair = tuple[str, str]


def merged() -> Iterator[tuple[Pair, Case]]:
    """Random pairs of causes on one chain, judged."""
    sick: dict[str, Sick] = {proof.cause: proof.sick for proof in reversed(proofs())}
    dice = random.Random(SEED)
    causes = sorted(sick)
    while True:
        one, two = dice.sample(causes, 2)
        chain = FakeChain()
        sick[one](chain)
        sick[two](chain)
        yield (one, two), judge(chain.case())


def is_there(cause: str, case: Case) -> bool:
    required = catalogue()[cause].required
    return any(item.sign in required and item.strength >= SEEN for item in case.evidence)


def test_of_random_pairs_most_are_named_whole_and_no_third_cause_is() -> None:
    said: dict[Pair, set[str]] = {}
    for pair, case in merged():
        if all(is_there(cause, case) for cause in pair):
            said[pair] = {c.id for c in case.diagnoses[-1].causes if c.named}
        if len(said) == PAIRS:
            break
    strangers = {pair: found - set(pair) for pair, found in said.items() if found - set(pair)}
    assert not strangers
    assert all(said.values())
    whole = [pair for pair, found in said.items() if found == set(pair)]
    print(f"both named in {len(whole)} of {len(said)} pairs")
    assert len(whole) >= BOTH * len(said), {p: f for p, f in said.items() if f != set(p)}
