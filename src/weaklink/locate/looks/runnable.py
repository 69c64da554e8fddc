"""More threads that want to compute than CPUs that they may use."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.cpu import allowance
from weaklink.locate.view import View
from weaklink.model.evidence import evidence
from weaklink.stats.robust import log_ramp
from weaklink.words import sign

TOO_MANY = sign(
    "cpu.more-threads-than-cpus",
    "kernel-counters",
    "Many more threads of the link are ready to compute than CPUs that it may use.",
    "{count} threads of pid {pid} are ready to run on {cpus} CPUs, most of them named {thread}",
    hurts=True,
)
TIMES = (4.0, 12.0)
"""Ready threads for each CPU that it may use: two keep it full, a dozen only take turns."""
LEAST = 8.0
"""Ready threads of one process: a small pool on a small quota is throttling, not a crowd."""


@look("cpu")
def runnable(view: View) -> Iterable[Judged]:
    """The process of each link with the largest crowd of ready threads."""
    for link in view.on_chain():
        best: tuple[float, str, str] | None = None
        for key in link.processes:
            moments: dict[float, int] = defaultdict(int)
            names: Counter[str] = Counter()
            for thread in view.threads_of(key):
                moments[thread.at] += thread.state == "R"
                names[thread.name] += thread.state == "R"
            if len(moments) < 2:
                continue
            mean = sum(moments.values()) / len(moments)
            if best is None or mean > best[0]:
                best = (mean, key, names.most_common(1)[0][0] if names else "-")
        if best is None:
            continue
        mean, key, thread_name = best
        cpus = allowance(view, link)
        pid = key.rpartition("/")[2].partition("@")[0]
        yield evidence(
            TOO_MANY,
            key,
            log_ramp(mean / max(cpus, 0.05), *TIMES) if mean >= LEAST else 0.0,
            link=link.key,
            value=round(mean, 1),
            command=f"ps -L -o tid,stat,comm -p {pid} | grep -c ' R'",
            count=round(mean, 1),
            pid=pid,
            cpus=round(cpus, 2),
            thread=thread_name,
        )
