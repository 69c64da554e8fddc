"""Measures what `weaklink watch` costs, beside a C floor and node_exporter in the same run.

`python bench/watch.py` prints the table and writes `bench/watch.json`. The floor (`floor.c`, built
here with `cc`) reads, once a second, the very files that the running agent keeps open, and parses
nothing. `--processes 2000` shows how it thins out.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import figures
from figures import Figure, write

HERE = Path(__file__).parent
WEAKLINK = str(Path(sys.executable).parent / "weaklink")
EXPORTER = shutil.which("prometheus-node-exporter")
EXPORTER_PORT = 19_100
SETTLE = 75.0
"""Seconds until the first look around is over, and who sleeps is known."""
BASE = 1_800_000_000.0


def cpu_seconds(pid: int) -> float:
    """CPU seconds of all threads that live, in nanosecond steps."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError, IndexError):
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def field(pid: int, file: str, name: str) -> int:
    """One number of /proc/PID/`file`."""
    for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return 0


def open_files(pid: int) -> list[str]:
    """The files of /proc and /sys that a process keeps open."""
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            path = str(entry.readlink())
            if path.startswith(("/proc/", "/sys/")):
                found.append(path)
    return found


def sleepers(stack: ExitStack, wanted: int) -> int:
    """Sleeping processes until there are `wanted` that are no kernel threads; how many then."""
    there = sum(1 for one in Path("/proc").glob("[0-9]*/exe") if _linked(one))
    for _ in range(max(0, wanted - there)):
        process = subprocess.Popen(["/bin/sleep", "3600"])
        stack.callback(process.wait)
        stack.callback(process.kill)
    return max(there, wanted)


