"""The workers' CPU quota is cut: they wait for the kernel's next period, not for work."""

from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import cgroups
from weaklink_lab.truth import Culprit, Truth


@way_in("cpu-throttled", "the workers' cgroups get a quota that is far too small")
def cut(ground: Ground) -> Truth:
    """Give each worker a small part of a core."""
    workers = ground.members("worker")
    share = ground.dice.uniform(0.12, 0.18) / len(workers)
    for worker in workers:
        cgroups.set_quota(ground.state.group(worker), share)
    guilty = ground.guilty(*workers)
    return Truth(
        cause="cpu-throttled",
        shapes=("widespread-timeouts",),
        links=guilty,
        culprits=(
            *(Culprit("cgroup", ground.state.group(worker)) for worker in workers),
            *(Culprit("pid", str(pid)) for link in guilty for pid in link.pids),
        ),
    )


@way_out("cpu-throttled")
def restore(ground: Ground) -> None:
    """Take the quota away."""
    for worker in ground.members("worker"):
        cgroups.set_quota(ground.state.group(worker), None)
