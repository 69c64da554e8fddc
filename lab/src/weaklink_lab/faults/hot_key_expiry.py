"""One video that many ask for gets a short life in the cache, and is dear to render again."""

from random import Random

from weaklink_lab import chain
from weaklink_lab.draw import Wants
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import spawn
from weaklink_lab.traffic import HOT
from weaklink_lab.truth import Culprit, Truth


def needs(_dice: Random) -> Wants:
    """Ask for a video that a good third of users want."""
    return Wants(hot_share=0.35)


@way_in("hot-key-expiry", "one popular preview expires every few seconds", wants=needs)
def shorten(ground: Ground) -> Truth:
    """Make the video a 4K one whose preview lives for seconds; let the present one end."""
    spec, cache = ground.state.spec, ground.one("cache")
    video = spec.video(HOT)
    own = {"ttl": ground.dice.randint(2, 3), "material": "uhd", "frames": 12}
    chain.write_live({"videos": {video: own}})
    _cli(ground, "EXPIRE", spec.key(video), "1")
    return Truth(
        cause="hot-key-expiry",
        shapes=("intermittent-spikes", "widespread-timeouts"),
        links=ground.guilty(*ground.members("worker")),
        second=ground.guilty(cache),
        culprits=(
            Culprit("text", spec.key(video)),
            Culprit("text", video),
            Culprit("keyspace", spec.key_prefix),
        ),
    )


@way_out("hot-key-expiry")
def lengthen(ground: Ground) -> None:
    """Make the video an ordinary one again and put its preview back."""
    chain.write_live({})
    _cli(ground, "DEL", ground.state.spec.key(ground.state.spec.video(HOT)))
    chain.warm(ground.state, missing_only=True)


def _cli(ground: Ground, *words: str) -> None:
    ops, cache = ground.one("ops"), ground.one("cache")
    argv = ["/usr/bin/redis-cli", "-h", cache.ip, "-p", str(cache.port), *words]
    spawn.run_inside(argv, group=ground.state.group(ops), namespace=ops.name)
