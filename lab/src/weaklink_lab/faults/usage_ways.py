"""The workers note what users had, in a way that holds up everything else."""

from collections.abc import Callable
from typing import Any

from weaklink_lab import chain, hands
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import cgroups, spawn
from weaklink_lab.truth import Culprit, Truth

PORT = 8123


def _truth(ground: Ground, cause: str, *shapes: str) -> Truth:
    workers = ground.members("worker")
    guilty = ground.guilty(*workers)
    return Truth(
        cause=cause,
        shapes=shapes or ("widespread-timeouts", "intermittent-spikes"),
        links=guilty,
        culprits=(
            *(Culprit("pid", str(pid)) for link in guilty for pid in link.pids),
            *(Culprit("listen", worker.address) for worker in workers),
        ),
    )


def _books(ground: Ground, seconds: float) -> dict[str, Any]:
    """Start the slow service of another team, and give its address."""
    host = ground.one("ops").ip
    pid = ground.job("books", host, str(PORT), f"{seconds:.2f}")
    spawn.wait_listening(pid, PORT)
    return {"host": host, "port": PORT}


@way_in("event-loop-blocked", "each preview waits for a blocking call on the event loop")
def inline(ground: Ground) -> Truth:
    """Let the workers call a slow service from their event loop."""
    where = _books(ground, ground.dice.uniform(0.25, 0.4))
    truth = _truth(ground, "event-loop-blocked")
    chain.write_live({"usage": {"way": "inline", **where}})
    return truth


@way_in("external-slow", "the workers wait for another team's service, which has become slow")
def call(ground: Ground) -> Truth:
    """Let the workers call a slow service and wait for it."""
    where = _books(ground, ground.dice.uniform(2.0, 4.0))
    ops = ground.one("ops")
    truth = Truth(
        cause="external-slow",
        shapes=("widespread-timeouts", "slow-everywhere"),
        links=ground.guilty(ops),
        second=ground.guilty(*ground.members("worker")),
        culprits=(
            Culprit("text", f"{where['host']}:{where['port']}"),
            *(Culprit("pid", str(pid)) for pid in ground.notes["jobs"]),
        ),
    )
    chain.write_live({"usage": {"way": "call", **where}})
    return truth


@way_in("connection-pool-exhausted", "all connections of the workers' own pool are lent out")
def pool(ground: Ground) -> Truth:
    """Let the workers note usage over one connection that is held long."""
    truth = _truth(ground, "connection-pool-exhausted")
    hold = ground.dice.uniform(0.3, 0.5)
    chain.write_live({"usage": {"way": "pool", "connections": 1, "hold": round(hold, 2)}})
    return truth


@way_in("deadlock", "two threads of each worker hold what the other one waits for")
def locks(ground: Ground) -> Truth:
    """Let two kinds of work take two locks in opposite order."""
    truth = _truth(ground, "deadlock")
    chain.write_live({"usage": {"way": "locks", "pause": round(ground.dice.uniform(0.1, 0.3), 2)}})
    return truth


@way_in("log-flood", "each request writes thousands of lines to the log")
def flood(ground: Ground) -> Truth:
    """Let the workers log every unit of usage."""
    truth = _truth(ground, "log-flood")
    chain.write_live({"usage": {"way": "log", "lines": ground.dice.randint(6000, 9000)}})
    return truth


def _stop(ground: Ground) -> None:
    chain.write_live({})


def _stop_and_restart(ground: Ground) -> None:
    chain.write_live({})
    for worker in ground.members("worker"):
        hands.restart(ground.state, worker)


def _stop_and_tidy(ground: Ground) -> None:
    chain.write_live({})
    for worker in ground.members("worker"):
        path = ground.state.folder(worker) / "stdout.log"
        if cgroups.pids(ground.state.group(worker)) and path.exists():
            path.open("r+").truncate(0)


_OUT: dict[str, Callable[[Ground], None]] = {
    "event-loop-blocked": _stop,
    "external-slow": _stop,
    "connection-pool-exhausted": _stop,
    "deadlock": _stop_and_restart,
    "log-flood": _stop_and_tidy,
}
for _name, _leave in _OUT.items():
    way_out(_name)(_leave)
