"""What works behind the users' requests: the store, the index of texts, the queue, the batches."""

import os

from weaklink_lab import chain, hands, vector
from weaklink_lab.draw import Wants
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import cgroups, spawn
from weaklink_lab.spec import Member
from weaklink_lab.truth import Culprit, Truth

SHAPES = ("widespread-timeouts", "intermittent-spikes", "slow-everywhere", "total-outage")


def _truth(ground: Ground, cause: str, *members: Member) -> Truth:
    links = ground.guilty(*members)
    return Truth(
        cause=cause,
        shapes=SHAPES,
        links=links,
        second=ground.guilty(*ground.members("orchestrator")),
        culprits=(
            *(Culprit("listen", member.address) for member in members if member.port),
            *(Culprit("pid", str(pid)) for link in links for pid in link.pids),
        ),
    )


@way_in(
    "object-store-slow",
    "the object store answers slowly, as in a rebuild (SIMULATED: it only waits)",
    wants=lambda _dice: Wants(parts=("store",)),
)
def rebuild(ground: Ground) -> Truth:
    """Let each request to the store wait."""
    chain.write_live({"store": {"pause": round(ground.dice.uniform(2.5, 5.0), 1)}})
    return _truth(ground, "object-store-slow", ground.one("store"))


@way_out("object-store-slow")
def rebuilt(_ground: Ground) -> None:
    """Let nobody wait."""
    chain.write_live({})


def _sql(ground: Ground, words: str) -> None:
    texts, ops = ground.one("vector"), ground.one("ops")
    spawn.run_inside(
        vector.sql(texts.ip, texts.port, words),
        group=ground.state.group(ops),
        namespace=ops.name,
    )


@way_in(
    "vector-full-scan",
    "the index of the texts is gone: each look-up reads all of them",
    wants=lambda _dice: Wants(parts=("vector",)),
)
def drop(ground: Ground) -> Truth:
    """Drop the index."""
    _sql(ground, "DROP INDEX IF EXISTS by_cell")
    return _truth(ground, "vector-full-scan", ground.one("vector"))


@way_out("vector-full-scan")
def index(ground: Ground) -> None:
    """Make the index again."""
    _sql(ground, vector.INDEX.replace("INDEX by", "INDEX IF NOT EXISTS by"))


@way_in(
    "dead-consumer",
    "nobody takes jobs from the queue any more, and it fills up",
    wants=lambda _dice: Wants(parts=("jobs",)),
)
def stop(ground: Ground) -> Truth:
    """End the consumer."""
    consumer = ground.one("consumer")
    truth = _truth(ground, "dead-consumer", consumer)
    spawn.end_group(ground.state.group(consumer))
    spec = ground.state.spec
    more = (
        Culprit("text", f"{spec.key_prefix}-jobs"),
        Culprit("listen", spec.one("cache").address),
    )
    return Truth(truth.cause, truth.shapes, truth.links, truth.second, (*truth.culprits, *more))


@way_out("dead-consumer")
def go(ground: Ground) -> None:
    """Start the consumer again, with an empty queue."""
    consumer = ground.one("consumer")
    hands.redis_cli(ground.state, "DEL", f"{ground.state.spec.key_prefix}-jobs")
    if not chain.main_pids(ground.state, consumer):
        chain.start(ground.state, consumer)


@way_in("batch-at-peak", "an offline batch of the same team analyses videos at peak")
def batch(ground: Ground) -> Truth:
    """Run the batch on the node's cores, from the operators' member."""
    ops = ground.one("ops")
    cgroups.set_share(ground.state.group(ops), 8192)
    jobs = [
        ground.job("offline", str(ground.dice.randint(3, 5)))
        for _ in range(ground.dice.randint(2, 3) * (os.cpu_count() or 1))
    ]
    links = ground.guilty(*ground.members("worker"))
    return Truth(
        cause="batch-at-peak",
        shapes=SHAPES,
        links=links,
        second=ground.guilty(ops),
        culprits=(
            *(Culprit("pid", str(pid)) for pid in jobs),
            Culprit("cgroup", ground.state.group(ops)),
        ),
    )


@way_out("batch-at-peak")
def end(ground: Ground) -> None:
    """End the batch."""
    ground.end_jobs()
    cgroups.set_share(ground.state.group(ground.one("ops")), 1024)
