"""What the chain's own processes wrote in their logs since users hurt, held against before.

A statement that stood there just as often before is no news. Text alone decides nothing: every
sign here is of one kind, and a cause needs two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.members import NOT_LISTENING
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact_app_log import AppLog, AppSaying
from weaklink.model.target import target_key
from weaklink.stats.robust import log_ramp, ramp
from weaklink.words import sign

ERRORS_ROSE = sign(
    "log.errors-rose",
    "other-logs",
    "Its own log tells far more errors than before.",
    "its log has {count} error lines since then[, before {before} a minute]",
)
EXCEPTION = sign(
    "log.exception",
    "other-logs",
    "Its own log shows an exception that it did not show before.",
    "its log: {type}, {count} times[, in {where}]",
)
CALLEE_REFUSED = sign(
    "log.callee-refused",
    "other-logs",
    "The log of a caller says that this address refuses connections or cannot be reached.",
    "log of {caller}: {address} refused or unreachable, {count} times",
    hurts=True,
)
CALLEE_TIMES_OUT = sign(
    "log.callee-times-out",
    "other-logs",
    "The log of a caller says that calls to this address time out.",
    "log of {caller}: calls to {address} timed out, {count} times",
)
OWN = {
    # code or codes -> sign; each is about the link that wrote the line.
    ("timed-out",): sign(
        "log.calls-time-out",
        "other-logs",
        "Its own log says that calls of it time out.",
        "its log: a call timed out, {count} times",
    ),
    ("refused", "unreachable", "reset"): sign(
        "log.calls-fail",
        "other-logs",
        "Its own log says that connections of it are refused, reset or lead nowhere.",
        "its log: connections fail, {count} times",
    ),
    ("unresolved",): sign(
        "log.names-unresolved",
        "other-logs",
        "Its own log says that a host's name cannot be resolved.",
        "its log: a name was not resolved, {count} times[: {about}]",
    ),
    ("tls-failed",): sign(
        "log.tls-failed",
        "other-logs",
        "Its own log says that a TLS connection was not made.",
        "its log: TLS failed, {count} times[: {about}]",
    ),
    ("rate-limited", "quota-spent"): sign(
        "log.rate-limited",
        "other-logs",
        "Its own log says that somebody whom it calls limits it or its quota is spent.",
        "its log: too many requests or no quota left, {count} times[: {about}]",
    ),
    ("unauthorized",): sign(
        "log.unauthorized",
        "other-logs",
        "Its own log says that it is not let in: wrong or expired key, token, password.",
        "its log: not authorized, {count} times[: {about}]",
    ),
    ("pool-exhausted",): sign(
        "log.pool-exhausted",
        "other-logs",
        "Its own log says that its pool of connections has none left, or the other side's limit "
        "is reached.",
        "its log: no connection left in a pool, {count} times[: {about}]",
    ),
    ("gpu-out-of-memory",): sign(
        "log.gpu-out-of-memory",
        "other-logs",
        "Its own log says that GPU memory ran out.",
        "its log: GPU out of memory, {count} times",
    ),
    ("gpu-fault",): sign(
        "log.gpu-fault",
        "other-logs",
        "Its own log tells errors of CUDA or NCCL.",
        "its log: CUDA or NCCL errors, {count} times",
    ),
    ("disk-full",): sign(
        "log.disk-full",
        "other-logs",
        "Its own log says that no space is left.",
        "its log: no space left on device, {count} times",
    ),
    ("out-of-files",): sign(
        "log.out-of-files",
        "other-logs",
        "Its own log says that it may not open any more files.",
        "its log: too many open files, {count} times",
    ),
    ("out-of-memory",): sign(
        "log.out-of-memory",
        "other-logs",
        "Its own log says that memory could not be had.",
        "its log: out of memory, {count} times",
    ),
    (
        "context-overflow", "vllm.prompt-too-long", "sglang.prompt-too-long",
        "tgi.prompt-too-long", "ollama.truncated", "ollama.context-shift",
    ): sign(
        "log.context-overflow",
        "other-logs",
        "Its own log says that prompts are longer than the model's context.",
        "its log: prompts too long for the model, {count} times",
    ),
    ("truncated",): sign(
        "log.answers-cut",
        "other-logs",
        "Its own log tells of answers that ended at their token limit.",
        "its log: answers cut at their token limit, {count} times",
    ),
    (
        "vllm.engine-dead", "vllm.worker-silent", "vllm.rpc-timeout", "sglang.watchdog",
        "sglang.child-died", "sglang.health-failed", "sglang.prefill-out-of-memory",
        "ollama.runner-died", "triton.stub-dead", "tgi.shard-died", "ray-serve.actor-died",
    ): sign(
        "log.engine-dead",
        "other-logs",
        "An engine's own log says that it died or that its worker does not answer.",
        "its log: the engine is dead or hangs, {count} times",
        hurts=True,
    ),
    ("vllm.preempted", "sglang.retract", "sglang.decode-out-of-memory"): sign(
        "log.engine-preempts",
        "other-logs",
        "An engine's own log says that it puts requests back for lack of KV cache.",
        "its log: requests put back for lack of KV cache, {count} times",
    ),
    (
        "refused-by-queue", "triton.queue-full", "triton.timeout", "ollama.busy",
        "tgi.overloaded", "ray-serve.backpressure", "ray-serve.not-scheduled", "uvicorn.limit",
    ): sign(
        "log.queue-full",
        "other-logs",
        "Its own log says that its queue is full and requests are refused.",
        "its log: its queue is full, {count} times",
    ),
    (
        "workers-die", "gunicorn.worker-timeout", "gunicorn.killed", "gunicorn.terminated",
        "gunicorn.died",
        "gunicorn.exited", "uvicorn.child-died", "ray-serve.worker-died",
    ): sign(
        "log.workers-die",
        "other-logs",
        "Its own log says that worker processes died or were killed for silence.",
        "its log: workers died or were killed, {count} times",
    ),
}  # fmt: skip
BEFORE = 5.0
"""Seconds before the onset from which on a line still belongs to it."""
NO_ONSET = 60.0
"""Without an onset, what the last minute before the window and the window say is now."""
ENOUGH = (0.0, 3.0)
"""Lines: one may be chance, three are none."""
GROWTH = (1.5, 4.0)
"""Times as often as before: under it, it was always so."""
LEAST_PAST = 30.0
"""Seconds of past below which nothing can be said of before."""
CAP = 200
"""Times that a statement keeps (parse/app_log.py); a full list says nothing of what is older."""
BURST = (2.0, 12.0)
"""Error lines since then: between a stray one and a stream."""


class Heard(NamedTuple):
    """How often something was said since users hurt, how strong that is, and an example."""

    times: int
    strength: float
    before: float | None
    """Times a minute before; None where the past is not known."""
    saying: AppSaying


class Ear(NamedTuple):
    """What one link's logs say, from `since` on."""

    link: Link
    since: float
    logs: list[AppLog]
    sayings: list[AppSaying]

    def heard(self, sayings: Sequence[AppSaying]) -> Heard | None:
        """All of these together; None where there are none."""
        if not sayings:
            return None
        since = [at for one in sayings for at in one.times if at >= self.since]
        past = [at for one in sayings for at in one.times if at < self.since]
        to = max((log.covered_to for log in self.logs), default=self.since)
        begin = min((log.covered_from for log in self.logs), default=self.since)
        if any(len(one.times) >= CAP for one in sayings):
            begin = max(begin, min([*past, *since], default=begin))
        newest = max(sayings, key=lambda one: (one.times[-1] if one.times else 0.0, one.count))
        strength, before = against(len(since), to - self.since, len(past), self.since - begin)
        return Heard(len(since), ramp(len(since), *ENOUGH) * strength, before, newest)


