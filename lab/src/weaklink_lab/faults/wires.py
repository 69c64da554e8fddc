"""The network between two members: packets are lost, too large, or go where nobody is."""

import time
from random import Random

from weaklink_lab import hands
from weaklink_lab.draw import Wants
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.jobs import wire
from weaklink_lab.spec import Member, Passive
from weaklink_lab.truth import Culprit, Truth

TABLE = "wire"
SMALL_MTU = 600
"""Bytes: answers of the cache are longer, requests and health checks are not."""


def needs(dice: Random) -> Wants:
    """Ask for a balancer that does not eject by itself."""
    return Wants(members=dice.choice((2, 3)), balancing="nginx", passive=Passive(0, 10))


def _truth(ground: Ground, cause: str, *members: Member, near: tuple[Member, ...] = ()) -> Truth:
    return Truth(
        cause=cause,
        shapes=("widespread-timeouts", "intermittent-spikes", "total-outage"),
        links=ground.guilty(*members),
        second=ground.guilty(*near),
        culprits=tuple(
            culprit
            for member in members
            for culprit in (
                Culprit("text", member.ip),
                *(Culprit("pid", str(pid)) for pid in ground.guilty(member)[0].pids),
            )
        ),
    )


def _pick(ground: Ground) -> tuple[Member, Member]:
    """Give the balancer and one worker, the same for both ways."""
    workers = ground.members("worker")
    if "worker" not in ground.notes:
        ground.note(worker=ground.dice.randrange(len(workers)))
    return ground.one("balancer"), workers[ground.notes["worker"]]


@way_in("packet-loss", "packets to one worker get lost on the way", wants=needs)
def lose(ground: Ground) -> Truth:
    """Drop a share of what arrives at one worker."""
    balancer, worker = _pick(ground)
    share = ground.dice.randint(30, 40)
    hands.nft(ground.state, worker, "add", "table", "inet", TABLE)
    chain_of = "{ type filter hook input priority 0 ; }"
    hands.nft(ground.state, worker, "add", "chain", "inet", TABLE, "in", chain_of)
    rule = f"meta iifname eth0 numgen random mod 100 < {share} drop"
    hands.nft(ground.state, worker, "add", "rule", "inet", TABLE, "in", *rule.split())
    return _truth(ground, "packet-loss", worker, balancer, near=ground.members("cache"))


@way_out("packet-loss")
def keep(ground: Ground) -> None:
    """Let everything through again."""
    _, worker = _pick(ground)
    hands.nft(ground.state, worker, "flush", "ruleset")


@way_in("link-down", "the link of one worker is down", wants=needs)
def cut(ground: Ground) -> Truth:
    """Take one worker's link down."""
    balancer, worker = _pick(ground)
    truth = _truth(ground, "link-down", worker, near=(balancer,))
    hands.ip(worker.name, "link set eth0 down")
    return truth


@way_out("link-down")
def join(ground: Ground) -> None:
    """Take the link up again."""
    hands.ip(_pick(ground)[1].name, "link set eth0 up")


@way_in("neighbour-wrong", "the balancer has a wrong hardware address for a worker", wants=needs)
def misdirect(ground: Ground) -> Truth:
    """Pin an address that nobody has."""
    balancer, worker = _pick(ground)
    mac = "02:" + ":".join(f"{ground.dice.randrange(256):02x}" for _ in range(5))
    line = f"neigh replace {worker.ip} lladdr {mac} dev eth0 nud permanent"
    hands.ip(balancer.name, line)
    return _truth(ground, "neighbour-wrong", balancer, worker)


@way_out("neighbour-wrong")
def redirect(ground: Ground) -> None:
    """Let the kernel ask again."""
    balancer, worker = _pick(ground)
    hands.ip_quietly(balancer.name, f"neigh del {worker.ip} dev eth0")


@way_in("mtu-blackhole", "large packets from the cache to a worker vanish", wants=needs)
def narrow(ground: Ground) -> Truth:
    """Let the bridge's port to one worker drop what is larger than its own size."""
    balancer, worker = _pick(ground)
    port = hands.port_of(ground.state, worker)
    # A bridge lets pass what is still to be cut into segments: the sender has to cut.
    hands.ip(ground.one("cache").name, "link set eth0 gso_max_segs 1")
    hands.ip(ground.state.spec.hub, f"link set {port} mtu {SMALL_MTU}")
    return _truth(ground, "mtu-blackhole", worker, *ground.members("cache"), near=(balancer,))


@way_out("mtu-blackhole")
def widen(ground: Ground) -> None:
    """Let large packets through again."""
    port = hands.port_of(ground.state, _pick(ground)[1])
    hands.ip(ground.state.spec.hub, f"link set {port} mtu 1500")
    hands.ip(ground.one("cache").name, "link set eth0 gso_max_segs 65535")


@way_in("wrong-egress", "packets to one worker leave by a link on which it is not", wants=needs)
def stray(ground: Ground) -> Truth:
    """Give the balancer a second link, and a route over it."""
    balancer, worker = _pick(ground)
    hands.ip(
        balancer.name,
        "link add eth1 type veth peer name eth2",
        "link set eth1 up",
        "link set eth2 up",
        f"route add {worker.ip}/32 dev eth1",
    )
    return _truth(ground, "wrong-egress", balancer, worker)


@way_out("wrong-egress")
def straighten(ground: Ground) -> None:
    """Take the link and its route away."""
    hands.ip_quietly(_pick(ground)[0].name, "link del eth1")


@way_in("no-route", "the balancer has no route to one worker", wants=needs)
def forbid(ground: Ground) -> Truth:
    """Give the balancer a route that says: cannot be reached."""
    balancer, worker = _pick(ground)
    hands.ip(balancer.name, f"route add unreachable {worker.ip}/32")
    return _truth(ground, "no-route", balancer, worker)


@way_out("no-route")
def allow(ground: Ground) -> None:
    """Take the route away."""
    balancer, worker = _pick(ground)
    hands.ip_quietly(balancer.name, f"route del unreachable {worker.ip}/32")


@way_in("network-delay", "the way from one worker to the cache has become long", wants=needs)
def lengthen(ground: Ground) -> Truth:
    """Lead the packets of both over a wire that takes a good part of a second."""
    balancer, worker = _pick(ground)
    cache = ground.one("cache")
    seconds = f"{ground.dice.uniform(0.25, 0.4):.3f}"
    ground.job("wire", worker.name, cache.name, seconds, "0.02", beside=True)
    log = ground.state.folder(ground.one("ops")) / "wire.log"
    deadline = time.monotonic() + 5
    while not (log.exists() and "joined" in log.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    for here, there in ((worker, cache), (cache, worker)):
        route = f"route add {there.ip}/32 dev {wire.NAME} src {here.ip}"
        hands.ip(here.name, f"link set {wire.NAME} up", route)
    return _truth(ground, "network-delay", worker, cache, near=(balancer,))
