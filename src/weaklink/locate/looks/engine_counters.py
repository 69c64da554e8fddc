"""What an engine counts itself: its queue, KV cache, tokens, how answers end; now against before.

A gauge that is high is often normal (engines fill their KV cache on purpose), so each sign wants
work that waits, or its own past: readings older than users' pain, else the mean of the process's
life. Where neither is known, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.stats.per_unit import PerUnit, per_unit
from weaklink.stats.quantiles import median
from weaklink.stats.robust import log_ramp, ramp
from weaklink.words import sign

WAIT = sign(
    "engine.requests-wait",
    "app-metrics",
    "Requests wait in the engine's own queue.",
    "{waiting} requests wait in its own queue[, {running} are worked on]",
)
KV_FULL = sign(
    "engine.kv-full",
    "app-metrics",
    "The KV cache is full while requests wait for room in it.",
    "its KV cache is {percent} % full while {waiting} requests wait",
    hurts=True,
)
PREEMPTS = sign(
    "engine.preempts",
    "app-metrics",
    "The engine puts running requests back for lack of KV cache: their work is done again.",
    "{count} requests were put back for lack of KV cache within {seconds} s",
    hurts=True,
)
NO_TOKENS = sign(
    "engine.no-tokens",
    "app-metrics",
    "Requests run or wait in the engine and not one token comes out.",
    "{running} requests run and {waiting} wait, and not one token came out in {seconds} s",
    hurts=True,
)
TOKENS_SLOWER = sign(
    "engine.tokens-slower",
    "app-metrics",
    "The time between two tokens has grown.",
    "{now} ms from token to token, before {before} ms",
    hurts=True,
)
BATCH_GREW = sign(
    "engine.batch-grew",
    "app-metrics",
    "The engine works on far more requests at a time than before.",
    "it works on {now} requests at a time, before on {before}",
)
FIRST_SLOWER = sign(
    "engine.first-token-slower",
    "app-metrics",
    "The time to the first token has grown.",
    "{now} s to the first token, before {before} s",
    hurts=True,
)
PROMPTS_LONGER = sign(
    "engine.prompts-longer",
    "app-metrics",
    "Prompts are several times longer than before.",
    "{now} tokens a prompt, before {before}",
)
CUT = sign(
    "engine.answers-cut",
    "app-metrics",
    "More answers than before end at their token limit: they are cut off.",
    "{now} % of the answers end at their token limit, before {before} %",
    hurts=True,
)
EMPTY = sign(
    "engine.answers-empty",
    "app-metrics",
    "Answers have far fewer tokens than before, or none.",
    "{now} tokens an answer, before {before}",
    hurts=True,
)
FILLS = sign(
    "engine.waits-to-fill",
    "app-metrics",
    "Requests wait for a batch to fill up that stays small: more than they are computed.",
    "a request waits {queue} ms for its batch and is computed in {compute} ms; {size} share one",
    hurts=True,
)
APP_ERRORS = sign(
    "app.counts-more-errors",
    "app-metrics",
    "The application's own counters show more errors (5xx) than before.",
    "{now} % of its requests fail by its own count, before {before} %",
)
APP_SLOWER = sign(
    "app.counts-slower-requests",
    "app-metrics",
    "By the application's own counters its requests take longer than before.",
    "{now} s a request by its own count, before {before} s",
)
QUEUE = (0.5, 5.0)
KV = (0.88, 0.97)
"""Share used: engines admit no new sequence some per cent before the end."""
KV_HALF = 0.5
NEXT = (0.9, 1.5)
"""What a running request holds, as a multiple of what is left: few large ones never fill it."""
STILL = (2.0, 5.0)
"""Seconds without a token: a long prefill alone takes one or two."""
SLOWER = (1.4, 2.5)
"""Times as long from token to token: speech becomes reading aloud at twice, users notice."""
FIRST = (2.0, 6.0)
LONGER = (1.8, 4.0)
CUT_ROSE = (0.15, 0.4)
"""Of all answers, in addition to what was usual: some are always cut."""
EMPTIER = (0.4, 0.15)
GREW = (1.5, 3.0)
WAITS = (1.5, 4.0)
"""Queue time as a multiple of computing time while batches are small."""
LEAST_QUEUE = 0.02
"""Seconds in the queue that nobody feels."""
SMALL = 2.0
"""Requests in a batch: with more the waiting pays."""
LEAST, LEAST_PAST = 8.0, 30.0
"""Requests now and before under which a mean says little."""
LEAST_TOKENS = 50.0


class Counters:
    """One link's counters; `since` is where now begins."""

    def __init__(self, view: View, link: Link) -> None:
        self.view = view
        self.link = link
        self.target = link.processes[0]
        self.since = view.onset if view.onset is not None else view.case.window[0]

    def per_unit(self, top: str, units: str) -> PerUnit | None:
        """One counter per another, now and before."""
        a, b = self.view.series(top, self.target), self.view.series(units, self.target)
        if a is None or b is None:
            return None
        return per_unit((a.times, a.values), (b.times, b.values), self.since)

    def gauge(self, name: str) -> tuple[float, float | None] | None:
        """(mean within the window, median before the onset or None)."""
        row = self.view.series(name, self.target)
        if row is None or not row.values:
            return None
        begin = self.view.case.window[0] - 15.0
        now = [v for at, v in zip(row.times, row.values, strict=True) if at >= begin]
        past = [v for at, v in zip(row.times, row.values, strict=True) if at < self.since]
        if not now:
            return None
        return sum(now) / len(now), median(past) if len(past) >= 3 else None

    def least(self, name: str) -> float | None:
        """The smallest value of a gauge within the window."""
        row = self.view.series(name, self.target)
        if row is None:
            return None
        begin = self.view.case.window[0] - 1.0
        now = [v for at, v in zip(row.times, row.values, strict=True) if at >= begin]
        return min(now) if now else None

    def grown(self, name: str) -> tuple[float, float] | None:
        """(increase, seconds) within the window."""
        row = self.view.series(name, self.target)
        if row is None:
            return None
        begin = self.view.case.window[0] - 1.0
        rows = [(at, v) for at, v in zip(row.times, row.values, strict=True) if at >= begin]
        if len(rows) < 2:
            return None
        return max(0.0, rows[-1][1] - rows[0][1]), rows[-1][0] - rows[0][0]


