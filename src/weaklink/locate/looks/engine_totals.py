"""Counters of an inference server: waiting before the first token, queue against computing, ends.

They run since its start: they say what was usual, not what is now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, lasting, percent
from weaklink.locate.view import View
from weaklink.model.fact_text_engine import EngineTotals
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.totals.first-token": "{share} of {count} requests waited more than {bound} for "
        "their first token (mean {mean}, since its start)",
        "finding.totals.queue": "a request waits {queue} in the queue for {compute} of computing: "
        "more requests at a time than it has instances; it is not the model that is slow",
        "finding.totals.compute-plain": "a request takes {total}, {share} of it to compute and "
        "only {queue} in the queue: the time is the model's own",
        "finding.totals.compute-single": "a request takes {total}, {share} of it to compute and "
        "only {queue} in the queue: the time is the model's own; each is run alone, none batched",
        "finding.totals.preemptions": "{count} preemptions for {all} requests since its start: "
        "the KV cache is small for what runs",
        "finding.totals.failed": "{bad} of {all} requests failed since its start ({share})",
        "finding.totals.length": "{share} of {all} answers ended at their token limit (length), "
        "that is cut off",
        "finding.totals.aborted": "{share} of {all} requests were aborted: clients gave up",
        "finding.totals.files": "{open} of {max} file descriptors are open",
    }
)
SLOW_FIRST, MANY, MOST = 10.0, 0.1, 0.3
"""Seconds until the first token that nobody waits for; share of requests for warn and critical."""
QUEUE_BAD, QUEUE_WARN, QUEUE_LEAST = 2.0, 0.5, 0.05
"""Queue time as a multiple of computing time, and the seconds below which it is no matter."""
PREEMPTED, FAILED, FAILED_BAD = 0.05, 0.01, 0.05
LENGTH, ABORTED, LEAST = 0.5, 0.2, 50
FILES = 0.9


@look("inference")
def engine_totals(view: View) -> Iterable[Judged]:
    """One finding a question that the counters answer."""
    said = Said(view, "inference", "engine")
    for fact in view.case.software:
        if isinstance(fact, EngineTotals):
            name = f"{fact.engine} {fact.member}".strip()
            yield from _first_token(said, name, fact)
            yield from _queue(said, name, fact)
            yield from _ends(said, name, fact)


def _first_token(said: Said, name: str, fact: EngineTotals) -> Iterator[Finding]:
    count = fact.first_token_count
    if not count or count < LEAST or fact.first_token_seconds is None:
        return
    below = [row for row in fact.first_token_buckets if SLOW_FIRST <= row[0] < float("inf")]
    # The highest bound that still a good part exceeds tells most.
    telling = [row for row in below if 1 - row[1] / count >= MOST] or below[:1]
    if not telling:
        return
    bound, within = telling[-1]
    share = 1 - within / count
    if share >= MANY:
        yield said.finding(
            "critical" if share >= MOST else "warn",
            "finding.totals.first-token",
            name,
            fact.lines.get("first_token_seconds", ""),
            fact.lines.get("first_token_count", ""),
            sure=0.7,
            next="its queue and KV cache now; two scrapes a minute apart for the present",
            share=percent(share, 0),
            count=figure(count),
            bound=lasting(bound),
            mean=lasting(fact.first_token_seconds / count),
        )


def _queue(said: Said, name: str, fact: EngineTotals) -> Iterator[Finding]:
    queue, compute = fact.queue_seconds, fact.compute_seconds
    count = fact.total_count or fact.requests
    if queue is None or compute is None or not count or compute + queue <= 0:
        return
    each = queue / count
    times = queue / compute if compute else float("inf")
    if each >= QUEUE_LEAST and times >= QUEUE_WARN:
        yield said.finding(
            "critical" if times >= QUEUE_BAD else "warn",
            "finding.totals.queue",
            name,
            fact.lines.get("queue_seconds", ""),
            fact.lines.get("compute_seconds", ""),
            cause="gpu-compute-saturated",
            sure=0.6,
            next="instance_group and dynamic batching, or fewer clients at a time",
            queue=lasting(each),
            compute=lasting(compute / count),
        )
        return
    total = (fact.total_seconds or compute + queue) / count
    single = fact.executions is not None and fact.executions >= 0.95 * count
    yield said.finding(
        "healthy",
        "finding.totals.compute-single" if single else "finding.totals.compute-plain",
        name,
        fact.lines.get("compute_seconds", ""),
        fact.lines.get("queue_seconds", ""),
        cause="batch-waits-to-fill",
        sure=0.7,
        total=lasting(total),
        share=percent(compute / (compute + queue), 2),
        queue=lasting(each),
    )


def _ends(said: Said, name: str, fact: EngineTotals) -> Iterator[Finding]:
    done = sum(fact.reasons.values()) or fact.requests or fact.total_count or 0.0
    if fact.preemptions and done and fact.preemptions >= PREEMPTED * done:
        yield said.finding(
            "warn", "finding.totals.preemptions", name, fact.lines.get("preemptions", ""),
            cause="kv-cache-exhausted", sure=0.7,
            next="gpu_memory_utilization, max_num_seqs, max_model_len",
            count=figure(fact.preemptions), all=figure(done),
        )  # fmt: skip
    if fact.failed and done and fact.failed >= FAILED * (done + fact.failed):
        share = fact.failed / (done + fact.failed)
        yield said.finding(
            "critical" if share >= FAILED_BAD else "warn", "finding.totals.failed", name,
            fact.lines.get("failed", ""), sure=0.7, next="its log: with which error",
            bad=figure(fact.failed), all=figure(done + fact.failed), share=percent(share),
        )  # fmt: skip
    for reason, least, key, cause in (
        ("length", LENGTH, "length", "output-truncated"),
        ("abort", ABORTED, "aborted", "abandoned-work"),
    ):
        count = fact.reasons.get(reason, 0.0)
        if done >= LEAST and count >= least * done:
            yield said.finding(
                "warn", f"finding.totals.{key}", name, fact.lines.get(f"reason {reason}", ""),
                cause=cause, sure=0.5, next="max_tokens and the clients' timeouts",
                share=percent(count / done, 0), all=figure(done),
            )  # fmt: skip
    if fact.open_files and fact.max_files and fact.open_files >= FILES * fact.max_files:
        yield said.finding(
            "critical", "finding.totals.files", name, fact.lines.get("open_files", ""),
            cause="fd-exhausted", sure=0.8, next="ls -l /proc/PID/fd: what is open",
            open=figure(fact.open_files), max=figure(fact.max_files),
        )  # fmt: skip
