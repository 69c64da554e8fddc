"""The cache is emptied, too small, gone, asked for what never was, or busy with one key."""

from weaklink_lab import chain, hands
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import spawn
from weaklink_lab.truth import Culprit, Truth

COMPUTED_AGAIN = ("cache-cold", "cache-eviction", "cache-penetration")
"""As in the worked incident the link is the one that computes; the cache is the culprit."""


def _truth(ground: Ground, cause: str, *more: Culprit) -> Truth:
    spec, cache = ground.state.spec, ground.one("cache")
    links, workers = ground.guilty(cache), ground.guilty(*ground.members("worker"))
    again = cause in COMPUTED_AGAIN
    return Truth(
        cause=cause,
        shapes=("widespread-timeouts", "intermittent-spikes", "total-outage"),
        links=workers if again else links,
        second=links if again else workers,
        culprits=(
            *more,
            Culprit("keyspace", spec.key_prefix),
            Culprit("listen", cache.address),
            *(Culprit("pid", str(pid)) for pid in links[0].pids),
        ),
    )


@way_in("cache-cold", "somebody flushed the cache at peak")
def flush(ground: Ground) -> Truth:
    """Flush the cache."""
    truth = _truth(ground, "cache-cold")
    hands.redis_cli(ground.state, "FLUSHALL")
    return truth


@way_out("cache-cold")
def refill(ground: Ground) -> None:
    """Fill in the previews that are missing."""
    chain.warm(ground.state, missing_only=True)


@way_in("cache-eviction", "the cache has far less room than the previews need")
def shrink(ground: Ground) -> Truth:
    """Give the cache a small part of the room that it uses."""
    used = 0
    for line in hands.redis_cli(ground.state, "INFO", "memory").splitlines():
        if line.startswith("used_memory:"):
            used = int(line.split(":")[1])
    truth = _truth(ground, "cache-eviction")
    policy = ground.dice.choice(("allkeys-lru", "allkeys-random", "volatile-lru"))
    room = int(used * ground.dice.uniform(0.12, 0.2))
    hands.redis_cli(ground.state, "CONFIG", "SET", "maxmemory-policy", policy)
    hands.redis_cli(ground.state, "CONFIG", "SET", "maxmemory", str(room))
    return truth


@way_out("cache-eviction")
def widen(ground: Ground) -> None:
    """Take the limit away and fill in what is missing."""
    hands.redis_cli(ground.state, "CONFIG", "SET", "maxmemory", "0")
    chain.warm(ground.state, missing_only=True)


@way_in("cache-down", "the cache has died")
def kill(ground: Ground) -> Truth:
    """Kill the cache."""
    truth = _truth(ground, "cache-down")
    spawn.end_group(ground.state.group(ground.one("cache")))
    return truth


@way_out("cache-down")
def revive(ground: Ground) -> None:
    """Start the cache again and fill it."""
    cache = ground.one("cache")
    if not chain.main_pids(ground.state, cache):
        chain.start(ground.state, cache)
    spawn.wait_listening(ground.state.pids[cache.name], cache.port)
    chain.warm(ground.state, missing_only=True)


@way_in("cache-penetration", "many users ask for videos that nobody asked for before")
def strangers(ground: Ground) -> Truth:
    """Let a good part of the same number of users ask for what is not in the cache."""
    truth = _truth(ground, "cache-penetration")
    chain.load_start(ground.state, 1.0, new_share=round(ground.dice.uniform(0.5, 0.7), 2))
    return truth


@way_in("hot-key", "one key is read so often that the cache has no time for the others")
def hammer(ground: Ground) -> Truth:
    """Let a program read one large key over many connections."""
    spec, cache = ground.state.spec, ground.one("cache")
    key = spec.key("top")
    ahead = str(ground.dice.randint(250, 350))
    pid = ground.job("hammer", cache.ip, str(cache.port), key, "48", "24", ahead)
    return _truth(ground, "hot-key", Culprit("text", key), Culprit("pid", str(pid)))


@way_out("hot-key")
def cool(ground: Ground) -> None:
    """End the program and remove its key."""
    ground.end_jobs()
    hands.redis_cli(ground.state, "DEL", ground.state.spec.key("top"))
