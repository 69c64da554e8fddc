"""A batch lets all previews expire at the same moment, at peak; every one is decoded again."""

import time

from weaklink_lab import chain
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import spawn
from weaklink_lab.truth import Culprit, Truth


@way_in("cache-mass-expiry", "a batch gives every preview the same end of life")
def align(ground: Ground) -> Truth:
    """Run the batch to its end; the keys go a few seconds later."""
    spec, cache = ground.state.spec, ground.one("cache")
    seconds = ground.dice.randint(3, 5)
    pid = ground.job("refresh", cache.ip, str(cache.port), spec.key_prefix, str(seconds))
    deadline = time.monotonic() + 20
    while spawn.alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return Truth(
        cause="cache-mass-expiry",
        shapes=("widespread-timeouts",),
        links=ground.guilty(*ground.members("worker")),
        second=ground.guilty(cache),
        culprits=(Culprit("keyspace", spec.key_prefix), Culprit("pid", str(pid))),
    )


@way_out("cache-mass-expiry")
def refill(ground: Ground) -> None:
    """Fill in the previews that are missing, their ends spread."""
    chain.warm(ground.state, missing_only=True)
