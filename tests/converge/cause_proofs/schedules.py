"""Pain that comes back: a program that a schedule starts, told from chance and from bystanders."""

from __future__ import annotations

from cause_proofs import prove
from cause_proofs.core import neighbour
from weaklink.model.event import Event
from weaklink.model.target import target_key
from weaklink.testing.fake_chain import END, HOST, ONSET, FakeChain, process_key

PERIOD = 120.0
HOG = 900
FELT = target_key("agent", "watch", host=HOST)


def hurt(chain: FakeChain, *ago: float) -> None:
    """Users were hurt so many seconds before this time."""
    for seconds in ago:
        chain.events.append(
            Event(at=END - ONSET - seconds, kind="trigger", target=FELT, text="slow",
                  source="watch", details={"trigger": "slow"})
        )  # fmt: skip


def started(chain: FakeChain, text: str, *ago: float, by: str = "cron") -> None:
    """A program began so many seconds before this time."""
    for number, seconds in enumerate(ago):
        pid = HOG if number == len(ago) - 1 else 7000 + len(chain.events)
        key = process_key(pid)
        details: dict[str, str | int | float] = {"pid": pid, "start_ticks": pid}
        if by:
            details |= {"by": by, "origin": f"/opt/{text}"}
        chain.events.append(
            Event(at=END - ONSET - seconds, kind="process-start", target=key, text=text,
                  source="watch", details=details)
        )  # fmt: skip


def every_two_minutes(chain: FakeChain) -> None:
    neighbour(chain)
    hurt(chain, 4 * PERIOD, 3 * PERIOD + 2, 2 * PERIOD - 1, PERIOD, -4)
    started(chain, "reindex.sh --all", *(n * PERIOD + 5 for n in (4, 3, 2, 1, 0)))


def a_monitor_each_minute(chain: FakeChain) -> None:
    """What runs each minute began before each of them too, and hurts nobody in between."""
    neighbour(chain)
    hurt(chain, 7 * 60, 5 * 60 - 31, 2 * 60 + 17, -4)
    started(chain, "monitor.sh", *(n * 60.0 + 5 for n in range(8, -1, -1)))


def by_chance(chain: FakeChain) -> None:
    """It began before each, but they keep no period."""
    neighbour(chain)
    hurt(chain, 551, 460, 131, -4)
    started(chain, "report.sh", 556, 465, 136, 5, by="")


prove("synchronized-schedule", every_two_minutes, near_miss=a_monitor_each_minute)
prove("synchronized-schedule", every_two_minutes, near_miss=by_chance)
