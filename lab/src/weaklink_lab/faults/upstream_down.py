"""A worker is gone, and the balancer goes on asking it."""

from random import Random

from weaklink_lab import chain
from weaklink_lab.draw import Wants
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import spawn
from weaklink_lab.spec import Passive
from weaklink_lab.truth import Culprit, Truth


def needs(dice: Random) -> Wants:
    """Ask for one worker or three, behind a balancer that does not eject by itself."""
    return Wants(members=dice.choice((1, 3, 3)), balancing="nginx", passive=Passive(0, 10))


@way_in("upstream-down", "a worker is dead but still in the balancer's list", wants=needs)
def kill(ground: Ground) -> Truth:
    """Kill one worker and the shell that would start it again."""
    workers = ground.members("worker")
    worker = ground.dice.choice(workers)
    guilty = ground.guilty(worker)
    ground.note(worker=workers.index(worker))
    spawn.end_group(ground.state.group(worker))
    asking = ground.members("balancer") or ground.members("gateway")
    return Truth(
        cause="upstream-down",
        shapes=("total-outage", "widespread-timeouts")
        if len(workers) == 1
        else ("widespread-timeouts", "intermittent-spikes"),
        links=guilty,
        second=ground.guilty(*asking),
        culprits=(
            Culprit("listen", worker.address),
            *(Culprit("pid", str(pid)) for pid in guilty[0].pids),
        ),
    )


@way_out("upstream-down")
def revive(ground: Ground) -> None:
    """Start the worker again."""
    if "worker" not in ground.notes:
        return
    worker = ground.members("worker")[ground.notes["worker"]]
    if not chain.watchers(ground.state, worker):
        chain.start(ground.state, worker)
    spawn.wait_listening(ground.state.pids[worker.name], worker.port)