def against(
    now: int, seconds_now: float, past: int, seconds_past: float
) -> tuple[float, float | None]:
    """(how clearly it is more often than before, times a minute before)."""
    if seconds_past < LEAST_PAST:
        return 1.0, None
    before = past / seconds_past
    if not past:
        return 1.0, 0.0
    rate = now / max(seconds_now, 1.0)
    return log_ramp(rate / before, *GROWTH), round(60 * before, 1)


def ears(view: View) -> Iterator[Ear]:
    """Every link on the chain whose logs were read."""
    owners = {key: link for link in view.on_chain() for key in link.processes}
    logs: dict[str, list[AppLog]] = defaultdict(list)
    sayings: dict[str, list[AppSaying]] = defaultdict(list)
    for fact in view.case.software:
        if isinstance(fact, AppLog) and fact.owner in owners:
            logs[owners[fact.owner].key].append(fact)
        elif isinstance(fact, AppSaying) and fact.owner in owners:
            sayings[owners[fact.owner].key].append(fact)
    start = view.onset - BEFORE if view.onset is not None else view.case.window[0] - NO_ONSET
    for link in view.on_chain():
        if logs[link.key]:
            yield Ear(link, start, logs[link.key], sayings[link.key])


@look("app")
def own_words(view: View) -> Iterable[Judged]:
    """What each link's log says about itself and about its calls."""
    for ear in ears(view):
        target = ear.link.processes[0]
        command = f"tail -n 200 {ear.logs[0].path}"
        yield _errors(ear, target, command)
        yield _exception(ear, target, command)
        for codes, id_ in OWN.items():
            heard = ear.heard([one for one in ear.sayings if one.code in codes])
            about = heard.saying.about if heard else ""
            yield evidence(
                id_,
                target,
                heard.strength if heard else 0.0,
                link=ear.link.key,
                value=float(heard.times) if heard else 0.0,
                command=command,
                count=heard.times if heard else 0,
                **({"about": about} if about else {}),  # type: ignore[arg-type]
            )


