"""Two of three workers failed for a moment; they are well again, and nobody asks them."""

import signal
import time
from random import Random

from weaklink_lab import chain
from weaklink_lab.draw import Wants
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import spawn
from weaklink_lab.spec import Member, Passive
from weaklink_lab.truth import Culprit, Truth


def needs(dice: Random) -> Wants:
    """Ask for nginx with long ejections, at a peak that one worker alone cannot carry."""
    return Wants(
        members=3,
        balancing="nginx",
        passive=Passive(dice.choice((1, 2)), 600),
        slots=1,
        accelerator_seconds=1.0,
        new_share=0.025,
        rate_factor=2.0,
    )


@way_in("peers-ejected", "two of three workers stay ejected after a short failure", wants=needs)
def eject(ground: Ground) -> Truth:
    """Kill two workers; their shells start them again, the balancer does not notice."""
    workers, balancer = ground.members("worker"), ground.one("balancer")
    survivor = ground.dice.choice(workers)
    ejected = [worker for worker in workers if worker != survivor]
    if ground.dice.random() < 0.5:
        for worker in ejected:
            spawn.kill(chain.main_pids(ground.state, worker))
        time.sleep(2)
    else:
        _pause(ground, ejected)
    for worker in ejected:
        spawn.wait_listening(chain.watchers(ground.state, worker)[0], worker.port)
    return Truth(
        cause="peers-ejected",
        # Hits in the cache stay quick: only those few who need a render wait, but all the time.
        shapes=("widespread-timeouts", "intermittent-spikes"),
        links=ground.guilty(*ejected, balancer),
        second=ground.guilty(survivor),
        culprits=(
            *(Culprit("listen", worker.address) for worker in (*ejected, balancer)),
            *(
                Culprit("pid", str(pid))
                for link in ground.guilty(*ejected, balancer)
                for pid in link.pids
            ),
        ),
    )


def _pause(ground: Ground, ejected: list[Member]) -> None:
    pids = [pid for worker in ejected for pid in chain.main_pids(ground.state, worker)]
    ground.note(paused=pids)
    spawn.kill(pids, signal.SIGSTOP)
    # Long enough for the balancer to give up on the requests that it has sent there.
    time.sleep(ground.state.spec.balancer_timeout + 3)
    spawn.kill(pids, signal.SIGCONT)


@way_out("peers-ejected")
def readmit(ground: Ground) -> None:
    """Reload the balancer: it forgets whom it had ejected."""
    ours = {
        pid for worker in ground.members("worker") for pid in chain.main_pids(ground.state, worker)
    }
    spawn.kill([pid for pid in ground.notes.get("paused", []) if pid in ours], signal.SIGCONT)
    for balancer in ground.members("balancer"):
        spawn.kill([ground.state.pids[balancer.name]], signal.SIGHUP)