@look("inference")
def engine_counters(view: View) -> Iterable[Judged]:
    """Every link on the chain that publishes counters."""
    for link in view.on_chain():
        if link.processes:
            of = Counters(view, link)
            yield from _queue(of)
            yield from _tokens(of)
            yield from _ends(of)
            yield from _batches(of)
            yield from _web(of)


def _queue(of: Counters) -> Iterator[Judged]:
    waiting, running = of.gauge("engine_requests_waiting"), of.gauge("engine_requests_running")
    kv = of.gauge("engine_kv_used_ratio")
    if waiting is not None:
        yield _say(
            of, WAIT, ramp(waiting[0], *QUEUE), value=waiting[0], baseline=waiting[1],
            waiting=round(waiting[0], 1),
            **({} if running is None else {"running": round(running[0], 1)}),
        )  # fmt: skip
        if kv is not None:
            full = _full(kv[0], running[0] if running else 0.0) if waiting[0] >= 1.0 else 0.0
            yield _say(
                of, KV_FULL, full, value=kv[0], baseline=kv[1],
                percent=round(100 * kv[0]), waiting=round(waiting[0], 1),
            )  # fmt: skip
    preempted = of.grown("engine_preemptions_total")
    if preempted is not None:
        yield _say(
            of, PREEMPTS, ramp(preempted[0], 0.0, 4.0), value=preempted[0],
            count=round(preempted[0]), seconds=round(preempted[1]),
        )  # fmt: skip
    if running is not None and running[1]:
        yield _say(
            of, BATCH_GREW, log_ramp(running[0] / running[1], *GREW), value=running[0],
            baseline=running[1], now=round(running[0], 1), before=round(running[1], 1),
        )  # fmt: skip


def _full(used: float, running: float) -> float:
    """How clearly the next request does not fit: by the share used, or by what each one holds."""
    each = used / running if running >= 1 else 0.0
    tight = ramp(each / max(1 - used, 0.01), *NEXT) if used >= KV_HALF else 0.0
    return max(ramp(used, *KV), tight)


