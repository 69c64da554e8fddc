"""The machine itself: memory, stolen time, disks, crowds of threads, schedules, young processes."""

from __future__ import annotations

from msgspec import structs

from cause_proofs import prove
from cause_proofs.core import all_slow, killed, model_computes, neighbour, preprocess, throttled
from weaklink.model.event import Event
from weaklink.model.fact import Device, Mount, Thread
from weaklink.model.fact_files import OpenFile
from weaklink.model.target import target_key
from weaklink.testing.fake_chain import END, HOST, ONSET, WORKERS, FakeChain, group_key, process_key

FIRST, SECOND, THIRD = WORKERS
MACHINE = target_key("host", "-", host=HOST)
DISK = target_key("device", "vdb", host=HOST)
BATCH = 950


def host(chain: FakeChain, quantity: str, rate: float) -> None:
    chain.counter(quantity, MACHINE, rate, start=1000.0)


def faults(chain: FakeChain, rate: float) -> None:
    for pid in WORKERS:
        chain.counter("process_major_faults_total", process_key(pid), rate, start=10)


def thrashes(chain: FakeChain) -> None:
    all_slow(chain)
    host(chain, "host_swap_in_pages_total", 5000)
    host(chain, "host_swap_out_pages_total", 5200)
    host(chain, "host_pressure_memory_full_seconds_total", 0.4)
    faults(chain, 400)


def pages_go_out_once(chain: FakeChain) -> None:
    """The kernel moves what nobody uses out of the way; nothing comes back."""
    model_computes(chain)
    host(chain, "host_swap_in_pages_total", 0)
    host(chain, "host_swap_out_pages_total", 5200)
    faults(chain, 0)


def stolen(chain: FakeChain) -> None:
    all_slow(chain)
    host(chain, "host_cpu_steal_seconds_total", 1.4)
    for pid in WORKERS:
        chain.cpu(pid, 0.4)
        chain.counter("process_run_delay_seconds_total", process_key(pid), 0.5)


def group_at_limit(chain: FakeChain, hits: float) -> None:
    for pid in WORKERS:
        chain.counter("cgroup_memory_failures_total", group_key(pid), hits, start=100)


def limited(chain: FakeChain) -> None:
    from weaklink.model.case import Case, grow

    made = chain.case

    def case() -> Case:
        found = made()
        groups = [structs.replace(group, memory_limit=4e9) for group in found.cgroups]
        return grow(found, cgroups=groups)

    chain.case = case  # type: ignore[method-assign]


def weights_do_not_fit(chain: FakeChain) -> None:
    all_slow(chain)
    limited(chain)
    group_at_limit(chain, 2000)
    faults(chain, 900)


def page_cache_at_its_limit(chain: FakeChain) -> None:
    """The group's limit is hit by page cache all the time, as it should: nothing is read again."""
    preprocess(chain)
    limited(chain)
    group_at_limit(chain, 300)
    faults(chain, 1)


def disk(chain: FakeChain, *, seconds: float, queue: float, lives: bool = True) -> None:
    chain.also["devices"].append(
        Device(key=DISK, name="vdb", major_minor="254:16", rotational=False)
    )
    chain.also["mounts"].append(
        Mount(
            path="/data", device="/dev/vdb1", kind="ext4", major_minor="254:17", size=2e11,
            free=1e11, inodes=1e7, inodes_free=9e6,
        )
    )  # fmt: skip
    for name, rate in (
        ("reads", 200.0), ("writes", 100.0), ("read_seconds", 200 * seconds),
        ("write_seconds", 100 * seconds), ("busy_seconds", 1.0), ("queue_seconds", queue),
        ("read_bytes", 2e7), ("written_bytes", 1e7),
    ):  # fmt: skip
        chain.counter(f"disk_{name}_total", DISK, rate, start=1e6)
    for pid in WORKERS if lives else ():
        chain.also["software"].append(
            OpenFile(
                process=process_key(pid), path="/data/index", major_minor="254:17", how="write",
                descriptor=8, at=END,
            )
        )  # fmt: skip


def asleep(chain: FakeChain, state: str) -> None:
    for pid in WORKERS:
        for at in (END - 5, END - 3, END - 1):
            chain.threads.append(
                Thread(
                    process=process_key(pid), tid=pid, name="worker", state=state, at=at,
                    cpu_seconds=1.0,
                )
            )  # fmt: skip