def _linked(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return bool(path.readlink())
    return False


class Scraped:
    """node_exporter, asked once a second like Prometheus would."""

    def __init__(self, stack: ExitStack) -> None:
        assert EXPORTER is not None
        self.process = subprocess.Popen(
            [EXPORTER, f"--web.listen-address=127.0.0.1:{EXPORTER_PORT}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        stack.callback(self.process.wait)
        stack.callback(self.process.kill)
        self._ended = threading.Event()
        stack.callback(self._ended.set)
        threading.Thread(target=self._ask, daemon=True).start()

    def _ask(self) -> None:
        while not self._ended.wait(1.0):
            with contextlib.suppress(OSError):
                url = f"http://127.0.0.1:{EXPORTER_PORT}/metrics"
                with urllib.request.urlopen(url, timeout=5) as page:
                    page.read()


def running(seconds: float, processes: int) -> Iterator[Figure]:
    """CPU, memory and bytes written of the agent, beside the floor and node_exporter."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        floor = folder / "floor"
        subprocess.run(["cc", "-O2", "-o", str(floor), str(HERE / "floor.c")], check=True)
        count = sleepers(stack, processes)
        box = folder / "box"
        agent = subprocess.Popen(
            [WEAKLINK, "watch", "--box", str(box), "--no-deep", "--quiet"],
            stdin=subprocess.DEVNULL,
        )
        stack.callback(agent.wait)
        stack.callback(agent.terminate)
        exporter = Scraped(stack) if EXPORTER else None
        time.sleep(SETTLE)
        files = open_files(agent.pid)
        bottom = subprocess.Popen(
            [str(floor), str(round(seconds))], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert bottom.stdin is not None
        bottom.stdin.write("\n".join(files) + "\n")
        bottom.stdin.close()
        pids = [agent.pid, *([exporter.process.pid] if exporter else [])]
        before = [cpu_seconds(pid) for pid in pids]
        written = field(agent.pid, "io", "write_bytes")
        began = time.monotonic()
        time.sleep(seconds)
        minutes = (time.monotonic() - began) / 60
        used = [(cpu_seconds(pid) - old) / minutes for pid, old in zip(pids, before, strict=True)]
        wrote = (field(agent.pid, "io", "write_bytes") - written) / (60 * minutes)
        resident = field(agent.pid, "status", "VmRSS") / 1024
        assert bottom.stdout is not None
        lowest = float(bottom.stdout.read().split()[-2]) / minutes
        bottom.wait()
        told = f"watch, {count} processes"
        yield Figure(f"{told}: CPU", used[0], "s/min", "<= 0.5", f"C floor, {len(files)} files",
                     lowest)  # fmt: skip
        if exporter:
            yield Figure(f"{told}: CPU again", used[0], "s/min", "< peer",
                         "node_exporter at 1 Hz", used[1])  # fmt: skip
            peer = field(exporter.process.pid, "status", "VmRSS") / 1024
            yield Figure("resident", resident, "MB", "<= 40", "node_exporter", peer)
        else:
            yield Figure("resident", resident, "MB", "<= 40")
        yield Figure("written", wrote / 1024, "KB/s", "<= 10")
        agent.terminate()
        agent.wait()
        yield from _kept(box)


def _kept(box: Path) -> Iterator[Figure]:
    """Bytes a sample of what was just recorded, blocks of 300 ticks and one that was cut short."""
    from weaklink.recorder.recording import Recording

    recording = Recording.load([box])
    samples = sum(len(column.values) for column in recording.columns())
    size = sum(file.stat().st_size for file in box.iterdir())
    yield Figure("kept, this host, events and looks around included", size / samples, "B/sample",
                 "<= 0.6")  # fmt: skip


def keeping(seconds: int = 1800, series: int = 500) -> Iterator[Figure]:
    """Bytes a sample and time to read back half an hour of 500 series, a tenth of them busy."""
    from weaklink.recorder.box import Box, Clock, Table
    from weaklink.recorder.recording import Recording
    from weaklink.recorder.tick import Head

    dice = random.Random(1)
    now = [BASE]
    names = [(name, 1.0) for name in ("a", "b", "c", "d", "e")]
    tables = [Table(f"process:h/-/{n}@1", "process", names) for n in range(series // 5)]
    values = [[0] * 5 for _ in tables]
    with tempfile.TemporaryDirectory() as place:
        clock = Clock(lambda: now[0], lambda: now[0] - BASE + 1e6)
        box = Box(Path(place) / "box", head=Head("1", "h", "b", "r", 0), clock=clock)
        for _ in range(seconds):
            for number, table in enumerate(tables):
                old = values[number]
                if number < len(tables) // 10:
                    values[number] = [
                        old[0] + dice.randint(1, 9), old[1] + dice.randint(-50, 50), old[2],
                        old[3] + (dice.random() < 0.1), old[4] + dice.randint(0, 1000),
                    ]  # fmt: skip
                elif dice.random() < (0.2 if number < 3 * len(tables) // 10 else 0.01):
                    values[number] = [old[0] + 1, *old[1:4], old[4] + 4096]
                box.put(table, tuple(values[number]))
            box.read("process")
            box.tick()
            now[0] += 1
        box.close()
        folder = Path(place) / "box"
        size = sum(file.stat().st_size for file in folder.iterdir())

        def read() -> float:
            began = time.perf_counter()
            samples = sum(len(one.values) for one in Recording.load([folder]).columns())
            assert samples == seconds * series
            return 1000 * (time.perf_counter() - began)

        yield Figure(f"read back {seconds // 60} min x {series} series, from its files",
                     figures.median_of(9, read), "ms", "<= 20")  # fmt: skip
        yield Figure("kept, made up, a tenth busy", size / seconds / series, "B/sample", "<= 0.6")


def main() -> None:
    """Measure and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--processes", type=int, default=230)
    parser.add_argument("--only-keeping", action="store_true")
    chosen = parser.parse_args()
    os.environ.pop("PYTHONMALLOC", None)
    found = list(keeping())
    if not chosen.only_keeping:
        found += running(chosen.seconds, chosen.processes)
    write(found, HERE / "watch.json")


if __name__ == "__main__":
    main()
