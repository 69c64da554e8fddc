"""One worker stands still with its port open: stopped by a signal, or frozen in its cgroup."""

import contextlib
import signal
from random import Random

from weaklink_lab import chain
from weaklink_lab.draw import Wants
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import cgroups, spawn
from weaklink_lab.spec import Passive
from weaklink_lab.truth import Culprit, Truth


def needs(dice: Random) -> Wants:
    """Ask for a balancer that does not eject by itself, or the users' pain would end soon."""
    return Wants(members=dice.choice((2, 3)), passive=Passive(0, 10))


@way_in("worker-frozen", "one worker stands still, its port stays open", wants=needs)
def freeze(ground: Ground) -> Truth:
    """Stop one worker where it stands."""
    workers = ground.members("worker")
    worker = ground.dice.choice(workers)
    guilty = ground.guilty(worker)
    kind = ground.dice.choice(("signal", "freezer"))
    ground.note(worker=workers.index(worker))
    if kind == "signal":
        spawn.kill(chain.main_pids(ground.state, worker), signal.SIGSTOP)
    else:
        cgroups.freeze(ground.state.group(worker), frozen=True)
    return Truth(
        cause="worker-frozen",
        shapes=("widespread-timeouts", "intermittent-spikes"),
        links=guilty,
        culprits=(
            *(Culprit("pid", str(pid)) for pid in guilty[0].pids),
            Culprit("listen", worker.address),
            Culprit("cgroup", ground.state.group(worker)),
        ),
    )


@way_out("worker-frozen")
def thaw(ground: Ground) -> None:
    """Let the worker go on."""
    if "worker" not in ground.notes:
        return
    worker = ground.members("worker")[ground.notes["worker"]]
    with contextlib.suppress(OSError):
        cgroups.freeze(ground.state.group(worker), frozen=False)
    spawn.kill(chain.main_pids(ground.state, worker), signal.SIGCONT)