def backup(chain: FakeChain) -> None:
    chain.outsider(BATCH, "tar", cpus=0.1)
    chain.counter("process_read_bytes_total", process_key(BATCH), 9e7, start=1e9)


def saturated(chain: FakeChain) -> None:
    all_slow(chain)
    disk(chain, seconds=0.12, queue=20)
    asleep(chain, "D")
    backup(chain)


def busy_but_quick(chain: FakeChain) -> None:
    """100 % busy, 0.2 ms a request: it works in parallel, and nobody waits for it."""
    model_computes(chain)
    disk(chain, seconds=0.0002, queue=0.06)
    asleep(chain, "S")
    backup(chain)


def kernel_says(chain: FakeChain, text: str, ago: float = 15.0) -> None:
    chain.events.append(Event(at=END - ago, kind="kernel", target=MACHINE, text=text,
                              source="/dev/kmsg"))  # fmt: skip


def disk_fails(chain: FakeChain) -> None:
    all_slow(chain)
    disk(chain, seconds=0.002, queue=0.5)
    asleep(chain, "D")
    for ago in (25.0, 12.0, 3.0):
        kernel_says(chain, "I/O error, dev vdb, sector 81920 op 0x0:(READ) flags 0x0", ago)


def another_disk_fails(chain: FakeChain) -> None:
    """A disk of this machine fails that no file of the chain lies on."""
    preprocess(chain)
    disk(chain, seconds=0.0002, queue=0.06)
    kernel_says(chain, "I/O error, dev sdq, sector 81920 op 0x0:(READ) flags 0x0")


def crowd(chain: FakeChain, count: int) -> None:
    for pid in WORKERS:
        for at in (END - 5, END - 3, END - 1):
            chain.threads += [
                Thread(
                    process=process_key(pid), tid=pid * 100 + n, name="omp", state="R", at=at,
                    cpu_seconds=1.0,
                )
                for n in range(count)
            ]  # fmt: skip


def too_many_threads(chain: FakeChain) -> None:
    all_slow(chain)
    crowd(chain, 32)
    for pid in WORKERS:
        chain.quota[pid] = 1.0
        chain.cpu(pid, 1.0)
        chain.counter("process_run_delay_seconds_total", process_key(pid), 9.0)
        chain.counter("cgroup_cpu_throttled_periods_total", group_key(pid), 6.0, start=3)


def scheduled(chain: FakeChain) -> None:
    neighbour(chain)
    pid = 900
    process = chain.processes[pid]
    chain.processes[pid] = structs.replace(process, start=END - ONSET - 6)
    chain.events.append(
        Event(
            at=END - ONSET - 6, kind="cron-run", target=process_key(pid), text="CMD (report)",
            source="syslog", details={"pid": pid, "command": "report.sh", "seen": 1},
        )
    )  # fmt: skip


def young(chain: FakeChain, pid: int, ago: float) -> None:
    chain.processes[pid] = structs.replace(chain.processes[pid], start=END - ago)


def just_started(chain: FakeChain) -> None:
    chain.slow_members(SECOND, share=0.8)
    chain.waiting(SECOND, caller=100, count=5, age=1.5)
    chain.cpu(SECOND, 0.9)
    young(chain, SECOND, 25)


def old_and_slow(chain: FakeChain) -> None:
    """The same, of a process that has run for a day."""
    just_started(chain)
    young(chain, SECOND, 86_000)


def loads(chain: FakeChain) -> None:
    chain.slow_members(SECOND, share=0.9)
    chain.waiting(SECOND, caller=100, count=5, age=3.0)
    young(chain, SECOND, 40)
    chain.counter("process_read_bytes_total", process_key(SECOND), 4e7, start=1.6e9)
    asleep(chain, "D")


prove("swap-thrash", thrashes, near_miss=pages_go_out_once)
prove("cpu-steal", stolen, near_miss=neighbour)
prove("mmap-weights-over-limit", weights_do_not_fit, near_miss=page_cache_at_its_limit)
prove("mmap-weights-over-limit", weights_do_not_fit, near_miss=killed)
prove("disk-saturated", saturated, near_miss=busy_but_quick)
prove("disk-errors", disk_fails, near_miss=another_disk_fails)
prove("thread-oversubscription", too_many_threads, near_miss=throttled)
prove("batch-at-peak", scheduled, near_miss=neighbour)
prove("cold-start", just_started, near_miss=old_and_slow)
prove("model-load-slow", loads, near_miss=just_started)
