"""The users: load from inside the service's network, each sample written down as it ends."""

import asyncio
import contextlib
import json
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from weaklink.capacity.load import Plan, run
from weaklink.capacity.results import Columns, Sample
from weaklink.capacity.schedule import Stage
from weaklink_lab import state as states
from weaklink_lab.traffic import asks

TIMEOUT = 20.0
HEADER = "intended,lag,latency,status,outcome,route,bytes"


def line(sample: Sample) -> str:
    """Give one sample as a line of the file."""
    return (
        f"{sample.intended:.6f},{sample.lag:.6f},{sample.latency:.6f},{sample.status},"
        f"{sample.outcome},{sample.route},{sample.bytes}"
    )


def read(path: Path) -> Columns:
    """Read the samples back; a line that was cut off in the middle is left out."""
    columns = Columns()
    with contextlib.suppress(FileNotFoundError):
        for text in path.read_text().splitlines():
            words = text.split(",")
            if len(words) != 7 or words[0] == "intended":
                continue
            with contextlib.suppress(ValueError):
                columns.add(
                    Sample(
                        float(words[0]),
                        float(words[1]),
                        float(words[2]),
                        int(words[3]),
                        words[4],
                        words[5],
                        int(words[6]),
                    )
                )
    return columns


def file() -> Path:
    """Give where the samples are written."""
    return states.FOLDER / "load.csv"


async def ask_until_stopped(factor: float, salt: int, habits: dict[str, Any]) -> None:
    """Load the service that is up until SIGTERM; then wait for what is still open.

    `habits` replace what these users usually do: shares of the traffic, frames they ask for.
    """
    state = states.load()
    if state is None:
        raise LookupError("no service is up")
    frames = habits.pop("frames", 0)
    spec = replace(state.spec, traffic=replace(state.spec.traffic, **habits))
    front = spec.one("front")
    plan = Plan(
        host=front.ip,
        port=front.port,
        stages=(Stage(spec.traffic.rate * factor),),
        nth=asks(spec, salt, frames),
        seed=spec.seed * 1000 + salt,
        timeout=TIMEOUT,
    )
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    with file().open("a", buffering=1) as out:
        if out.tell() == 0:
            out.write(HEADER + "\n")
        await run(plan, tell=lambda sample: print(line(sample), file=out), stop=stop)


if __name__ == "__main__":
    asyncio.run(ask_until_stopped(float(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])))
