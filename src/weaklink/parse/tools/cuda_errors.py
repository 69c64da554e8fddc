"""CUDA allocations that failed and CUDA errors, as PyTorch and the engines on it report them.

PyTorch 1.x: `(GPU 0; 44 GiB total capacity; 27 GiB already allocated; 565 MiB free; 28 GiB reserved
in total by PyTorch)`. 2.x: `GPU 0 has a total capacity of … of which … is free. Process 17 has …`.
"""

from __future__ import annotations

import re

from weaklink.model.fact_text_engine import MemoryShortage
from weaklink.model.take import Take
from weaklink.parse.figures import as_bytes
from weaklink.parse.quote import quoted
from weaklink.parse.sayings import Phrase, sayings
from weaklink.parse.text_tool import Passage, reads_too, tool

MAX_KEPT = 200
_S = r"(\d{1,9}(?:\.\d{1,4})? (?:[KMGT]iB|bytes))"
_WANTED = re.compile(rf"Tried to allocate {_S}")
_OLD = re.compile(
    rf"\(GPU (\d{{1,4}}); {_S} total capacity; {_S} already allocated; {_S} free; "
    rf"(?:{_S} reserved in total by PyTorch)?"
)
_NEW = re.compile(rf"GPU (\d{{1,4}}) has a total capacity of {_S} of which {_S} is free")
_OTHER = re.compile(rf"Process (\d{{1,9}}) has {_S} memory in use")
_OURS = re.compile(rf"this process has {_S} memory in use")
_ALLOCATED = re.compile(rf"memory {_S} is allocated by PyTorch")
_UNUSED = re.compile(rf"and {_S} is reserved by PyTorch but unallocated")
_AT_START = re.compile(
    r"Free memory on device (\S{1,20}) \((\d{1,6}\.?\d{0,3})/(\d{1,6}\.?\d{0,3}) GiB\) on startup "
    r"is less than desired GPU memory utilization \((\d\.\d{1,4}), (\d{1,6}\.?\d{0,3}) GiB\)"
)

PHRASES = (
    Phrase("illegal-access", "an illegal memory access was encountered"),
    Phrase("device-assert", "device-side assert triggered"),
    Phrase("ecc", "uncorrectable ECC error encountered"),
    Phrase("launch-failure", "unspecified launch failure"),
    Phrase("unavailable", "all CUDA-capable devices are busy or unavailable"),
    Phrase("no-device", "no CUDA-capable device is detected"),
    Phrase("no-device", "Found no NVIDIA driver on your system"),
    Phrase("no-device", "No CUDA GPUs are available"),
    Phrase("initialization", "CUDA driver initialization failed"),
    Phrase("version", "CUDA driver version is insufficient"),
    Phrase("cublas", "CUBLAS_STATUS_", re.compile(r"(?P<why>CUBLAS_STATUS_\w{1,40})")),
    Phrase("dataloader-shm", "insufficient shared memory (shm)"),
)  # fmt: skip


def _starts(line: str) -> bool:
    head = line[:1500]
    return (
        "CUDA" in head or "Free memory on device" in head or "OutOfMemoryError: Allocation" in head
    )


@tool(
    "cuda",
    needles=("CUDA out of memory", "CUDA error", "HIP out of memory", "No CUDA GPUs", "CUDA driver",
             "Free memory on device", "OutOfMemoryError: Allocation on device", "CUBLAS_STATUS_",
             "Found no NVIDIA driver"),
    starts=_starts,
    scattered=True,
)  # fmt: skip
def cuda_errors(passage: Passage) -> Take | None:
    """Each allocation that failed, and each kind of error."""
    short = [fact for line in passage.lines if (fact := _shortage(line[:3000]))]
    said = sayings("cuda", passage.lines, PHRASES)
    return Take(software=[*short[-MAX_KEPT:], *said]) if short or said else None


def _shortage(line: str) -> MemoryShortage | None:
    if start := _AT_START.search(line):
        gib = 1024.0**3
        return MemoryShortage(
            device=start[1],
            free=float(start[2]) * gib,
            total=float(start[3]) * gib,
            wanted=float(start[5]) * gib,
            at_start=True,
            line=quoted(line),
        )
    if "out of memory" not in line and "OutOfMemoryError" not in line:
        return None
    wanted = _WANTED.search(line)
    if wanted is None and "CUDA" not in line and "Allocation on device" not in line:
        return None
    found = MemoryShortage(wanted=as_bytes(wanted[1]) if wanted else None, line=quoted(line))
    if old := _OLD.search(line):
        return MemoryShortage(
            wanted=found.wanted,
            device=old[1],
            total=as_bytes(old[2]),
            allocated=as_bytes(old[3]),
            free=as_bytes(old[4]),
            ours=as_bytes(old[5] or old[3]),
            line=found.line,
        )
    new = _NEW.search(line)
    ours, allocated, unused = _OURS.search(line), _ALLOCATED.search(line), _UNUSED.search(line)
    return MemoryShortage(
        wanted=found.wanted,
        device=new[1] if new else "",
        total=as_bytes(new[2]) if new else None,
        free=as_bytes(new[3]) if new else None,
        ours=as_bytes(ours[1]) if ours else None,
        allocated=as_bytes(allocated[1]) if allocated else None,
        reserved_unused=as_bytes(unused[1]) if unused else None,
        other=[(pid, as_bytes(size) or 0.0) for pid, size in _OTHER.findall(line)[:16]],
        line=found.line,
    )


def _among(passage: Passage) -> Take | None:
    return cuda_errors(passage) if any(_starts(line) for line in passage.lines) else None


for _log in ("vllm", "sglang", "ray-serve", "comfyui", "ollama", "triton"):
    reads_too(_log)(_among)
