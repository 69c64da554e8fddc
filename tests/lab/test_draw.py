"""What a seed draws is stable, differs between seeds, and gives no name away."""

import msgspec
import pytest

from weaklink_lab import breaking, faults
from weaklink_lab.draw import Wants, draw, with_log_style
from weaklink_lab.spec import Spec


@pytest.mark.parametrize("seed", range(12))
def test_a_seed_gives_one_service_with_addresses_of_its_own(seed: int) -> None:
    spec = draw(seed)
    assert spec == draw(seed)
    assert len({member.ip for member in spec.members}) == len(spec.members)
    assert len({member.name for member in spec.members}) == len(spec.members)
    # Interface and namespace names have to fit the kernel's limits.
    assert all(len(member.name) <= 15 for member in spec.members)
    assert len(spec.of("balancer")) == (spec.balancing == "nginx")
    assert 8 <= spec.front_timeout <= 15
    assert spec.log_style in ("json", "text")


def test_seeds_differ() -> None:
    drawn = [draw(seed) for seed in range(12)]
    assert len({spec.one("front").address for spec in drawn}) == 12
    assert len({spec.one("cache").name for spec in drawn}) == 12
    assert len({spec.routes for spec in drawn}) > 4
    assert {spec.balancing for spec in drawn} == {"nginx", "gateway"}


def test_wants_bend_the_service_and_nothing_else() -> None:
    plain, bent = draw(5), draw(5, Wants(members=1, balancing="nginx", hot_share=0.3))
    assert len(bent.of("worker")) == 1
    assert bent.balancing == "nginx"
    assert bent.traffic.hot_share == 0.3
    assert bent.routes == plain.routes
    assert bent.traffic.rate == plain.traffic.rate


def test_no_name_says_which_fault_is_in() -> None:
    words = set(faults.known())
    for seed in range(5):
        for fault in faults.known().values():
            spec = draw(seed, breaking.wants_of(fault, seed))
            text = msgspec.json.encode(spec).decode()
            assert not [word for word in words if word in text and word != "healthy"]


def test_a_service_can_be_read_back() -> None:
    spec = with_log_style(draw(3), "combined")
    assert msgspec.json.decode(msgspec.json.encode(spec), type=Spec) == spec
    assert spec.log_style == "combined"
    assert with_log_style(spec, None) == spec


def test_each_fault_suits_the_service_that_is_made_for_it() -> None:
    for fault in faults.known().values():
        for seed in range(6):
            wants = breaking.wants_of(fault, seed)
            assert breaking.misfit(draw(seed, wants), wants) == ""
    wants = breaking.wants_of(faults.known()["peers-ejected"], 1)
    assert "requests/s" in breaking.misfit(draw(1), wants)
