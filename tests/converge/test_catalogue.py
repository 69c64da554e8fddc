"""The catalogue fits the signs: nothing cited that nobody produces, nothing produced in vain."""

from __future__ import annotations

import pytest

from weaklink.converge import catalogue
from weaklink.locate.look import looks
from weaklink.model.cause import Cause, cause
from weaklink.model.evidence import sign, signs
from weaklink.observe import signs as users_signs


def cited() -> set[str]:
    return {weight.sign for entry in catalogue().values() for weight in entry.signs}


def produced() -> set[str]:
    looks()
    assert users_signs.ERRORS
    return set(signs())


def test_every_cited_sign_is_produced() -> None:
    assert cited() - produced() == set()


def test_every_produced_sign_is_cited() -> None:
    assert produced() - cited() == set()


def test_every_weight_has_its_reason_and_points_somewhere() -> None:
    for entry in catalogue().values():
        for weight in entry.signs:
            assert weight.reason, (entry.id, weight.sign)
            assert weight.absent <= 0 or weight.present < 0


def test_required_signs_are_among_its_own() -> None:
    for entry in catalogue().values():
        assert entry.required
        assert set(entry.required) <= {weight.sign for weight in entry.signs}


def test_a_sign_or_cause_of_the_same_id_must_be_the_same() -> None:
    some = next(iter(catalogue().values()))
    with pytest.raises(ValueError, match="twice"):
        cause(Cause(**{**{f: getattr(some, f) for f in some.__struct_fields__}, "prior": -1.0}))
    with pytest.raises(ValueError, match="twice"):
        sign("users.errors", "users", "something else")
