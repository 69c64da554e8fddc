"""What an inference engine says of its queue, its KV cache and its speed, from log or metrics.

A live HTTP port proves nothing: requests that wait while none runs and no token comes out are a
dead engine. A long queue needs a reason, and the KV cache is only one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, known
from weaklink.locate.view import View
from weaklink.model.fact_text_engine import EngineSample
from weaklink.model.finding import Finding, Verdict
from weaklink.words import texts

texts(
    {
        "finding.engine.dead": "{waiting} requests wait, none runs[ and {rate} tokens/s come out]"
        "[, KV cache {kv} used]: the engine is dead or hung, even where HTTP still answers",
        "finding.engine.stuck": "{running} requests run but not one token came out in {count} "
        "reports one after another: the engine does not make progress",
        "finding.engine.kv-full": "{waiting} requests wait behind {running} running and the KV "
        "cache is {kv} full: its size is the limit (long contexts, long outputs or too many)",
        "finding.engine.head-of-line": "{running} running {requests} the KV cache to {kv}"
        "[ at {rate} tokens/s] while {waiting} wait behind: head-of-line blocking by KV cache; the "
        "engine is alive",
        "finding.engine.queue": "{waiting} requests wait behind {running} running while the KV "
        "cache is only {kv} used: more load than it can compute or schedule, not a matter of KV "
        "memory",
        "finding.engine.queue-unsaid": "{waiting} requests wait behind {running} running",
        "finding.engine.some-wait": "{waiting} of {all} requests wait[; KV cache {kv} used]",
        "finding.engine.kv-high": "the KV cache is {kv} full, though none waits yet",
        "finding.engine.prefill": "long prompts ({prompt} tokens/s) leave only {rate} tokens/s for "
        "{running} running requests: prefill blocks decoding",
        "finding.engine.slow": "only {rate} tokens/s for {running} running requests",
        "finding.engine.busy": "{running} running, {waiting} waiting[, KV cache {kv} used][, "
        "{rate} tokens/s]",
        "finding.engine.idle": "nothing runs and nothing waits: idle",
    }
)
KV_FULL, KV_HIGH, KV_HALF = 0.90, 0.95, 0.5
"""Share used; engines admit no new sequence some per cent before the end."""
CROWD = 5
"""Waiting requests from which a queue is more than the next batch."""
FEW_RUN = 2
SLOW = 5.0
"""Tokens a second for each request: slower than people read (about 4 words a second)."""
STEADY = 2
"""Reports that must agree before standing still is believed."""
PREFILL = 1000.0
STARVED = 2.0


@look("inference")
def engine_samples(view: View) -> Iterable[Judged]:
    """One finding an engine and member, from its newest reports."""
    rows: dict[tuple[str, str], list[EngineSample]] = {}
    for fact in view.case.software:
        if isinstance(fact, EngineSample):
            rows.setdefault((fact.engine, fact.member), []).append(fact)
    said = Said(view, "inference", "engine")
    for (engine, member), samples in rows.items():
        yield from _judge(said, f"{engine} {member}".strip(), samples)


def _judge(said: Said, name: str, samples: list[EngineSample]) -> Iterator[Finding]:
    last = _filled(samples)
    running, waiting = last.running, last.waiting
    lines = _lines(last)
    if running is None and waiting is None and last.kv_used is None:
        return
    if not running and waiting and not last.output_rate:
        yield said.finding(
            "critical",
            "finding.engine.dead",
            name,
            *lines,
            cause="engine-dead",
            sure=0.65 if last.measured else 0.85,
            next="py-spy dump of the engine's processes; do its token counters move? restart it",
            waiting=figure(waiting),
            more=_shown(last),
        )
        return
    still = _standing_still(samples)
    if still:
        yield said.finding(
            "critical",
            "finding.engine.stuck",
            name,
            samples[-still].line,
            samples[-1].line,
            cause="engine-dead",
            sure=0.75,
            next="py-spy dump of the engine's processes; nvidia-smi: SM and power",
            running=figure(running),
            count=still,
        )
        return
    if waiting:
        yield _queue(said, name, last, running or 0.0, waiting)
        return
    yield from _flowing(said, name, samples, last)


def _filled(samples: list[EngineSample]) -> EngineSample:
    """The last report, with what it does not print (prefill has no rate) from the one before."""
    last = samples[-1]
    if last.output_rate is None and not last.measured:
        full = [one for one in samples[-20:] if one.output_rate is not None]
        if full and not last.waiting:
            return full[-1]
    return last


def _lines(sample: EngineSample) -> list[str]:
    if sample.line:
        return [sample.line]
    names = ("waiting", "kv_used", "running")
    return [sample.lines[name] for name in names if name in sample.lines]


def _shown(sample: EngineSample) -> dict[str, str | int | float]:
    return known(
        rate=figure(sample.output_rate) if sample.output_rate is not None else "",
        kv=_kv(sample),
    )


def _kv(sample: EngineSample) -> str:
    return "" if sample.kv_used is None else f"{figure(100 * sample.kv_used)}%"


def _standing_still(samples: list[EngineSample]) -> int:
    """How many reports at the end show running requests and no token at all; 0 for too few."""
    count = 0
    for one in reversed(samples):
        if not one.running or one.output_rate or one.prompt_rate or one.output_rate is None:
            break
        if one.prompt_rate is None:
            break
        count += 1
    return count if count >= STEADY else 0


def _queue(
    said: Said, name: str, last: EngineSample, running: float, waiting: float
) -> Finding:  # fmt: skip
    kv = last.kv_used
    verdict: Verdict = "critical"
    cause, after = "kv-cache-exhausted", "cap max_tokens and context; more members"
    crowd = waiting >= max(CROWD, running / 2)
    if kv is not None and kv >= KV_FULL and waiting >= 1:
        key = "kv-full"
    elif kv is not None and kv >= KV_HALF and running <= FEW_RUN and waiting >= CROWD:
        key = "head-of-line"
        after = "which request is so long; cap its tokens; another member for long ones"
    elif crowd and kv is not None:
        key, cause = "queue", "gpu-compute-saturated"
        after = "shed load or add members; is the scheduler's process at 100 % of a CPU"
    elif crowd:
        key, cause, after = "queue-unsaid", "", "KV cache usage and tokens/s of the same moment"
    else:
        key, verdict, cause, after = "some-wait", "warn", "", "look again: does it grow"
        if waiting < CROWD and waiting < running / 4:
            verdict = "healthy"
    return said.finding(
        verdict,
        f"finding.engine.{key}",
        name,
        *_lines(last),
        cause=cause,
        sure=0.8 if key != "queue" else 0.6,
        next=after,
        waiting=figure(waiting),
        running=figure(running),
        requests="request fills" if running == 1 else "requests fill",
        all=figure(running + waiting),
        more=_shown(last) if kv is not None else known(rate=figure(last.output_rate)),
    )


def _flowing(
    said: Said, name: str, samples: list[EngineSample], last: EngineSample
) -> Iterator[Finding]:
    running = last.running or 0.0
    recent = [one for one in samples[-6:] if one.output_rate is not None and one.running]
    each = [(one.output_rate or 0.0) / (one.running or 1.0) for one in recent]
    slow = len(recent) >= STEADY and running and max(each) < SLOW
    key, verdict, cause, after = "busy", "healthy", "", ""
    if slow and (last.prompt_rate or 0.0) >= PREFILL and max(each) < STARVED and running > 1:
        key, cause, after = "prefill", "long-prefill-blocking", "chunked prefill; limit of prompts"
    elif slow:
        key, cause, after = "slow", "tokens-slow", "nvidia-smi: clocks, power, who shares the GPU"
    elif last.kv_used is not None and last.kv_used >= KV_HIGH:
        key, cause, after = "kv-high", "kv-cache-exhausted", "cap max_tokens; preemptions so far"
    elif not running and last.waiting is not None and last.running is not None:
        key = "idle"
    if key in {"prefill", "slow", "kv-high"}:
        verdict = "warn"
    yield said.finding(
        "warn" if verdict == "warn" else "healthy",
        f"finding.engine.{key}",
        name,
        *_lines(last),
        cause=cause or "engine-dead",
        sure=0.7,
        next=after,
        running=figure(running),
        waiting=figure(last.waiting or 0.0),
        prompt=figure(last.prompt_rate),
        more=_shown(last),
    )
