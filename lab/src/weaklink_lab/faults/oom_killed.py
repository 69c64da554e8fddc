"""The workers come back with a memory limit that a decode does not fit into."""

import time

from weaklink_lab import chain
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import cgroups, spawn
from weaklink_lab.truth import Culprit, Truth

ROOM = 14 << 20
"""Bytes over an idle worker: small clips fit, an HD one (about 35 MB) does not."""


@way_in("oom-killed", "workers are killed for memory again and again")
def tighten(ground: Ground) -> Truth:
    """Restart each worker under a limit a little over what it needs to start."""
    workers = ground.members("worker")
    for worker in workers:
        group = ground.state.group(worker)
        spawn.kill(chain.main_pids(ground.state, worker))
        deadline = time.monotonic() + 2
        while chain.main_pids(ground.state, worker) and time.monotonic() < deadline:
            time.sleep(0.02)
        cgroups.set_memory(group, ground.state.idle_memory[worker.name] + ROOM)
    guilty = ground.guilty(*workers)
    return Truth(
        cause="oom-killed",
        shapes=("widespread-timeouts", "total-outage", "intermittent-spikes"),
        links=guilty,
        culprits=(
            *(Culprit("cgroup", ground.state.group(worker)) for worker in workers),
            *(Culprit("pid", str(pid)) for link in guilty for pid in link.pids),
            *(Culprit("listen", worker.address) for worker in workers),
        ),
    )


@way_out("oom-killed")
def loosen(ground: Ground) -> None:
    """Take the limit away and wait until the workers are back."""
    for worker in ground.members("worker"):
        cgroups.set_memory(ground.state.group(worker), None)
    for worker in ground.members("worker"):
        spawn.wait_listening(ground.state.pids[worker.name], worker.port)
