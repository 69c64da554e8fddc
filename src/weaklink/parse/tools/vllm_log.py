"""vLLM's log, engines V0 and V1: its report every ten seconds, preemptions, deaths, refusals."""

from __future__ import annotations

import re

from weaklink.model.fact_text_engine import EngineSample
from weaklink.model.take import Take
from weaklink.parse.quote import quoted
from weaklink.parse.sayings import Phrase, sayings, stamp_of
from weaklink.parse.text_tool import Passage, reads_too, tool

MAX_SAMPLES = 60
"""Reports kept from the end: ten minutes."""
_N = r"(\d{1,9}(?:\.\d{1,3})?)"
_REPORT = re.compile(
    rf"(?:Engine (\d{{1,4}}): )?Avg prompt throughput: {_N} tokens/s, "
    rf"Avg generation throughput: {_N} tokens/s, Running: (\d{{1,9}}) reqs, "
    rf"(?:Swapped: (\d{{1,9}}) reqs, )?(?:Waiting|Pending): (\d{{1,9}}) reqs, "
    rf"GPU KV cache usage: {_N}%"
)
_HITS = re.compile(rf"Prefix cache hit rate: (?:GPU: )?{_N}%")
_HEAD = re.compile(
    r"(?:\([A-Z]\w{2,40}(?: \w{2,12}){0,4} pid=\d{1,9}\) ?){0,3}"
    r"(?:(?:INFO|WARNING|ERROR|DEBUG|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d )"
)

PHRASES = (
    Phrase("preempted", "is preempted by PreemptionMode",
           re.compile(r"PreemptionMode\.(?P<mode>\w{1,20}).{0,400}?preemption=(?P<total>\d{1,12})")),
    Phrase("preempted", "is preempted by PreemptionMode", re.compile(r"Mode\.(?P<mode>\w{1,20})")),
    Phrase("engine-dead", "EngineDeadError"),
    Phrase("engine-dead", "EngineCore encountered a"),
    Phrase("engine-dead", "died unexpectedly"),
    Phrase("engine-dead", "Background loop has errored already"),
    Phrase("engine-dead", "Background loop is stopped"),
    Phrase("engine-dead", "MQLLMEngine process died"),
    Phrase("start-failed", "Engine core initialization failed"),
    Phrase("start-failed", "Engine process failed to start"),
    Phrase("no-cache-blocks", "No available memory for the cache blocks"),
    Phrase("context-too-large", "max seq len", re.compile(
        r"max seq len \((?P<wanted>\d{1,9})\).{0,200}?KV cache \((?P<room>\d{1,12})\)")),
    Phrase("context-too-large", "KV cache is needed, which is larger than the available",
           re.compile(r"max seq len \((?P<wanted>\d{1,9})\)")),
    Phrase("worker-silent", "No available block found in",
           re.compile(r"in (?P<seconds>\d{1,6}) sec")),
    Phrase("worker-silent", "No available shared memory broadcast block found in",
           re.compile(r"in (?P<seconds>\d{1,6}) sec")),
    Phrase("rpc-timeout", "RPC call to", re.compile(r"call to (?P<call>\w{1,60}) timed out")),
    Phrase("rpc-timeout", "timed out in executing"),
    Phrase("prompt-too-long", "maximum context length is", re.compile(
        r"maximum context length is (?P<limit>\d{1,9}) tokens\. However, you requested "
        r"(?P<asked>\d{1,12}) tokens")),
    Phrase("prompt-too-long", "is too long and exceeds limit of", re.compile(
        r"\((?P<asked>\d{1,9}) tokens\) is too long and exceeds limit of (?P<limit>\d{1,9})")),
    Phrase("prompt-too-long", "longer than the maximum model length", re.compile(
        r"length of (?P<asked>\d{1,9})\).{0,80}?model length of (?P<limit>\d{1,9})")),
    Phrase("aborted", "Aborted request"),
    Phrase("cpu-offload", "Falling back to CPU"),
    Phrase("ready", "Application startup complete"),
)  # fmt: skip


def _starts(line: str) -> bool:
    bare = line.lstrip()[:600]
    if "ProcessGroupNCCL" in bare:
        return False
    return _HEAD.match(bare) is not None or _told(bare)


def _told(bare: str) -> bool:
    return (
        "Avg generation throughput:" in bare
        or "EngineDeadError" in bare
        or "EngineCore" in bare
        or "is preempted by PreemptionMode" in bare
        or "cache blocks. Try increasing" in bare
        or "maximum context length is" in bare
        or "shared memory broadcast block" in bare
    )


@tool(
    "vllm",
    heads=("INFO ", "WARNING ", "ERROR ", "DEBUG ", "CRITICAL ", "("),
    needles=("Avg generation throughput:", "EngineDeadError", "EngineCore", "PreemptionMode",
             "cache blocks. Try", "maximum context length is"),
    starts=_starts,
    scattered=True,
)  # fmt: skip
def vllm_log(passage: Passage) -> Take | None:
    """Reports of the last ten minutes, and what else it says of queue, cache and workers."""
    reports = [line for line in passage.lines if "Avg generation throughput:" in line]
    samples = [one for line in reports[-MAX_SAMPLES:] if (one := report_of(line)) is not None]
    others = [line for line in passage.lines if "Avg generation throughput:" not in line]
    said = sayings("vllm", others, PHRASES)
    if not samples and not said and not any(_HEAD.match(line.lstrip()) for line in passage.lines):
        return None
    return Take(software=[*samples, *said])


def report_of(line: str) -> EngineSample | None:
    """What one of its reports says; None for another line."""
    found = _REPORT.search(line[:1000])
    if found is None:
        return None
    hits = _HITS.search(line[:1000])
    stamp = stamp_of(line)
    return EngineSample(
        engine="vllm",
        member=found[1] or "",
        prompt_rate=float(found[2]),
        output_rate=float(found[3]),
        running=float(found[4]),
        swapped=float(found[5]) if found[5] else None,
        waiting=float(found[6]),
        kv_used=float(found[7]) / 100,
        prefix_hits=float(hits[1]) / 100 if hits else None,
        at=stamp.text if stamp else "",
        line=quoted(line),
    )


@reads_too("uvicorn")
def vllm_beside_uvicorn(passage: Passage) -> Take | None:
    """vLLM's own lines where uvicorn's stand around them."""
    return vllm_log(passage) if any(_told(line) for line in passage.lines) else None