def _errors(ear: Ear, target: str, command: str) -> Judged:
    now = sum(bad for log in ear.logs for at, _, bad in log.counts if at >= ear.since)
    past = sum(bad for log in ear.logs for at, _, bad in log.counts if at < ear.since)
    to = max(log.covered_to for log in ear.logs)
    begin = min(log.covered_from for log in ear.logs)
    clear, before = against(now, to - ear.since, past, ear.since - begin)
    return evidence(
        ERRORS_ROSE,
        target,
        ramp(now, *BURST) * clear,
        link=ear.link.key,
        value=float(now),
        baseline=before,
        command=command,
        count=now,
        **({} if before is None else {"before": before}),  # type: ignore[arg-type]
    )


def _exception(ear: Ear, target: str, command: str) -> Judged:
    raised = [one for one in ear.sayings if one.code == "exception"]
    found = [heard for one in raised if (heard := ear.heard([one])) is not None]
    best = max(found, key=lambda one: (one.strength, one.times), default=None)
    where = best.saying.where if best else ""
    return evidence(
        EXCEPTION,
        target,
        best.strength if best else 0.0,
        link=ear.link.key,
        value=float(best.times) if best else 0.0,
        command=command,
        type=best.saying.about if best else "-",
        count=best.times if best else 0,
        **({"where": where} if where else {}),  # type: ignore[arg-type]
    )


@look("app")
def callees_named(view: View) -> Iterable[Judged]:
    """Addresses that a link's log complains of, said of whoever should serve them."""
    for ear in ears(view):
        for id_, codes in (
            (CALLEE_REFUSED, ("refused", "unreachable")),
            (CALLEE_TIMES_OUT, ("timed-out",)),
        ):
            rows: dict[str, list[AppSaying]] = defaultdict(list)
            for one in ear.sayings:
                if one.code in codes and ":" in one.about:
                    rows[one.about].append(one)
            for address, said in sorted(rows.items()):
                heard = ear.heard(said)
                key, target = callee_at(view, ear.link, address)
                if heard is None or key == ear.link.key:
                    continue
                yield evidence(
                    id_,
                    target,
                    heard.strength,
                    link=key,
                    value=float(heard.times),
                    command=f"grep -F {address} {ear.logs[0].path} | tail",
                    caller=ear.link.name,
                    address=address,
                    count=heard.times,
                )
                if id_ == CALLEE_REFUSED and heard.strength > 0:
                    yield from _listening(view, ear.link, address, key, target)


def _listening(view: View, caller: Link, address: str, key: str, target: str) -> Iterator[Judged]:
    """The kernel's word on an address that a log calls refused, where it is one of this machine."""
    serving = view.book.serving(address, caller.netns)
    if serving is None and not view.book.is_here(address):
        return
    yield evidence(
        NOT_LISTENING,
        target,
        0.0 if serving else 1.0,
        link=key,
        command=f"ss -ltnp | grep {address}",
        address=address,
        proxy=caller.name,
    )


def callee_at(view: View, caller: Link, address: str) -> tuple[str, str]:
    """(link key, target) of who serves an address or a named host's port, as the caller sees it."""
    serving = view.book.serving(address, caller.netns)
    if serving is None and not address[:1].isdigit() and not address.startswith("["):
        port = address.rpartition(":")[2]
        named = [one for one in view.chain.callees(caller.key) if one.serves(f":{port}")]
        serving = named[0] if len(named) == 1 else None
    if serving is not None:
        return serving.key, serving.processes[0] if serving.processes else serving.key
    key = target_key("link", address, host="elsewhere")
    return key, target_key("listener", address, host=view.case.host.name, netns=caller.netns)
