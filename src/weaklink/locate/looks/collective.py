"""Ranks that waited for each other in vain, and CUDA errors: which one to look at first.

The rank that reports the timeout is a victim more often than the reason: it waited. Ranks that
wait in different collectives have run apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.log_rules import Rule, judge
from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, known, sized
from weaklink.locate.view import View
from weaklink.model.fact_text_engine import CollectiveTimeout, MemoryShortage
from weaklink.model.fact_text_log import Saying
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.nccl.apart": "ranks wait in different collectives ({operations}): they ran apart, "
        "and hung for {seconds} s before anything was said",
        "finding.nccl.waited": "{ranks} waited {seconds} s in {operation} and gave up: another "
        "rank or its GPU hung first[; missing among those that spoke: {missing}]",
        "finding.nccl.monitor": "NCCL's heartbeat monitor gave up: a rank hangs",
        "finding.nccl.peer-gone": "a rank lost the connection to another[ ({times} lines)]: that "
        "one died or was killed",
        "finding.nccl.ib-error": "InfiniBand reports an error[: {why}]",
        "finding.nccl.system-error": "a system call of NCCL failed: network, shared memory or "
        "limits",
        "finding.nccl.cuda-error": "a CUDA call of NCCL failed: look for the first CUDA error",
        "finding.nccl.shm": "shared memory is full: NCCL cannot start",
        "finding.nccl.warn": "NCCL warns: {why}",
        "finding.cuda.other-tenant": "GPU {device}: {wanted} could not be allocated with {free} "
        "free of {total}; this process holds {ours}, so about {others} is held by another process "
        "on the card",
        "finding.cuda.fragmented": "GPU {device}: {wanted} could not be allocated although "
        "{unused} is reserved and unused by this process: fragmentation",
        "finding.cuda.own": "GPU {device}: {wanted} could not be allocated with {free} free of "
        "{total}; this process itself holds {ours}",
        "finding.cuda.out": "GPU memory ran out[: {wanted} could not be allocated]; the text does "
        "not show who holds it",
        "finding.cuda.start": "{device}: it starts only with {wanted} GiB free, but {free} of "
        "{total} GiB are: {missing} GiB are missing, {taken} GiB are held by something else; free "
        "that, or lower gpu_memory_utilization to {fraction}",
        "finding.cuda.illegal-access": "a kernel accessed memory it must not: a software fault; "
        "what this process holds on the GPU is lost",
        "finding.cuda.device-assert": "a check inside a kernel failed: an index out of range in "
        "the input or the model",
        "finding.cuda.ecc": "the GPU's memory has an uncorrectable error",
        "finding.cuda.launch-failure": "a kernel died (unspecified launch failure)",
        "finding.cuda.unavailable": "the GPU is busy or not available: exclusive mode, MIG, or a "
        "fault",
        "finding.cuda.no-device": "no GPU is visible to the process",
        "finding.cuda.initialization": "CUDA does not initialise: driver, container or a lost GPU",
        "finding.cuda.version": "the driver is older than the CUDA it is used with",
        "finding.cuda.cublas": "a library call on the GPU failed[ ({why})], often for lack of "
        "memory",
        "finding.cuda.dataloader-shm": "shared memory of the container is too small",
    }
)
NCCL = {
    "monitor": Rule("critical", "collective-hang", 0.8, "py-spy dump of all ranks; dmesg for Xid"),
    "peer-gone": Rule("critical", "collective-hang", 0.6, "which rank ended first, and its log"),
    "ib-error": Rule("critical", "nic-errors", 0.6, "ibstat; perfquery; dmesg"),
    "system-error": Rule(
        "critical", "collective-hang", 0.5, "NCCL_DEBUG=INFO; ulimit -l; /dev/shm"
    ),
    "cuda-error": Rule("critical", "gpu-fault", 0.5, "dmesg for Xid"),
    "shm": Rule("critical", "", 0.85, "--shm-size of the container"),
    "warn": Rule("warn", "", 0.5, "NCCL_DEBUG=INFO"),
}
CUDA = {
    "illegal-access": Rule("critical", "engine-dead", 0.6,
                           "dmesg: Xid 13 or 31 on which GPU, ECC counters; restart the process"),
    "device-assert": Rule("critical", "poison-request", 0.6, "CUDA_LAUNCH_BLOCKING=1: which op"),
    "ecc": Rule("critical", "gpu-fault", 0.9, "nvidia-smi -q -d ECC,ROW_REMAPPER; drain it"),
    "launch-failure": Rule("critical", "gpu-fault", 0.5, "dmesg for Xid"),
    "unavailable": Rule("critical", "gpu-fault", 0.5, "nvidia-smi -q: compute mode, MIG; dmesg"),
    "no-device": Rule("critical", "gpu-lost-to-container", 0.7, "nvidia-smi in the container"),
    "initialization": Rule("critical", "gpu-lost-to-container", 0.5, "nvidia-smi; dmesg for Xid"),
    "version": Rule("critical", "version-skew", 0.9, "nvidia-smi: driver; the image's CUDA"),
    "cublas": Rule("critical", "gpu-memory-hog", 0.4, "nvidia-smi: memory; dmesg for Xid"),
    "dataloader-shm": Rule("critical", "", 0.85, "--shm-size of the container"),
}  # fmt: skip
OTHERS = 2 * 1024.0**3
"""Bytes not explained by the process itself from which another one must hold them: a CUDA context
takes 0.3 to 1 GiB outside of the framework's count."""
UNUSED_SHARE = 1.0
"""Reserved and unused of what was wanted: enough of it, but in pieces."""


