"""The moments of a test are fixed beforehand."""

from itertools import islice

import pytest

from weaklink.capacity.schedule import Stage, intended_starts


def test_the_same_seed_gives_the_same_moments() -> None:
    stages = (Stage(100, 2),)
    assert list(intended_starts(stages, seed=3)) == list(intended_starts(stages, seed=3))
    assert list(intended_starts(stages, seed=3)) != list(intended_starts(stages, seed=4))


def test_constant_arrivals_are_even_and_stages_follow_each_other() -> None:
    moments = list(intended_starts((Stage(10, 1), Stage(20, 1)), "constant"))
    assert len([at for at in moments if at <= 1.0]) in (9, 10)
    assert len([at for at in moments if at > 1.0]) in (19, 20)
    assert moments == sorted(moments)


def test_poisson_arrivals_keep_the_rate() -> None:
    moments = list(intended_starts((Stage(50, 100),), seed=1))
    assert 4600 < len(moments) < 5400


def test_a_stage_without_an_end_goes_on() -> None:
    assert len(list(islice(intended_starts((Stage(5),)), 1000))) == 1000


@pytest.mark.parametrize(("rate", "seconds"), [(0.0, 1.0), (-1.0, 1.0), (1.0, -1.0)])
def test_nonsense_is_refused(rate: float, seconds: float) -> None:
    with pytest.raises(ValueError, match=r"must be|cannot"):
        Stage(rate, seconds)
