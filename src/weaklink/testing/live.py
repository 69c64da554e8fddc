"""Hands and an empty Case for looking at the machine that a test runs on."""

from __future__ import annotations

import time

from weaklink.model.case import Case
from weaklink.model.fact import Host
from weaklink.reach.host import Reach
from weaklink.reach.rights import is_privileged
from weaklink.reach.root import Root


def live_reach(root: Root | None = None, *, window: float = 1.0, seconds: float = 10.0) -> Reach:
    """Hands for one look at this machine."""
    now = time.monotonic()
    return Reach(
        root=root or Root(),
        window=window,
        until=now + window,
        deadline=now + seconds,
        privileged=is_privileged(),
    )


def live_case() -> Case:
    """A Case that knows this machine and nothing else."""
    from weaklink.probes.host import look_at_host

    now = time.time()
    unknown = Host(name="localhost", boot=0.0, cpus=1, memory_bytes=0.0)
    empty = Case(
        schema="weaklink/case/1",
        id="live",
        created=now,
        version="0",
        host=unknown,
        window=(now, now),
    )
    host = look_at_host(live_reach(), empty).host
    return Case(
        schema="weaklink/case/1",
        id="live",
        created=now,
        version="0",
        host=host or unknown,
        window=(now, now),
    )
