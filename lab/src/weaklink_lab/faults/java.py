"""Another team's Java service, which the workers call, cleans its heap again and again."""

import shutil
from pathlib import Path

from weaklink_lab import chain, jobs
from weaklink_lab.faults import Ground, way_in, way_out
from weaklink_lab.kernel import spawn
from weaklink_lab.truth import Culprit, Truth

PORT = 8124
OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC", "-Djava.net.preferIPv4Stack=true")


@way_in("gc-storm", "a Java service that is called for each preview has a heap that is nearly full")
def storm(ground: Ground) -> Truth:
    """Start the service with more books than its heap has room for, and call it."""
    ops = ground.one("ops")
    java = shutil.which("java", path="/usr/bin:/usr/local/bin")
    if java is None:
        raise FileNotFoundError("java is not installed")
    source = Path(jobs.__path__[0]) / "Books.java"
    share = str(ground.dice.randint(86, 90))
    pid = spawn.start(
        [java, *OPTIONS, str(source), ops.ip, str(PORT), share],
        group=ground.state.group(ops),
        namespace=ops.name,
        log=ground.state.folder(ops) / "books.log",
    )
    ground.note(jobs=[pid])
    spawn.wait_listening(pid, PORT)
    chain.write_live({"usage": {"way": "call", "host": ops.ip, "port": PORT}})
    return Truth(
        cause="gc-storm",
        shapes=("widespread-timeouts", "intermittent-spikes", "slow-everywhere"),
        links=ground.guilty(ops),
        second=ground.guilty(*ground.members("worker")),
        culprits=(Culprit("pid", str(pid)), Culprit("text", f"{ops.ip}:{PORT}")),
    )


@way_out("gc-storm")
def calm(_ground: Ground) -> None:
    """Call nobody."""
    chain.write_live({})
