"""With less to see it is less sure, and does not name what is not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from weaklink import incident
from weaklink.model.case import Case
from weaklink.model.fact_app_log import AppLog, AppSaying
from weaklink.model.fact_files import OpenFile
from weaklink.recorder.case_files import read_case

FOLDER = Path(__file__).resolve().parents[1] / "recorded"
ROOT_ONLY = ("process_open_files", "process_read", "process_written")
KIN = {
    # without its stacks a deadlock is a process that makes no progress: that is what is said
    ("deadlock", "without_root"): {"worker-frozen"},
    # the neighbour was really there when this was recorded
    ("slow-command", "without_redis"): {"cpu-noisy-neighbour"},
    ("slow-command", "without_root"): {"cpu-noisy-neighbour"},
}


def without_root(case: Case) -> Case:
    """No stacks, no samples, nobody else's descriptors, no kernel log."""
    return structs.replace(
        case,
        stacks=[],
        cpu_samples=[],
        threads=[structs.replace(thread, waits_in="") for thread in case.threads],
        events=[event for event in case.events if event.source != "/dev/kmsg"],
        software=[
            fact for fact in case.software if not isinstance(fact, OpenFile | AppLog | AppSaying)
        ],
        looks=[look for look in case.looks if look.name not in ("kernel-log", "python-stacks")],
        series=[row for row in case.series if not row.quantity.startswith(ROOT_ONLY)],
    )


def without_log(case: Case) -> Case:
    """No access log of the entry, nor of anybody."""
    return structs.replace(
        case, requests=[], logs=[log for log in case.logs if log.kind != "access"]
    )


def without_redis(case: Case) -> Case:
    """The cache wants a password."""
    return structs.replace(
        case,
        keyspaces=[],
        slow_commands=[],
        series=[row for row in case.series if not row.quantity.startswith("cache_")],
        looks=[look for look in case.looks if look.name != "redis"],
    )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.gz")), ids=lambda path: path.name[:-8])
@pytest.mark.parametrize("blindfold", [without_root, without_log, without_redis])
def test_nothing_wrong_is_named(path: Path, blindfold: Callable[[Case], Case]) -> None:
    truth = path.name.partition(".")[0].rstrip("0123456789").rstrip("-")
    bare = structs.replace(read_case(path), diagnoses=[], evidence=[], findings=[], pain=None)
    said = {c.id for c in incident.judge(blindfold(bare)).diagnoses[-1].causes if c.named}
    assert said <= {truth} | KIN.get((truth, blindfold.__name__), set())
