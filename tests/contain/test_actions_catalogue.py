"""Every action is complete, and every action that a cause cites is there."""

from __future__ import annotations

import pytest

from weaklink.contain.action import action, action_texts, actions
from weaklink.contain.shell import fill, quote
from weaklink.converge import catalogue
from weaklink.model.plan import HARMS
from weaklink.words import placeholders

CITED = [
    "stop-next-run",
    "limit-route",
    "warm-missing",
    "spread-expiry",
    "pin-hot-key",
    "resume-process",
    "eject-member",
    "restart-member",
    "start-member",
    "return-peers",
    "raise-cpu-quota",
    "quiet-neighbour",
    "pause-process",
    "raise-memory-limit",
    "lower-concurrency",
    "stop-slow-caller",
    "move-slow-reads",
    "cap-input-size",
    "add-member",
    "raise-open-files",
    "free-space",
    "lower-log-level",
    "raise-cache-memory",
    "save-elsewhere",
]


def test_all_actions_are_there() -> None:
    assert set(CITED) <= set(actions())


def test_every_cited_action_exists() -> None:
    missing = {
        (cause.id, id_)
        for cause in catalogue().values()
        for id_ in cause.contained_by
        if id_ not in actions()
    }
    assert not missing


@pytest.mark.parametrize("id_", CITED)
def test_an_action_is_complete(id_: str) -> None:
    one = actions()[id_]
    assert one.harm in HARMS
    assert all(text for text in action_texts(one).values())
    assert set(one.after) <= set(actions())
    assert one.expires_after is None or one.undo or not one.preview
    for line in (*one.preview, *one.undo):
        assert placeholders(line.replace("{{", "").replace("}}", "")) <= placeholders(line)


def test_what_changes_something_for_a_time_has_an_undo() -> None:
    for one in actions().values():
        if one.expires_after is not None:
            assert one.undo, one.id


def test_a_second_different_action_of_one_name_is_refused() -> None:
    from msgspec import structs

    one = actions()["add-member"]
    assert action(one) == one
    with pytest.raises(ValueError, match="twice"):
        action(structs.replace(one, title="another"))


def test_values_are_quoted_for_a_shell() -> None:
    assert fill("rm {name}", {"name": "a; reboot"}) == "rm 'a; reboot'"
    assert fill("rm {name}", {}) is None
    assert quote("x\n") is None
    assert quote("x" * 2000) is None
    assert quote(2.0) == "2"
