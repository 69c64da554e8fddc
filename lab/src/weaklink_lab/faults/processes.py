"""A member's process cannot start, runs a bad version, or may not open what it needs."""

import json
from random import Random

from weaklink_lab import chain, hands
from weaklink_lab.draw import Wants
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.spec import Member, Passive
from weaklink_lab.truth import Culprit, Truth


def needs(dice: Random) -> Wants:
    """Ask for a balancer that does not eject by itself."""
    return Wants(members=dice.choice((2, 3)), passive=Passive(0, 10))


def _truth(ground: Ground, cause: str, *members: Member) -> Truth:
    links = ground.guilty(*members)
    return Truth(
        cause=cause,
        shapes=("widespread-timeouts", "intermittent-spikes", "total-outage"),
        links=links,
        second=ground.guilty(*ground.members("balancer"), *ground.members("gateway")),
        culprits=(
            *(Culprit("pid", str(pid)) for link in links for pid in link.pids),
            *(Culprit("listen", member.address) for member in members),
            Culprit("text", "config.json"),
        ),
    )


@way_in("worker-crash-loop", "one worker dies at each start", wants=needs)
def loop(ground: Ground) -> Truth:
    """Give one worker settings that it cannot read, and end it."""
    workers = ground.members("worker")
    worker = ground.dice.choice(workers)
    path = ground.state.folder(worker) / "config.json"
    ground.note(worker=workers.index(worker), settings=path.read_text())
    path.write_text(path.read_text().rstrip().rstrip("}"))
    hands.restart(ground.state, worker, wait=False)
    return _truth(ground, "worker-crash-loop", worker)


@way_out("worker-crash-loop")
def unloop(ground: Ground) -> None:
    """Give the worker its settings back; its shell starts it."""
    if "settings" not in ground.notes:
        return
    worker = ground.members("worker")[ground.notes["worker"]]
    (ground.state.folder(worker) / "config.json").write_text(ground.notes["settings"])
    hands.restart(ground.state, worker)


@way_in("bad-deploy", "a new version of one worker fails whatever is not in the cache", wants=needs)
def deploy(ground: Ground) -> Truth:
    """Deploy settings with folders that do not exist and another key prefix."""
    workers = ground.members("worker")
    worker = ground.dice.choice(workers)
    path = ground.state.folder(worker) / "config.json"
    ground.note(worker=workers.index(worker), settings=path.read_text())
    settings = json.loads(path.read_text())
    settings["materials"] = {name: f"/srv/v2/{name}.mp4" for name in settings["materials"]}
    settings["key_prefix"] = f"{settings['key_prefix']}2"
    path.write_text(json.dumps(settings, indent=2))
    hands.restart(ground.state, worker)
    return _truth(ground, "bad-deploy", worker)


way_out("bad-deploy")(unloop)


@way_in("fd-exhausted", "the gateway may not open as many files as it has users")
def scarce(ground: Ground) -> Truth:
    """Limit the gateway to the files that it has open now, or a few less."""
    gateway = ground.one("gateway")
    pid = max(chain.main_pids(ground.state, gateway), key=hands.open_files)
    few = max(8, hands.open_files(pid) - ground.dice.randint(4, 8))
    ground.note(pid=pid, before=hands.limit_files(pid, few))
    truth = _truth(ground, "fd-exhausted", gateway)
    # Who comes now needs new connections: those of the front are cut by a reload.
    hands.reload_proxy(ground.state, ground.one("front"))
    return truth


@way_out("fd-exhausted")
def plenty(ground: Ground) -> None:
    """Give the gateway the limits back that it had."""
    if "before" in ground.notes:
        hands.limit_files(ground.notes["pid"], ground.notes["before"])
