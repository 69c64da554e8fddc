"""Measures what Weaklink costs: `make bench` prints the table and writes `bench/results.json`.

Every figure is a median; peers are measured in the same run, so that the ratio travels between
machines. Nothing but processes started here is looked at closely.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from figures import Figure, cpu_of, median_of, write
from mixed_log import mixed_log

BIN = Path(sys.executable).parent
WEAKLINK = str(BIN / "weaklink")
PY_SPY = str(BIN / "py-spy")
IDLE = 200
GAPS = """
import sys, threading, time
for _ in range(31):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
end = time.monotonic() + float(sys.argv[1])
last = time.perf_counter(); worst = total = 0.0
while time.monotonic() < end:
    now = time.perf_counter(); gap = now - last; last = now
    if gap > 0.002:
        total += gap; worst = max(worst, gap)
print(worst, total, flush=True)
"""
"""A target that never rests and writes down each pause over 2 ms of its own loop."""


def starting() -> Iterator[Figure]:
    """CPU that the command takes before it does anything."""
    bare = median_of(7, lambda: cpu_of([sys.executable, "-I", "-c", "pass"])[0])
    ours = median_of(7, lambda: cpu_of([WEAKLINK, "--version"])[0])
    yield Figure("start of the command, CPU", ours, "s", "<= 0.15", "bare python", bare)


@contextmanager
def idle_processes(count: int) -> Iterator[None]:
    """Processes that sleep, as most of a host's do."""
    with ExitStack() as stack:
        for _ in range(count):
            process = subprocess.Popen(["/bin/sleep", "600"])
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def looking() -> Iterator[Figure]:
    """CPU and time of one whole diagnosis on a host with 200 idle processes."""
    argv = [WEAKLINK, "diagnose", "--json", "--no-file"]
    with idle_processes(IDLE):
        used, wall, short = [], [], []
        for _ in range(3):
            cpu, seconds = cpu_of(argv)
            used.append(cpu)
            wall.append(seconds)
            short.append(cpu_of([*argv, "--for", "3s"])[1])
        ps = median_of(5, lambda: cpu_of(["/bin/ps", "-eLf"])[0])
    yield Figure(
        f"a diagnosis beside {IDLE} idle processes, CPU", statistics.median(used), "s", "<= 1.5",
        "one ps -eLf", ps,
    )  # fmt: skip
    yield Figure("command to verdict", statistics.median(wall), "s", "<= 10")
    yield Figure("command to verdict, --for 3s", statistics.median(short), "s")


def pausing() -> Iterator[Figure]:
    """How long a target of 32 threads stands still, dumped as a diagnosis does, and blocking."""

    def gaps(dumps: int, *options: str) -> float:
        target = subprocess.Popen(
            [sys.executable, "-c", GAPS, "6"], stdout=subprocess.PIPE, text=True
        )
        time.sleep(1.0)
        for _ in range(dumps):
            argv = [PY_SPY, "dump", "--json", *options, "--pid", str(target.pid)]
            subprocess.run(argv, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.5)
        out, _ = target.communicate()
        return float(out.split()[1])

    nothing = statistics.median(gaps(0) for _ in range(3))
    ours = statistics.median(gaps(6, "--nonblocking") for _ in range(3))
    blocking = statistics.median(gaps(6) for _ in range(3))
    yield Figure(
        "pause of a target by 6 dumps (as we do)", 1000 * max(0.0, ours - nothing), "ms", "<= 100",
        "6 blocking dumps", 1000 * max(0.001, blocking - nothing),
    )  # fmt: skip
    yield Figure("noise of the pause meter without dumps", 1000 * nothing, "ms")


def judging() -> Iterator[Figure]:
    """Time to judge the recorded incident that ships with the package, from its file."""
    from weaklink.incident import judge
    from weaklink.model.case import decode_case, encode_case
    from weaklink.testing.fake_chain import WORKERS, FakeChain

    chain = FakeChain()
    chain.slow_members(*WORKERS, share=0.7)
    case = decode_case(encode_case(chain.case()), "made up")

    def once() -> float:
        started = time.process_time()
        judge(case)
        return time.process_time() - started

    def again() -> float:
        started = time.process_time()
        json.loads(encode_case(case))
        return time.process_time() - started

    yield Figure(
        "judging a Case of 12 000 requests, CPU", median_of(5, once), "s", "",
        "json.loads of its file", median_of(5, again),
    )  # fmt: skip


def reading() -> Iterator[Figure]:
    """Time of `weaklink read` for a mixed log of 50 MB on standard input."""
    text = mixed_log(50_000_000)

    def once() -> float:
        started = time.monotonic()
        subprocess.run([WEAKLINK, "read", "-"], input=text, stdout=subprocess.DEVNULL, check=False)
        return time.monotonic() - started

    def lines() -> float:
        started = time.monotonic()
        subprocess.run(["/usr/bin/wc", "-l"], input=text, stdout=subprocess.DEVNULL, check=False)
        return time.monotonic() - started

    yield Figure(
        "reading a mixed log of 50 MB", median_of(3, once), "s", "<= 5",
        "wc -l", median_of(3, lines),
    )  # fmt: skip


def main() -> None:
    """Measure all and write it down."""
    write([*starting(), *looking(), *pausing(), *judging(), *reading()])


if __name__ == "__main__":
    main()
