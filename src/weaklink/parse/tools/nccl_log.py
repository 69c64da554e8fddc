"""Collective operations that did not end: PyTorch's NCCL watchdog, and NCCL's own warnings."""

from __future__ import annotations

import re

from weaklink.model.fact_text_engine import CollectiveTimeout
from weaklink.model.take import Take
from weaklink.parse.quote import quoted
from weaklink.parse.sayings import Phrase, sayings
from weaklink.parse.text_tool import Passage, reads_too, tool

MAX_TIMEOUTS = 512
_RANK = re.compile(r"[Rr]ank {0,2}(\d{1,6})\]")
_WORK = re.compile(
    r"WorkNCCL\(SeqNum=(\d{1,15}), OpType=(\w{1,40})(?:, .{0,200}?)?, Timeout\(ms\)=(\d{1,12})\) "
    r"ran for (\d{1,12}) milliseconds"
)
_LAST = re.compile(r"last enqueued NCCL work: (-?\d{1,15}), last completed NCCL work: (-?\d{1,15})")

PHRASES = (
    Phrase("monitor", "Heartbeat monitor timed out"),
    Phrase("peer-gone", "socketProgress: Connection closed by remote peer"),
    Phrase("peer-gone", "ncclRemoteError"),
    Phrase("peer-gone", "Connection reset by peer", None, "", ("NCCL", "Gloo", "gloo", "TCPStore")),
    Phrase("peer-gone", "Broken pipe", None, "", ("TCPStore",)),
    Phrase("ib-error", "WARN NET/IB",
           re.compile(r"NET/IB.{0,200}?(?:status|error)[ =:]{1,3}(?P<why>\S{1,40})")),
    Phrase("system-error", "ncclSystemError"),
    Phrase("cuda-error", "ncclUnhandledCudaError"),
    Phrase("shm", "No space left on device", None, "", ("shm", "nccl", "NCCL")),
    Phrase("warn", "NCCL WARN", re.compile(r"NCCL WARN (?P<why>.{1,200})$")),
)  # fmt: skip


def _starts(line: str) -> bool:
    head = line[:1200]
    return (
        "collective operation timeout" in head
        or "ProcessGroupNCCL" in head
        or "NCCL WARN" in head
        or "ncclSystemError" in head
        or "ncclRemoteError" in head
        or "ncclUnhandledCudaError" in head
    )


@tool("nccl", needles=("NCCL", "ncclSystemError", "ncclRemoteError", "ncclUnhandled"),
      starts=_starts, scattered=True)  # fmt: skip
def nccl_log(passage: Passage) -> Take | None:
    """Each rank whose watchdog gave up, and what NCCL complains of."""
    found: dict[tuple[int | None, int], CollectiveTimeout] = {}
    for line in passage.lines:
        head = line[:2000]
        rank = _RANK.search(head)
        number = int(rank[1]) if rank else None
        if work := _WORK.search(head):
            if len(found) < MAX_TIMEOUTS:
                key = (number, int(work[1]))
                found.setdefault(
                    key,
                    CollectiveTimeout(
                        rank=number,
                        operation=work[2],
                        sequence=int(work[1]),
                        limit=int(work[3]) / 1000,
                        waited=int(work[4]) / 1000,
                        line=quoted(line),
                    ),
                )
        elif last := _LAST.search(head):
            for key, known in found.items():
                if known.rank == number and known.completed is None:
                    found[key] = CollectiveTimeout(
                        rank=known.rank,
                        operation=known.operation,
                        sequence=known.sequence,
                        limit=known.limit,
                        waited=known.waited,
                        enqueued=int(last[1]),
                        completed=int(last[2]),
                        line=known.line,
                    )
    said = sayings("nccl", passage.lines, PHRASES)
    if not found and not said:
        return None
    return Take(software=[*found.values(), *said])


@reads_too("vllm")
def nccl_in_vllm(passage: Passage) -> Take | None:
    """The same among vLLM's lines."""
    return nccl_log(passage) if any(_starts(line) for line in passage.lines) else None


@reads_too("sglang")
def nccl_in_sglang(passage: Passage) -> Take | None:
    """The same among SGLang's lines."""
    return nccl_log(passage) if any(_starts(line) for line in passage.lines) else None
