"""Jobs that are put into a queue and that nobody takes out: told by the server's own counts."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.finding import Finding
from weaklink.model.message import say
from weaklink.stats.robust import ramp
from weaklink.words import sign, texts

NOT_TAKEN = sign(
    "queue.not-taken",
    "app-metrics",
    "Jobs are put into a queue, and far fewer are taken out than over the server's life.",
    "{pushed} jobs went into queues of {name} in the window and {popped} were taken; over its life "
    "{percent} % were",
    hurts=True,
)
texts(
    {
        "finding.queue.not-taken": "{pushed} jobs went into queues of {name}, {popped} were taken: "
        "its consumers are gone or stand still",
    }
)
LEAST = 3.0
"""Jobs in the window: one may be on its way."""
TAKEN_BEFORE = 0.5
"""Share of the jobs that were ever put in and were taken: a list that is a log is never popped."""
LEFT = (0.5, 0.95)
"""Share of the jobs of the window that nobody took."""
CRITICAL = 0.9


@look("cache")
def queues(view: View) -> Iterable[Judged]:
    """For every server of the chain that holds queues."""
    for link in view.on_chain():
        for key in link.processes:
            yield from _of_server(view, link, key)


def _of_server(view: View, link: Link, key: str) -> Iterable[Judged]:
    pushed = view.grown("cache_push_commands_total", key)
    popped = view.grown("cache_pop_commands_total", key)
    pushes = view.series("cache_push_commands_total", key)
    pops = view.series("cache_pop_commands_total", key)
    if pushed is None or popped is None or pushes is None or pops is None or not pushes.values[-1]:
        return
    before = min(1.0, pops.values[0] / pushes.values[0]) if pushes.values[0] else 0.0
    left = 1 - min(1.0, popped / pushed) if pushed else 0.0
    strength = ramp(left, *LEFT) if pushed >= LEAST and before >= TAKEN_BEFORE else 0.0
    yield evidence(
        NOT_TAKEN,
        key,
        strength,
        link=link.key,
        value=round(left, 3),
        baseline=round(1 - before, 3),
        command="redis-cli info commandstats | grep -iE 'push|pop|xadd|xread'",
        name=link.name,
        pushed=round(pushed),
        popped=round(popped),
        percent=round(100 * before),
    )
    if strength >= CRITICAL:
        yield Finding(
            verdict="critical",
            target=key,
            subject="cache",
            cause="dead-consumer",
            message=say(
                "finding.queue.not-taken",
                name=link.name,
                pushed=round(pushed),
                popped=round(popped),
            ),
            next="who takes from it: redis-cli client list | grep -iE 'pop|xread'",
        )
