"""A proxy of the chain is given a limit or weights that do not suit its load."""

from random import Random

from weaklink_lab import hands
from weaklink_lab.draw import Wants
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.spec import Member, Passive
from weaklink_lab.truth import Culprit, Truth

ZONE = "    limit_conn_zone $server_name zone=all:1m;\n    limit_req_zone $server_name"


@way_in("gateway-limit", "the entry proxy has a limit far under the usual load")
def limit(ground: Ground) -> Truth:
    """Give the entry a limit on requests a second, or on requests at a time."""
    front = ground.one("front")
    rate = int(ground.state.spec.traffic.rate * ground.dice.uniform(0.3, 0.5))
    # One request at a time is far too few for users who come some thirty times a second.
    kind = ground.dice.choice(("limit_req zone=rate burst=4 nodelay;", "limit_conn all 1;"))
    hands.edit_proxy(
        ground.state,
        front,
        "    upstream backend {",
        f"{ZONE} zone=rate:1m rate={rate}r/s;\n    {kind}\n\n    upstream backend {{",
    )
    return _truth(ground, "gateway-limit", front)


def needs(_dice: Random) -> Wants:
    """Ask for three workers of which each can do a third, before a balancer of their own."""
    return Wants(
        members=3,
        balancing="nginx",
        passive=Passive(0, 10),
        slots=1,
        accelerator_seconds=1.0,
        new_share=0.025,
        rate_factor=2.0,
    )


@way_in("lb-skew", "the balancer sends nearly everything to one of three workers", wants=needs)
def skew(ground: Ground) -> Truth:
    """Give one worker forty to eighty times the weight of the others."""
    balancer, chosen = ground.one("balancer"), ground.dice.choice(ground.members("worker"))
    server = f"server {chosen.address}"
    weight = ground.dice.randint(40, 80)
    hands.edit_proxy(ground.state, balancer, server, f"{server} weight={weight}")
    return _truth(ground, "lb-skew", balancer, chosen)


def _truth(ground: Ground, cause: str, *members: Member) -> Truth:
    links = ground.guilty(*members)
    return Truth(
        cause=cause,
        shapes=("widespread-timeouts", "intermittent-spikes", "total-outage"),
        links=links,
        second=ground.guilty(*ground.members("gateway")),
        culprits=(
            *(Culprit("listen", member.address) for member in members),
            *(Culprit("pid", str(pid)) for link in links for pid in link.pids),
            Culprit("text", "nginx.conf"),
        ),
    )


@way_out("gateway-limit")
def unlimit(ground: Ground) -> None:
    """Give the entry its configuration back."""
    hands.restore_proxy(ground.state, ground.one("front"))


@way_out("lb-skew")
def even(ground: Ground) -> None:
    """Give the balancer its configuration back."""
    for balancer in ground.members("balancer"):
        hands.restore_proxy(ground.state, balancer)
