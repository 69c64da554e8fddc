"""The scorer matches by process and address, whatever things are called."""

from typing import Any

import pytest

from weaklink_lab.score import is_culprit, moment, score
from weaklink_lab.truth import Culprit, Guilty, Truth

TRUTH = Truth(
    cause="worker-frozen",
    shapes=("widespread-timeouts", "intermittent-spikes"),
    links=(Guilty((4121,), ("10.0.0.7:8001",)),),
    second=(Guilty((77,), ("10.0.0.2:6379",)),),
    culprits=(Culprit("pid", "4121"), Culprit("listen", "10.0.0.7:8001")),
)
WELL = Truth(cause="", shapes=("none",))


def report(link: str, **changes: Any) -> dict[str, Any]:
    best = {
        "id": "worker-frozen",
        "probability": 0.9,
        "link": link,
        "target": "process:h1/-/4121@78213",
        **changes,
    }
    return {
        "schema": "weaklink/report/1",
        "shape": {"id": "widespread-timeouts"},
        "chain": {
            "links": [
                {"key": "L1", "pids": [4121, 4122], "listen": []},
                {"key": "L2", "pids": [], "listen": ["10.0.0.7:8001"]},
                {"key": "L3", "pids": [77], "listen": ["10.0.0.2:6379"]},
                {"key": "L4", "pids": [1], "listen": ["10.0.0.9:80"]},
                {"key": "G", "pids": [], "listen": [], "members": ["L4", "L1"]},
            ],
            "hops": [{"key": "e7", "from": "L4", "to": "L2"}],
        },
        "causes": [best],
    }


@pytest.mark.parametrize(
    ("link", "right"),
    [
        ("L1", True),
        ("L2", True),
        ("L3", False),
        ("L4", False),
        ("L4>L1", True),
        ("e7", True),
        ("G", True),
        ("nobody", False),
    ],
)
def test_a_link_is_right_by_pid_address_member_or_end_of_an_edge(link: str, right: bool) -> None:
    assert score(report(link), 1, TRUTH).link is right


def test_members_that_a_cause_lists_count() -> None:
    assert score(report("L4", members=["L1"]), 1, TRUTH).link


def test_a_second_choice_is_marked_apart() -> None:
    hits = score(report("L3"), 1, TRUTH)
    assert (hits.link, hits.link_second) == (False, True)


def test_all_right() -> None:
    hits = score(report("L1"), 1, TRUTH)
    assert (hits.cause, hits.shape, hits.target, hits.exit) == (True, True, True, True)


def test_no_answer_at_all_is_all_wrong() -> None:
    hits = score({}, -1, TRUTH)
    assert not any((hits.cause, hits.link, hits.target, hits.shape, hits.exit))


def test_a_healthy_service_wants_silence() -> None:
    quiet = score({"shape": {"id": "none"}, "causes": []}, 0, WELL)
    assert quiet.cause
    assert quiet.exit
    blamed = score(report("L1"), 1, WELL)
    assert not blamed.cause
    assert not blamed.exit


@pytest.mark.parametrize(
    ("target", "culprit", "right"),
    [
        ("process:h1/-/4121@78213", Culprit("pid", "4121"), True),
        ("process:h1/-/41@21", Culprit("pid", "4121"), False),
        ("keyspace:h1/-/redis:6379/preview", Culprit("keyspace", "preview"), True),
        ("keyspace:h1/-/redis:6379/preview:*", Culprit("keyspace", "preview"), True),
        ("keyspace:h1/-/redis:6379/other", Culprit("keyspace", "preview"), False),
        ("cgroup:h1/-/cpu/pods-1/render-a", Culprit("cgroup", "pods-1/render-a"), True),
        ("cgroup:h1/-/cpu/pods-1/render-b", Culprit("cgroup", "pods-1/render-a"), False),
        ("listener:h1/-/10.0.0.7:8001", Culprit("listen", "10.0.0.7:8001"), True),
        ("key:h1/-/pv:v10", Culprit("text", "pv:v10"), True),
        ("", Culprit("text", "pv:v10"), False),
    ],
)
def test_culprits(target: str, culprit: Culprit, right: bool) -> None:
    assert is_culprit(target, culprit) is right


def test_moments_are_read_as_text_or_number() -> None:
    assert moment("1970-01-01T00:01:00Z") == 60.0
    assert moment(60) == 60.0
    assert moment("soon") is None
    assert moment(None) is None
