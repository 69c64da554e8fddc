"""A member has no room left: on the volume of the store, in its table of files, or in memory."""

from random import Random

from weaklink_lab import clips
from weaklink_lab.draw import Wants
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import cgroups, volumes
from weaklink_lab.spec import Member
from weaklink_lab.truth import Culprit, Truth

BLOCK = 1 << 20


def needs(_dice: Random) -> Wants:
    """Ask for a store with a volume of its own."""
    return Wants(parts=("disk",))


def _truth(ground: Ground, cause: str, *members: Member) -> Truth:
    links = ground.guilty(*members)
    return Truth(
        cause=cause,
        shapes=("widespread-timeouts", "intermittent-spikes", "total-outage", "errors"),
        links=links,
        second=ground.guilty(*ground.members("orchestrator")),
        culprits=(
            *(Culprit("listen", member.address) for member in members),
            *(Culprit("pid", str(pid)) for link in links for pid in link.pids),
            *(Culprit("cgroup", ground.state.group(member)) for member in members),
            Culprit("text", "objects"),
        ),
    )


@way_in("disk-full", "the store's volume is full", wants=needs)
def fill(ground: Ground) -> Truth:
    """Write an old archive onto the volume until nothing fits."""
    folder = ground.state.folder(ground.one("store")) / "objects"
    with (folder / "archive-old.tar").open("wb", buffering=0) as out:
        block = bytes(BLOCK)
        while block:
            try:
                out.write(block)
            except OSError:
                block = block[: len(block) // 2]
    return _truth(ground, "disk-full", ground.one("store"))


@way_out("disk-full")
def empty(ground: Ground) -> None:
    """Remove the archive."""
    folder = ground.state.folder(ground.one("store")) / "objects"
    (folder / "archive-old.tar").unlink(missing_ok=True)


@way_in("inode-full", "the store's volume has no room for one more file", wants=needs)
def crumble(ground: Ground) -> Truth:
    """Make empty files until there is no room for one more."""
    folder = ground.state.folder(ground.one("store")) / "objects" / "tmp"
    folder.mkdir()
    number = 0
    while number < 100_000:
        try:
            (folder / f"part-{number:06d}").touch()
        except OSError:
            break
        number += 1
    return _truth(ground, "inode-full", ground.one("store"))


@way_out("inode-full")
def sweep(ground: Ground) -> None:
    """Remove the files."""
    folder = ground.state.folder(ground.one("store")) / "objects" / "tmp"
    for path in folder.glob("part-*"):
        path.unlink(missing_ok=True)
    if folder.exists():
        folder.rmdir()


@way_in("swap-thrash", "workers have less memory than they work with, and swap")
def squeeze(ground: Ground) -> Truth:
    """Give the machine a swap file, and each worker half the memory that it had when idle."""
    workers = ground.members("worker")
    volumes.swap_on(clips.swap_folder(ground.state.spec.seed), 768)
    share = ground.dice.uniform(0.35, 0.5)
    for worker in workers:
        room = int(ground.state.idle_memory[worker.name] * share)
        cgroups.set_memory(ground.state.group(worker), room)
    return _truth(ground, "swap-thrash", *workers)


@way_out("swap-thrash")
def release(ground: Ground) -> None:
    """Take the limit and the swap file away."""
    for worker in ground.members("worker"):
        cgroups.set_memory(ground.state.group(worker), None)
    volumes.remove(clips.swap_folder(ground.state.spec.seed))
