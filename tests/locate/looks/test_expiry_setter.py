"""Who gave many keys one end is told from the moment of the commands and who ran then."""

from __future__ import annotations

import pytest

from weaklink.incident import judge
from weaklink.locate.looks.expiry_setter import SET_BY
from weaklink.model.case import Case, grow
from weaklink.model.event import Event
from weaklink.model.evidence import Evidence
from weaklink.model.series import Series
from weaklink.testing.fake_chain import (
    CACHE,
    END,
    ONSET,
    WINDOW,
    WORKERS,
    FakeChain,
    address,
    process_key,
)

SET_AT = 200.0
"""Seconds before users hurt at which the ends were set."""


def chain_whose_keys_went(commands: int) -> Case:
    chain = FakeChain()
    chain.slow_members(*WORKERS, share=0.7)
    chain.cache(
        hits=10, misses=20, sets=15, keys=800, key_growth=12, expired=0, past_expired=900_000
    )
    times = [END - ONSET - 10 * n for n in range(60, 0, -1)]
    row = Series(
        quantity="cache_expire_commands_total",
        target=process_key(CACHE),
        times=times,
        values=[commands if at > END - ONSET - SET_AT else 0.0 for at in times],
    )
    now = Series(
        quantity=row.quantity, target=row.target, times=[END - WINDOW, END],
        values=[commands, commands],
    )  # fmt: skip
    case = chain.case()
    return grow(case, past=[row], series=[*case.series, now])


def ran(case: Case, text: str, pid: int, ago: float, lived: float, by: str = "") -> Case:
    at, key = END - ONSET - ago, process_key(pid)
    details: dict[str, str | int | float] = {"pid": pid, "start_ticks": pid}
    if by:
        details |= {"by": by, "origin": f"/opt/{text}"}
    fresh = [
        Event(at=at, kind="process-start", target=key, text=text, source="watch", details=details),
        Event(at=at + lived, kind="process-exit", target=key, text=text, source="watch"),
    ]
    return grow(case, events=[*case.events, *fresh])


def told(case: Case) -> Evidence | None:
    found = [item for item in judge(case).evidence if item.sign == SET_BY]
    return found[0] if found else None


def test_the_job_that_ran_when_the_ends_were_set_is_named() -> None:
    case = ran(chain_whose_keys_went(9000), "refresh_previews", 4121, SET_AT + 4, 6, by="cron")
    case = ran(case, "logrotate", 4300, SET_AT - 80, 1, by="cron")
    found = told(case)
    assert found is not None
    assert found.message.args["name"] == "refresh_previews"
    assert found.message.args["job"] == "/opt/refresh_previews"
    assert found.message.args["ago"] == pytest.approx(SET_AT + 4, abs=1)
    assert found.strength == 1.0


def test_whoever_names_the_cache_in_its_command_goes_first() -> None:
    port = address(CACHE).rpartition(":")[2]
    case = ran(chain_whose_keys_went(9000), f"python warm.py --port {port}", 4121, SET_AT + 4, 6)
    case = ran(case, "sleep 5", 4122, SET_AT + 2, 5)
    found = told(case)
    assert found is not None
    assert found.message.args["name"] == "warm.py"


def test_one_of_three_programs_is_a_guess_and_is_not_said() -> None:
    case = chain_whose_keys_went(9000)
    for number, name in enumerate(("sleep", "grep", "awk")):
        case = ran(case, f"{name} x", 4121 + number, SET_AT + 3, 5)
    assert told(case) is None


def test_a_few_ends_that_were_set_name_nobody() -> None:
    assert told(ran(chain_whose_keys_went(40), "refresh", 4121, SET_AT + 4, 6, by="cron")) is None


def test_who_had_ended_long_before_is_not_meant() -> None:
    case = ran(chain_whose_keys_went(9000), "refresh", 4121, SET_AT + 55, 5, by="cron")
    assert told(case) is None
