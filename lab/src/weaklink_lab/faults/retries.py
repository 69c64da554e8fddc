"""The gateway gives up too soon and asks again: what it gave up on is worked on all the same."""

from weaklink_lab import chain
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.truth import Culprit, Truth


@way_in("retry-storm", "the gateway asks five to eight times for what takes a little longer")
def storm(ground: Ground) -> Truth:
    """Give the gateway little patience and many tries."""
    tries = ground.dice.randint(5, 8)
    chain.write_live({"gateway": {"patience": 0.12, "tries": tries}})
    gateway = ground.one("gateway")
    links = ground.guilty(gateway)
    return Truth(
        cause="retry-storm",
        shapes=("widespread-timeouts", "intermittent-spikes"),
        links=links,
        second=ground.guilty(*ground.members("worker")),
        culprits=(
            Culprit("listen", gateway.address),
            *(Culprit("pid", str(pid)) for pid in links[0].pids),
        ),
    )


@way_out("retry-storm")
def calm(_ground: Ground) -> None:
    """Let the gateway wait for its answers."""
    chain.write_live({})
