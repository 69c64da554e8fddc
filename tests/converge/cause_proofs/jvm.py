"""A JVM that collects all the time, and JVMs that collect as they should."""

from __future__ import annotations

from msgspec import structs

from cause_proofs import prove
from cause_proofs.core import all_slow, model_computes
from weaklink.model.fact import Thread
from weaklink.model.fact_text_jvm import HeapWatch
from weaklink.testing.fake_chain import END, WINDOW, WORKERS, FakeChain, process_key


def jvm(chain: FakeChain, *, paused: float, full: int, used: float, collecting: float) -> None:
    """Each worker is a JVM; `collecting` of its one CPU goes to collector threads."""
    for pid in WORKERS:
        chain.processes[pid] = structs.replace(
            chain.processes[pid], name="java", libraries=["java"], python=False
        )
        chain.cpu(pid, 1.0)
        chain.also["software"].append(
            HeapWatch(
                process=process_key(pid), at=END, seconds=WINDOW, paused_seconds=paused,
                collections=full + 20, full=full, full_seconds=paused * 0.9, old_used=used * 1e9,
                old_max=1e9, reason="Allocation Failure",
            )
        )  # fmt: skip
        for number, (name, cpus) in enumerate(
            (("GC Thread#0", collecting), ("http-nio-8080", 1.0 - collecting))
        ):
            for at, share in ((END - WINDOW, 0.0), (END, cpus * WINDOW)):
                chain.threads.append(
                    Thread(process=process_key(pid), tid=pid + number, name=name, state="R",
                           at=at, cpu_seconds=share)
                )  # fmt: skip


def storm(chain: FakeChain) -> None:
    all_slow(chain)
    jvm(chain, paused=WINDOW * 0.6, full=9, used=0.97, collecting=0.7)


def collects_as_it_should(chain: FakeChain) -> None:
    """Young collections of 4 % of the time, an old generation that fills until it is collected."""
    all_slow(chain)
    jvm(chain, paused=WINDOW * 0.04, full=0, used=0.9, collecting=0.1)


def computes_beside_it(chain: FakeChain) -> None:
    """Its one full collection was short; the CPU goes to the model."""
    model_computes(chain)
    jvm(chain, paused=WINDOW * 0.05, full=1, used=0.5, collecting=0.05)


prove("gc-storm", storm, near_miss=collects_as_it_should)
prove("gc-storm", storm, near_miss=computes_beside_it)
