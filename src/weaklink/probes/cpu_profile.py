"""Where the CPU of the chain's processes goes, by library: decoding, the model, the interpreter.

Languages hide it: a Python stack ends where C begins. The kernel's samples of instruction pointers
tell the library for any language, and pause nobody.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from weaklink.model.case import Case
from weaklink.model.fact import CpuSamples
from weaklink.model.message import say
from weaklink.model.take import Take
from weaklink.parse.maps import read_code
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.perf_events import CpuSample, sample_cpus
from weaklink.reach.registry import probe
from weaklink.words import texts

texts({"cpu-profile.none": "no process of a chain runs here"})

LEAST_SAMPLES = 5
"""Of one process: fewer say nothing, and reading its maps would take its mmap lock for nothing."""
MOST_PROCESSES = 24
EARLIER = 0.3
"""Seconds before the window's end at which sampling stops: maps are still to be read."""


@probe(
    "cpu-profile",
    subject="cpu",
    phase="deep",
    about="where the CPU of the chain's processes goes, by mapped library",
    touches="samples instruction pointers 49 times a second and CPU; pauses nobody",
    frozen=False,
)
def cpu_profile(reach: Reach, case: Case) -> Take:
    """One CpuSamples fact a busy process of the chain. Raises NotHere without a chain."""
    keys = {
        process.pid: process.key
        for process in case.processes
        if any(process.pid in link.pids for link in case.chain.links)
    }
    if not keys:
        raise NotHere(say("cpu-profile.none"))
    seconds = max(0.5, reach.window - EARLIER)
    samples, hertz = sample_cpus(seconds, reach.stop)
    by_pid: dict[int, list[CpuSample]] = defaultdict(list)
    for sample in samples:
        if sample.pid in keys:
            by_pid[sample.pid].append(sample)
    busiest = sorted(by_pid, key=lambda pid: (-len(by_pid[pid]), pid))[:MOST_PROCESSES]
    return Take(
        cpu_samples=[
            _of_process(reach, keys[pid], pid, by_pid[pid], hertz, seconds)
            for pid in busiest
            if len(by_pid[pid]) >= LEAST_SAMPLES
        ]
    )


def _of_process(
    reach: Reach, key: str, pid: int, samples: list[CpuSample], hertz: float, seconds: float
) -> CpuSamples:
    user = [sample.address for sample in samples if not sample.kernel]
    found: Counter[str] = Counter()
    if user:
        try:
            program = reach.root.link(f"/proc/{pid}/exe")
            code = read_code(reach.root.text(f"/proc/{pid}/maps"), program)
        except OSError:
            code = None  # it ended, or hides its maps: its samples still count
        for address in user:
            found[(code.name_at(address) if code else None) or "?"] += 1
    return CpuSamples(
        process=key,
        at=reach.now(),
        hertz=hertz,
        seconds=round(seconds, 2),
        samples=len(samples),
        kernel=len(samples) - len(user),
        libraries=dict(found.most_common(20)),
    )