@look("inference")
def collective(view: View) -> Iterable[Judged]:
    """Watchdogs that gave up, and NCCL's own errors."""
    said = Said(view, "inference", "engine")
    late = [fact for fact in view.case.software if isinstance(fact, CollectiveTimeout)]
    if late:
        yield _late(said, late)
    rows = [f for f in view.case.software if isinstance(f, Saying) and f.tool == "nccl"]
    yield from judge(said, rows, NCCL, "finding.nccl.")


def _late(said: Said, late: list[CollectiveTimeout]) -> Finding:
    # The last word of each rank counts: a rank may report several.
    last = {fact.rank: fact for fact in late}
    operations = sorted({fact.operation for fact in last.values()})
    longest = max(last.values(), key=lambda fact: fact.waited or 0.0)
    seconds = figure(longest.waited, 0)
    after = "py-spy dump of ALL ranks, dmesg for Xid: the rank that did not speak is the suspect"
    if len(last) > 1 and len(operations) > 1:
        differ = [next(f for f in last.values() if f.operation == name) for name in operations]
        told = ", ".join(
            f"rank {fact.rank} in {fact.operation}"
            for fact in sorted(last.values(), key=lambda fact: fact.rank or 0)[:4]
        )
        return said.finding(
            "critical", "finding.nccl.apart", "nccl", *[fact.line for fact in differ[:2]],
            cause="collective-hang", sure=0.85, next=after, operations=told, seconds=seconds,
        )  # fmt: skip
    ranks = sorted(fact.rank for fact in last.values() if fact.rank is not None)
    shown = ", ".join(map(str, ranks[:8])) + (" …" if len(ranks) > 8 else "")
    silent = sorted(set(range(max(ranks) + 1)) - set(ranks)) if len(ranks) > 1 else []
    return said.finding(
        "critical",
        "finding.nccl.waited",
        "nccl",
        longest.line,
        cause="collective-hang",
        sure=0.8,
        next=after,
        ranks=f"rank {shown}" if len(ranks) == 1 else f"ranks {shown}" if ranks else "a rank",
        seconds=seconds,
        operation=longest.operation,
        more=known(missing=", ".join(f"rank {rank}" for rank in silent[:8])),
    )


@look("gpu")
def cuda(view: View) -> Iterable[Judged]:
    """Allocations that failed and CUDA errors, as frameworks report them."""
    said = Said(view, "gpu", "gpu")
    short: dict[tuple[str, bool], MemoryShortage] = {}
    for fact in view.case.software:
        if isinstance(fact, MemoryShortage):
            known_one = short.get((fact.device, fact.at_start))
            if known_one is None or (known_one.total is None and fact.total is not None):
                short[fact.device, fact.at_start] = fact
    if any(fact.total is not None for fact in short.values()):
        short = {key: fact for key, fact in short.items() if fact.total is not None}
    for fact in short.values():
        yield _start(said, fact) if fact.at_start else _shortage(said, fact)
    rows = [f for f in view.case.software if isinstance(f, Saying) and f.tool == "cuda"]
    yield from judge(said, rows, CUDA, "finding.cuda.")


def _shortage(said: Said, fact: MemoryShortage) -> Finding:
    free, total, ours = fact.free, fact.total, fact.ours
    named = sum(size for _, size in fact.other if size != ours)
    if total is None or free is None or (ours is None and not named):
        more = known(wanted=sized(fact.wanted) if fact.wanted else "")
        return said.finding(
            "critical", "finding.cuda.out", fact.device, fact.line, cause="gpu-memory-hog",
            sure=0.5, next="nvidia-smi: memory by process at that moment", more=more,
        )  # fmt: skip
    others = max(total - free - ours if ours is not None else 0.0, named)
    unused, wanted = fact.reserved_unused or 0.0, fact.wanted or 0.0
    key, cause, sure = "own", "gpu-memory-leak", 0.5
    after = "smaller batches or context; does its memory grow over hours"
    if others >= OTHERS:
        key, cause, sure = "other-tenant", "gpu-memory-hog", 0.85
        after = "nvidia-smi: the other process; stop it, or give it another card"
    elif wanted and unused >= UNUSED_SHARE * wanted:
        key, cause, sure = "fragmented", "gpu-memory-leak", 0.6
        after = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"
    return said.finding(
        "critical",
        f"finding.cuda.{key}",
        fact.device,
        fact.line,
        cause=cause,
        sure=sure,
        next=after,
        device=fact.device or "?",
        wanted=sized(fact.wanted),
        free=sized(free),
        total=sized(total),
        ours=sized(ours),
        others=sized(others),
        unused=sized(unused),
    )


def _start(said: Said, fact: MemoryShortage) -> Finding:
    gib = 1024.0**3
    free, total = (fact.free or 0.0) / gib, (fact.total or 0.0) / gib
    wanted = (fact.wanted or 0.0) / gib
    fraction = int(100 * free / total) / 100 if total else 0.0
    return said.finding(
        "critical",
        "finding.cuda.start",
        fact.device,
        fact.line,
        cause="gpu-memory-hog",
        sure=0.9,
        next="nvidia-smi: who holds memory on that card",
        device=fact.device,
        wanted=figure(wanted, 2),
        free=figure(free, 2),
        total=figure(total, 2),
        missing=figure(wanted - free, 2),
        taken=figure(total - free, 2),
        fraction=figure(fraction, 2),
    )
