"""Processes in a table: who spins, who is stopped, who waits for a disk, who gets no CPU."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, percent
from weaklink.locate.view import View
from weaklink.model.fact_gpu import Gpu
from weaklink.model.fact_text_host import HostSample, ProcessRow
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.ps.spin": "{count} {name} processes each use {cpus} CPUs, all alike, while "
        "the machine is {idle} idle: they wait busily for each other (a hung collective), unless "
        "tokens are being produced; it is no lack of CPU",
        "finding.ps.stopped": "{name} (pid {pid}) is stopped (state T): it does not run, "
        "whatever its port says",
        "finding.ps.uninterruptible": "{count} processes wait uninterruptibly for I/O (state "
        "D), such as {name} (pid {pid})[ in {wchan}]",
        "finding.ps.zombies": "{count} zombies: a parent does not collect its children",
        "finding.ps.hot-thread": "thread {name} ({tid}) uses a whole CPU while the others "
        "idle: one thread is the limit",
        "finding.ps.hot-thread-gpu": "thread {name} ({tid}) uses a whole CPU while the GPU is only "
        "{gpu} busy: work before the model (decoding, tokenising, one Python process) is the "
        "limit; more GPUs would not help",
        "finding.ps.no-cpu": "{name} (pid {pid}) waits for a CPU {share} of the time",
        "finding.ps.io": "{name} (pid {pid}) {verb} {rate}/s",
        "finding.ps.seen": "{count} processes; most CPU: {name} (pid {pid}, {cpus} CPUs)",
    }
)
ENGINES = ("sglang", "vllm", "raywork", "ray::", "triton", "trtllm", "tensorrt", "lmdeploy", "tgi")
"""Beginnings and parts of the titles that inference servers give their workers."""
SPIN, ALIKE, SPINNERS = 1.5, 0.05, 2
"""CPUs each, how far they may differ, how many. An engine's loop polls with one thread: one CPU is
normal for each rank, more of exactly the same size is NCCL's or the launcher's busy wait."""
MANY_BLOCKED, MANY_ZOMBIES = 5, 50
HOT = 0.93
STARVED = 0.25
GPU_STARVED = 0.7
"""A GPU that is less busy beside a full CPU waits for what that CPU prepares."""
TOOLS = ("vim", "vi", "nano", "less", "more", "man", "top", "gdb", "bash", "zsh", "sh", "ssh")
"""What people stop with Ctrl-Z."""


@look("process")
def process_tables(view: View) -> Iterable[Judged]:
    """What stands out in tables of processes and threads."""
    said = Said(view, "process", "process")
    rows = [fact for fact in view.case.software if isinstance(fact, ProcessRow)]
    if not rows:
        return
    idle = next(
        (f.idle for f in view.case.software if isinstance(f, HostSample) and f.idle is not None),
        None,
    )
    found = [
        *_spinning(said, rows, idle),
        *_states(said, rows),
        *_threads(said, rows, _gpu_busy(view)),
        *_waiting(said, rows),
    ]
    yield from found
    if not found and all(row.tool == "ps" for row in rows):
        return
    top = max(rows, key=lambda row: row.cpu or 0.0)
    if not found and top.cpu is not None and idle is None:
        yield said.finding(
            "healthy",
            "finding.ps.seen",
            f"{top.pid}",
            top.line,
            sure=0.6,
            count=len(rows),
            name=top.name,
            pid=top.pid,
            cpus=figure(top.cpu, 2),
        )


def _spinning(said: Said, rows: list[ProcessRow], idle: float | None) -> Iterator[Finding]:
    by_name: dict[str, list[ProcessRow]] = {}
    for row in rows:
        title = row.name.split(" ", 1)[0]
        busy = row.tid is None and not row.lifetime and (row.cpu or 0.0) >= SPIN
        if busy and any(word in title.lower() for word in ENGINES):
            by_name.setdefault(title, []).append(row)
    for name, group in by_name.items():
        used = [row.cpu or 0.0 for row in group]
        if len(group) < SPINNERS or max(used) > (1 + ALIKE) * min(used):
            continue
        if idle is not None and idle < 0.3:
            continue
        yield said.finding(
            "critical",
            "finding.ps.spin",
            f"{group[0].pid}",
            group[0].line,
            group[-1].line,
            cause="collective-hang",
            sure=0.65,
            next="py-spy dump of each; the engine's log for a watchdog; nvidia-smi power draw",
            count=len(group),
            name=name,
            cpus=figure(max(used)),
            idle=percent(idle),
        )


def _states(said: Said, rows: list[ProcessRow]) -> Iterator[Finding]:
    for row in rows:
        if row.state.startswith("T") and row.name.split(" ", 1)[0].rsplit("/", 1)[-1] not in TOOLS:
            yield said.finding(
                "critical",
                "finding.ps.stopped",
                f"{row.pid}",
                row.line,
                cause="worker-frozen",
                sure=0.8,
                next=f"kill -CONT {row.pid}, once it is known who stopped it",
                name=row.name[:60],
                pid=row.pid,
            )
            break
    blocked = [row for row in rows if row.state.startswith("D")]
    if len(blocked) >= MANY_BLOCKED or any(
        row.wchan.startswith(("nfs", "rpc_")) for row in blocked
    ):
        first = blocked[0]
        yield said.finding(
            "warn",
            "finding.ps.uninterruptible",
            f"{first.pid}",
            first.line,
            cause="disk-saturated",
            sure=0.6,
            next="cat /proc/PID/stack; iostat -x 1 3; dmesg",
            count=len(blocked),
            name=first.name[:60],
            pid=first.pid,
            more={"wchan": first.wchan} if first.wchan.strip("-") else {},
        )
    zombies = [row for row in rows if row.state.startswith("Z")]
    if len(zombies) >= MANY_ZOMBIES:
        yield said.finding(
            "warn", "finding.ps.zombies", f"{zombies[0].pid}", zombies[0].line, sure=0.7,
            count=len(zombies),
        )  # fmt: skip


def _gpu_busy(view: View) -> float | None:
    """How busy the busiest GPU of the text is, None without one."""
    told = [
        fact.utilisation
        for fact in view.case.hardware
        if isinstance(fact, Gpu) and fact.utilisation is not None
    ]
    return max(told, default=None)


def _threads(said: Said, rows: list[ProcessRow], gpu: float | None) -> Iterator[Finding]:
    threads = [row for row in rows if row.tid is not None and row.cpu is not None]
    hot = [row for row in threads if (row.cpu or 0.0) >= HOT and row.name != "ksoftirqd"]
    if len(threads) >= 3 and len(hot) == 1 and not hot[0].lifetime:
        row = hot[0]
        others = max((one.cpu or 0.0 for one in threads if one is not row), default=0.0)
        if others < 0.5:
            starved = gpu is not None and gpu < GPU_STARVED
            yield said.finding(
                "warn",
                "finding.ps.hot-thread-gpu" if starved else "finding.ps.hot-thread",
                f"{row.pid}",
                row.line,
                sure=0.6,
                next=f"py-spy dump --pid {row.pid} (or jstack); by the thread's name",
                cause="preprocess-on-cpu" if starved else "",
                name=row.name[:60],
                tid=row.tid or 0,
                gpu=percent(gpu, 0),
            )


def _waiting(said: Said, rows: list[ProcessRow]) -> Iterator[Finding]:
    starved = [row for row in rows if (row.waiting or 0.0) >= STARVED]
    if starved:
        row = max(starved, key=lambda one: one.waiting or 0.0)
        yield said.finding(
            "critical" if (row.waiting or 0.0) >= 2 * STARVED else "warn",
            "finding.ps.no-cpu",
            f"{row.pid}",
            row.line,
            cause="cpu-noisy-neighbour",
            sure=0.6,
            next="cat /sys/fs/cgroup/…/cpu.stat (a quota?); top: who else runs",
            name=row.name[:60],
            pid=row.pid,
            share=percent(row.waiting),
        )