def _tokens(of: Counters) -> Iterator[Judged]:
    out = of.grown("engine_output_tokens_total")
    running, waiting = of.least("engine_requests_running"), of.least("engine_requests_waiting")
    work = (running or 0.0) + (waiting or 0.0)
    # Idle, or refusing everything at once: without work inside it, silence says nothing.
    if out is not None and (out[0] > 0 or work >= 1):
        still = ramp(out[1], *STILL) if out[0] <= 0 and work >= 1 else 0.0
        # One request that runs alone may be a long prompt that is still read.
        sure = 1.0 if work >= 2 else 0.5
        yield _say(
            of, NO_TOKENS, still * sure, value=out[0], running=round(running or 0.0),
            waiting=round(waiting or 0.0), seconds=round(out[1], 1),
        )  # fmt: skip
    gap = of.per_unit("engine_token_gap_seconds_total", "engine_token_gaps_total")
    if gap is not None and gap.before and gap.units >= LEAST_TOKENS:
        yield _say(
            of, TOKENS_SLOWER, log_ramp(gap.now / gap.before, *SLOWER), value=gap.now,
            baseline=gap.before, now=round(1000 * gap.now, 1), before=round(1000 * gap.before, 1),
        )  # fmt: skip
    first = of.per_unit("engine_first_token_seconds_total", "engine_first_tokens_total")
    if first is not None and first.before and first.units_before >= LEAST_PAST:
        grown = log_ramp(first.now / first.before, *FIRST) if first.now >= 0.3 else 0.0
        yield _say(
            of, FIRST_SLOWER, grown * ramp(first.units, 1.0, LEAST), value=first.now,
            baseline=first.before, now=round(first.now, 2), before=round(first.before, 2),
        )  # fmt: skip
    asked = _units(of)
    prompt = of.per_unit("engine_prompt_tokens_total", asked)
    if prompt is not None and prompt.before and prompt.units_before >= LEAST_PAST:
        yield _say(
            of, PROMPTS_LONGER,
            log_ramp(prompt.now / prompt.before, *LONGER) * ramp(prompt.units, 1.0, LEAST),
            value=prompt.now, baseline=prompt.before,
            now=round(prompt.now), before=round(prompt.before),
        )  # fmt: skip


def _units(of: Counters) -> str:
    """What prompts are counted by: requests that got a first token, else those that ended."""
    names = ("engine_first_tokens_total", "engine_requests_done_total")
    return next((name for name in names if of.view.series(name, of.target)), names[-1])


def _ends(of: Counters) -> Iterator[Judged]:
    done = "engine_requests_done_total"
    cut = of.per_unit("engine_ended_length_total", done)
    if cut is not None and cut.before is not None and _enough(cut):
        yield _say(
            of, CUT, ramp(cut.now - cut.before, *CUT_ROSE), value=cut.now, baseline=cut.before,
            now=round(100 * cut.now), before=round(100 * cut.before),
        )  # fmt: skip
    tokens = of.per_unit("engine_output_tokens_total", done)
    if tokens is not None and tokens.before and _enough(tokens):
        yield _say(
            of, EMPTY, ramp(tokens.now / tokens.before, *EMPTIER), value=tokens.now,
            baseline=tokens.before, now=round(tokens.now, 1), before=round(tokens.before, 1),
        )  # fmt: skip


def _enough(found: PerUnit) -> bool:
    return found.units >= LEAST and found.units_before >= LEAST_PAST


def _batches(of: Counters) -> Iterator[Judged]:
    size = of.per_unit("engine_batched_total", "engine_batches_total")
    queue = of.per_unit("engine_queue_seconds_total", "engine_queued_total")
    compute = of.per_unit("engine_compute_seconds_total", "engine_requests_done_total")
    if size is None or queue is None or compute is None or queue.units < LEAST:
        return
    waiting = of.gauge("engine_requests_waiting")
    crowd = waiting is not None and waiting[0] > 2 * SMALL
    small = size.now <= SMALL and not crowd and queue.now >= LEAST_QUEUE
    yield _say(
        of, FILLS, log_ramp(queue.now / max(compute.now, 1e-4), *WAITS) if small else 0.0,
        value=queue.now, baseline=queue.before, queue=round(1000 * queue.now),
        compute=round(1000 * compute.now, 1), size=round(size.now, 1),
    )  # fmt: skip


def _web(of: Counters) -> Iterator[Judged]:
    bad = of.per_unit("app_request_errors_total", "app_requests_total")
    if bad is not None and bad.before is not None and _enough(bad):
        yield _say(
            of, APP_ERRORS, ramp(bad.now - bad.before, 0.01, 0.1), value=bad.now,
            baseline=bad.before, now=round(100 * bad.now, 1), before=round(100 * bad.before, 1),
        )  # fmt: skip
    took = of.per_unit("app_request_seconds_total", "app_requests_timed_total")
    if took is not None and took.before and _enough(took):
        slower = log_ramp(took.now / took.before, 2.0, 5.0) if took.now >= 0.1 else 0.0
        yield _say(
            of, APP_SLOWER, slower, value=took.now, baseline=took.before, now=round(took.now, 2),
            before=round(took.before, 3),
        )  # fmt: skip


def _say(
    of: Counters,
    id_: str,
    strength: float,
    *,
    value: float,
    baseline: float | None = None,
    **args: float,
) -> Judged:
    address = next((one for one in of.link.listen if not one.startswith("unix:")), "ADDRESS")
    return evidence(
        id_,
        of.target,
        strength,
        link=of.link.key,
        value=round(value, 4),
        baseline=None if baseline is None else round(baseline, 4),
        command=f"curl -s http://{address}/metrics",
        **args,  # type: ignore[arg-type]
    )
