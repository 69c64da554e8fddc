"""Five outcomes of a look differ, each look has its deadline, and a stuck one is left alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from weaklink.model.case import Case
from weaklink.model.fact import Host
from weaklink.model.message import say
from weaklink.model.take import Take
from weaklink.reach.host import NotAllowed, NotHere, Reach, TooLate
from weaklink.reach.registry import Probe
from weaklink.reach.root import Root
from weaklink.reach.runner import Outcome, one_line, run_looks

CASE = Case(
    schema="weaklink/case/1",
    id="test",
    created=0.0,
    version="0",
    host=Host(name="h1", boot=0.0, cpus=1, memory_bytes=0.0),
    window=(0.0, 0.0),
)
ROOT = Root()


def make(name: str, work: Callable[[Reach], Take], *, frozen: bool = True) -> Probe:
    return Probe(name, "test", "tick", lambda reach, _case: work(reach), "a test", "", frozen)


def hands(seconds: float = 5.0) -> Callable[[Probe], Reach]:
    def give(_probe: Probe) -> Reach:
        now = time.monotonic()
        return Reach(root=ROOT, window=0.0, until=now, deadline=now + seconds)

    return give


def run_one(work: Callable[[Reach], Take], name: str = "one") -> Outcome:
    (outcome,) = run_looks([make(name, work)], hands(), CASE)
    return outcome


def raising(error: BaseException) -> Callable[[Reach], Take]:
    def work(_reach: Reach) -> Take:
        raise error

    return work


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Lets hanging looks end with the test."""
    event = threading.Event()
    yield event
    event.set()


def test_a_value_comes_home_with_its_cost() -> None:
    def work(_reach: Reach) -> Take:
        sum(range(200_000))
        return Take(host=CASE.host)

    outcome = run_one(work)
    assert outcome.look.outcome == "value"
    assert outcome.take.host == CASE.host
    assert 0 < outcome.look.cpu_seconds <= outcome.look.seconds + 0.05


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (NotHere(say("x.not-here")), "absent"),
        (NotAllowed(say("x.denied"), "sudo it"), "denied"),
        (TooLate(say("x.late")), "timeout"),
        (TimeoutError(), "timeout"),
        (PermissionError(13, "Permission denied", "/proc/1/fd"), "denied"),
        (FileNotFoundError(2, "No such file", "/proc/none"), "absent"),
        (ProcessLookupError(3, "No such process"), "absent"),
        (OSError(5, "Input/output error"), "failed"),
        (ValueError("broken"), "failed"),
        (RecursionError("deep"), "failed"),
    ],
)
def test_every_way_to_end_without_a_value(error: Exception, expected: str) -> None:
    outcome = run_one(raising(error))
    assert outcome.look.outcome == expected
    assert outcome.look.reason is not None
    assert outcome.take == Take()


def test_a_denied_look_says_what_would_allow_it() -> None:
    assert run_one(raising(NotAllowed(say("x"), "sudo it"))).look.remedy == "sudo it"
    assert run_one(raising(PermissionError(13, "no", "/x"))).look.remedy


def test_a_failure_is_one_redacted_line_without_a_traceback() -> None:
    secret = "hunter2hunter2"
    shown = one_line(ValueError(f"bad\nthing\x1b[31m at redis://user:{secret}@db:6379/0 " * 50))
    assert "\n" not in shown
    assert secret not in shown
    assert len(shown) <= 200
    assert shown.startswith("ValueError: bad thing")


def test_one_that_hangs_costs_only_itself(release: threading.Event) -> None:
    stopped: list[threading.Event] = []

    def hang(reach: Reach) -> Take:
        stopped.append(reach.stop)
        release.wait(30)
        return Take()

    probes = [make("hangs", hang), make("quick", lambda _reach: Take())]
    begun = time.monotonic()
    late, quick = run_looks(probes, hands(0.2), CASE)
    assert time.monotonic() - begun < 5
    assert late.look.outcome == "timeout"
    assert stopped[0].is_set()
    assert quick.look.outcome == "value"


def test_one_that_hangs_is_not_started_again_until_it_came_back(release: threading.Event) -> None:
    runs: list[int] = []
    ended = threading.Event()

    def hang(_reach: Reach) -> Take:
        runs.append(1)
        if len(runs) == 1:
            release.wait(30)
            ended.set()
        return Take()

    probe = make("stuck once", hang)
    assert run_looks([probe], hands(0.1), CASE)[0].look.outcome == "timeout"
    again = run_looks([probe], hands(0.1), CASE)[0]
    assert again.look.outcome == "timeout"
    assert again.look.reason == say("look.stuck")
    assert len(runs) == 1
    release.set()
    assert ended.wait(5)
    for thread in threading.enumerate():
        if thread.name == "weaklink-stuck once":
            thread.join(5)
    assert run_looks([probe], hands(), CASE)[0].look.outcome == "value"


def test_half_of_the_looks_hanging_does_not_add_up(release: threading.Event) -> None:
    def hang(_reach: Reach) -> Take:
        release.wait(30)
        return Take()

    probes = [make(f"half {n}", hang if n % 2 else lambda _reach: Take()) for n in range(20)]
    begun = time.monotonic()
    outcomes = run_looks(probes, hands(0.3), CASE)
    assert time.monotonic() - begun < 5
    assert [outcome.look.outcome for outcome in outcomes] == ["value", "timeout"] * 10


def test_a_look_that_needs_a_live_machine_is_absent_on_a_folder(
    tmp_path: Path,
) -> None:
    root = Root(str(tmp_path))

    def give(_probe: Probe) -> Reach:
        now = time.monotonic()
        return Reach(root=root, window=0.0, until=now, deadline=now + 1)

    (outcome,) = run_looks([make("live", lambda _reach: Take(), frozen=False)], give, CASE)
    assert outcome.look.outcome == "absent"


def test_time_of_helper_threads_is_counted() -> None:
    def work(reach: Reach) -> Take:
        reach.spent += 1.5
        return Take()

    assert run_one(work).look.cpu_seconds >= 1.5
