"""More users than the service can carry, or users who ask for much more than they used to."""

from weaklink_lab import chain
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.truth import Culprit, Truth


def _truth(ground: Ground, cause: str, *culprits: Culprit) -> Truth:
    # The entry is where it shows; which member gives way first depends on the machine.
    chain_of = ("front", "gateway", "balancer", "worker")
    return Truth(
        cause=cause,
        shapes=("widespread-timeouts", "total-outage"),
        links=ground.guilty(*ground.members("front")),
        second=ground.guilty(*(one for role in chain_of for one in ground.members(role))),  # type: ignore[arg-type]
        culprits=(*culprits, Culprit("listen", ground.one("front").address)),
    )


@way_in("traffic-surge", "many times the usual users come")
def surge(ground: Ground) -> Truth:
    """Let eight to eleven times the users come."""
    chain.load_start(ground.state, round(ground.dice.uniform(8.0, 11.0), 1))
    return _truth(ground, "traffic-surge")


@way_in("work-surge", "the usual number of users ask for many times the work")
def heavier(ground: Ground) -> Truth:
    """Let users have hundreds of frames analysed, where it was fourteen."""
    chain.load_start(ground.state, 1.0, frames=ground.dice.randint(500, 800))
    routes = ground.state.spec.routes
    return _truth(ground, "work-surge", Culprit("text", routes.analyze))


def _usual(ground: Ground) -> None:
    chain.load_start(ground.state, 1.0)


for _name in ("traffic-surge", "work-surge", "cache-penetration"):
    way_out(_name)(_usual)
