"""Another team's reports keep the cache busy with commands that each take long."""

import time

from weaklink_lab.faults import Ground, way_in
from weaklink_lab.truth import Culprit, Truth

KINDS = {
    # kind: size of what is asked about, threads, pause between commands
    "keys": (500_000, 8, 0.0),
    "sort": (300_000, 8, 0.0),
    "lua": (14_000_000, 8, 0.0),
    "range": (500_000, 8, 0.0),
}


@way_in("slow-command", "slow commands of another program hold up every other command")
def hold(ground: Ground) -> Truth:
    """Start the reports and wait until they ask."""
    cache = ground.one("cache")
    kind = ground.dice.choice(sorted(KINDS))
    size, threads, pause = KINDS[kind]
    pid = ground.job(
        "reports", cache.ip, str(cache.port), kind, str(size), str(threads), str(pause)
    )
    log = ground.state.folder(ground.one("ops")) / "reports.log"
    deadline = time.monotonic() + 30
    while "ready" not in (log.read_text() if log.exists() else "") and (
        time.monotonic() < deadline
    ):
        time.sleep(0.1)
    return Truth(
        cause="slow-command",
        shapes=("widespread-timeouts",),
        links=ground.guilty(cache),
        culprits=(
            Culprit("pid", str(pid)),
            Culprit("text", ground.one("ops").ip),
            Culprit("listen", cache.address),
        ),
    )
