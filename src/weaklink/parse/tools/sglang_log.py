"""SGLang's log: its batches, retractions, watchdog, and what its memory pool holds."""

from __future__ import annotations

import re

from weaklink.model.fact_text_engine import EngineSample
from weaklink.model.take import Take
from weaklink.parse.quote import quoted
from weaklink.parse.sayings import Phrase, sayings, stamp_of
from weaklink.parse.text_tool import Passage, tool

MAX_SAMPLES = 120
_BATCH = re.compile(r"(Decode|Prefill) batch[.,:]")
_RUNNING = re.compile(r"#running-req: (\d{1,9})")
_QUEUE = re.compile(r"#queue-req: (\d{1,9})")
_USAGE = re.compile(r"(?<!swa )token usage: (\d\.\d{1,4})")
_RATE = re.compile(r"gen throughput \(token/s\): (\d{1,9}(?:\.\d{1,3})?)")
_MEMBER = re.compile(
    r"\[(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?((?:DP\d{1,3} )?(?:PP\d{1,3} )?TP\d{1,3})"
)
_POOL = (
    r"total=(?P<total>\d{1,15}), {0,4}available=(?P<available>\d{1,15}), "
    r"{0,4}evictable=(?P<evictable>\d{1,15})"
)

PHRASES = (
    Phrase("retract", "Retract requests", re.compile(r"#retracted_reqs: (?P<retracted>\d{1,9})")),
    Phrase("retract", "Decode out of memory happened",
           re.compile(r"#retracted_reqs: (?P<retracted>\d{1,9})")),
    Phrase("prefill-out-of-memory", "Prefill out of memory"),
    Phrase("decode-out-of-memory", "Decode out of memory"),
    Phrase("watchdog", "atchdog timeout", re.compile(r"timeout=(?P<seconds>\d{1,7})")),
    Phrase("pool", "evictable=", re.compile(_POOL)),
    Phrase("pool-leak", "memory leak detected"),
    Phrase("not-enough-memory", "increase --mem-fraction-static"),
    Phrase("not-enough-memory", "Not enough memory. Please try"),
    Phrase("child-died", "Received sigquit from a child"),
    Phrase("child-died", "Scheduler hit an exception"),
    Phrase("health-failed", "Health check failed"),
    Phrase("prompt-too-long", "is longer than the model's context length", re.compile(
        r"\((?P<asked>\d{1,9}) tokens\).{0,80}?context length \((?P<limit>\d{1,9})")),
    Phrase("ready", "The server is fired up and ready"),
)  # fmt: skip


def _starts(line: str) -> bool:
    bare = line[:600]
    return (
        _BATCH.search(bare) is not None
        or ("#running-req: " in bare and "token usage: " in bare)
        or "#retracted_reqs" in bare
        or "Scheduler watchdog timeout" in bare
        or "watchdog_timeout" in bare
        or ("evictable=" in bare and "available=" in bare)
        or "mem-fraction-static" in bare
        or "fill out of memory" in bare
        or "sigquit from a child" in bare
        or "The server is fired up" in bare
        or "token_to_kv_pool" in bare
        or (bare.lstrip().startswith("[") and _MEMBER.match(bare.lstrip()) is not None)
    )


@tool(
    "sglang",
    heads=("[",),
    needles=("#running-req", "#retracted_reqs", "watchdog", "evictable=", "mem-fraction",
             "fill out of memory", "sigquit", "The server is fired", "token_to_kv_pool"),
    starts=_starts,
    scattered=True,
)  # fmt: skip
def sglang_log(passage: Passage) -> Take | None:
    """The newest batches, and what else it says."""
    batches = [line for line in passage.lines if "#running-req" in line]
    samples = [sample for line in batches[-MAX_SAMPLES:] if (sample := report_of(line))]
    others = [line for line in passage.lines if "#running-req" not in line]
    said = sayings("sglang", others, PHRASES)
    return Take(software=[*samples, *said]) if samples or said else None


def report_of(line: str) -> EngineSample | None:
    """What one line on a batch says; None for another line."""
    head = line[:1000]
    running, usage = _RUNNING.search(head), _USAGE.search(head)
    if running is None or usage is None:
        return None
    queue, rate, member = _QUEUE.search(head), _RATE.search(head), _MEMBER.search(head)
    batch = _BATCH.search(head)
    stamp = stamp_of(line)
    return EngineSample(
        engine="sglang",
        member=member[1] if member else "",
        running=float(running[1]),
        waiting=float(queue[1]) if queue else None,
        kv_used=float(usage[1]),
        output_rate=float(rate[1]) if rate else None,
        at="prefill" if batch and batch[1] == "Prefill" else stamp.text if stamp else "",
        line=quoted(line),
    )
