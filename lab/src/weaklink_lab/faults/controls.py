"""Days on which nothing is wrong, though something goes on: nobody may be blamed."""

import time

from weaklink_lab import chain, hands
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import cgroups
from weaklink_lab.truth import Truth

WELL = Truth(cause="", shapes=("none",))


@way_in("healthy", "nothing at all", control=True)
def nothing(_ground: Ground) -> Truth:
    """Do nothing."""
    return WELL


@way_in("healthy-busy", "three times the usual users, and all are served", control=True)
def busy(ground: Ground) -> Truth:
    """Let three times the users come."""
    chain.load_start(ground.state, 3.0)
    return WELL


@way_out("healthy-busy")
def calm(ground: Ground) -> None:
    """Let the usual number come again."""
    chain.load_start(ground.state, 1.0)


@way_in("healthy-streams", "pages that stay open and read slowly", control=True)
def streams(ground: Ground) -> Truth:
    """Open streams through the front."""
    front = ground.one("front")
    count = ground.dice.randint(5, 20)
    ground.job("viewers", front.ip, str(front.port), ground.state.spec.routes.events, str(count))
    return WELL


@way_in("healthy-blocking-reads", "consumers that wait for work in the cache", control=True)
def blocking(ground: Ground) -> Truth:
    """Open blocking reads."""
    cache = ground.one("cache")
    ground.job("consumers", cache.ip, str(cache.port), str(ground.dice.randint(4, 12)))
    return WELL


@way_in("healthy-cron", "a batch that computes at the lowest priority", control=True)
def cron(ground: Ground) -> Truth:
    """Start a job that yields to everybody."""
    cgroups.set_share(ground.state.spec.neighbour, 2)
    ground.job("checksum", "8", "4", beside=True, nice=19)
    return WELL


@way_out("healthy-cron")
def cron_over(ground: Ground) -> None:
    """Give the group its usual weight back."""
    cgroups.set_share(ground.state.spec.neighbour, 1024)


@way_in("healthy-disk", "an archive that writes to the disk at low priority", control=True)
def disk(ground: Ground) -> Truth:
    """Start a job that writes where the service does not."""
    cgroups.set_share(ground.state.spec.neighbour, 64)
    folder = ground.state.folder(ground.one("ops"))
    ground.job("archive", str(folder), "24", beside=True, nice=19)
    return WELL


@way_out("healthy-disk")
def disk_over(ground: Ground) -> None:
    """Give the group its usual weight back."""
    cgroups.set_share(ground.state.spec.neighbour, 1024)


@way_in("healthy-two-defaults", "a second default route that is only a fallback", control=True)
def fallback(ground: Ground) -> Truth:
    """Give the gateway two default routes of which the second has a larger metric."""
    gateway, front = ground.one("gateway"), ground.one("front")
    hands.ip(
        gateway.name,
        f"route add default via {front.ip} dev eth0 metric 100",
        f"route add default via {front.ip} dev eth0 metric 500",
    )
    return WELL


@way_out("healthy-two-defaults")
def no_fallback(ground: Ground) -> None:
    """Take both routes away."""
    name = ground.one("gateway").name
    hands.ip_quietly(name, "route del default metric 100", "route del default metric 500")


@way_in("healthy-deploy", "a worker is deployed again, and serves as well as before", control=True)
def deploy(ground: Ground) -> Truth:
    """Write a worker's settings anew, unchanged, and start it again."""
    worker = ground.dice.choice(ground.members("worker"))
    path = ground.state.folder(worker) / "config.json"
    path.write_text(path.read_text())
    hands.restart(ground.state, worker)
    return WELL


@way_in("recovered", "the cache was flushed and filled again before anybody asked", control=True)
def recovered(ground: Ground) -> Truth:
    """Flush the cache, fill it, and wait until those who waited are served."""
    hands.redis_cli(ground.state, "FLUSHALL")
    time.sleep(ground.dice.uniform(1.0, 2.0))
    chain.warm(ground.state, missing_only=True)
    time.sleep(25.0)
    return Truth(cause="", shapes=("none", "recovered", "intermittent-spikes"))
