"""Every cause is named where it is, and not where something that looks like it is."""

from __future__ import annotations

import pytest
from cause_proofs import Proof, Sick, diagnosis, named, proofs
from cause_proofs.core import (
    SECOND,
    THIRD,
    ejected,
    frozen,
    mass_expiry,
    model_computes,
    neighbour,
    throttled,
)

from weaklink.converge import catalogue
from weaklink.testing.fake_chain import FRONT, WORKERS, FakeChain, group_key, process_key

PROOFS = proofs()


@pytest.mark.parametrize(
    "proof", PROOFS, ids=[f"{p.cause}-not-{p.near_miss.__name__}" for p in PROOFS]
)
def test_named_where_it_is_and_not_in_a_near_miss(proof: Proof) -> None:
    assert named(proof.sick) == [proof.cause]
    assert proof.cause not in named(proof.near_miss)


def test_every_cause_of_the_catalogue_is_tried() -> None:
    assert {proof.cause for proof in PROOFS} == set(catalogue())


def test_healthy_names_nothing() -> None:
    found = diagnosis(lambda chain: None)
    assert found.pain.shape.id == "none"
    assert not found.causes


def test_an_unknown_trouble_is_located_and_said_to_be_unexplained() -> None:
    found = diagnosis(model_computes)
    assert not [cause for cause in found.causes if cause.named]
    assert found.unexplained is not None
    assert any(f":{8000 + pid}" in found.unexplained.link for pid in WORKERS)


def test_two_troubles_at_once_are_both_named() -> None:
    def both(chain: FakeChain) -> None:
        mass_expiry(chain)
        chain.state(SECOND, "T")
        chain.waiting(SECOND, caller=FRONT, count=6, age=6.0)

    assert set(named(both)) == {"cache-mass-expiry", "worker-frozen"}


def test_the_culprit_is_a_target_not_a_guess() -> None:
    def culprit(sick: Sick) -> str:
        return next(cause.target for cause in diagnosis(sick).causes if cause.named)

    assert culprit(frozen) == process_key(SECOND)
    assert culprit(mass_expiry).startswith("keyspace:")
    assert culprit(throttled) in {group_key(pid) for pid in WORKERS}
    assert culprit(ejected) in {process_key(SECOND), process_key(THIRD)}
    assert culprit(neighbour).rpartition("/")[2].startswith("90")
