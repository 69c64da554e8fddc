"""Programs that have nothing to do with the service take the node's CPU away from it."""

import os

from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import cgroups, spawn
from weaklink_lab.spec import Role
from weaklink_lab.truth import Culprit, Truth

OTHERS: tuple[Role, ...] = ("front", "gateway", "balancer", "cache")


@way_in("cpu-noisy-neighbour", "computing jobs of another team take the CPU")
def crowd(ground: Ground) -> Truth:
    """Start three to six jobs a core in a cgroup that weighs more than the service's."""
    group = ground.state.spec.neighbour
    cgroups.set_share(group, ground.dice.choice((6144, 8192)))
    cores = os.cpu_count() or 1
    jobs = [
        ground.job("checksum", "60", "0", beside=True)
        for _ in range(ground.dice.randint(3, 6) * cores)
    ]
    others = [member for role in OTHERS for member in ground.members(role)]
    return Truth(
        cause="cpu-noisy-neighbour",
        shapes=("widespread-timeouts",),
        links=ground.guilty(*ground.members("worker")),
        second=ground.guilty(*others),
        culprits=(*(Culprit("pid", str(pid)) for pid in jobs), Culprit("cgroup", group)),
    )


@way_out("cpu-noisy-neighbour")
def clear(ground: Ground) -> None:
    """End the jobs and give the group its usual weight back."""
    spawn.end_group(ground.state.spec.neighbour)
    cgroups.set_share(ground.state.spec.neighbour, 1024)
