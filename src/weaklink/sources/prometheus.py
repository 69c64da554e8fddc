"""An hour of engines' and applications' counters, from a Prometheus-compatible API that was named.

One range query for the names of parse/engine_metrics.py; series are taken for the link whose
address their `instance` is. That is a real past to hold the window against.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import msgspec

from weaklink.model.case import Case
from weaklink.model.chain import Link
from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.parse.engine_metrics import (
    COUNTERS,
    GAUGES,
    HTTP_COUNTS,
    HTTP_TIMES,
    REASONS,
    values_of,
)
from weaklink.parse.prometheus import Sample
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.http import get, unchunked
from weaklink.reach.registry import probe
from weaklink.words import texts

texts(
    {
        "prometheus.none": "no Prometheus was named (--prometheus URL)",
        "prometheus.failed": "{url} gave no series: {reason}",
        "prometheus.no-match": "no series at {url} has an address of this chain as its instance",
    }
)

PAST, STEP = 3600, 30
MAX_BODY = 8 << 20
ANSWER_SECONDS = 4.0
MAX_SERIES = 2000


@probe(
    "prometheus",
    subject="inference",
    phase="deep",
    about="the hour before, from the Prometheus that --prometheus names",
    touches="one range query to the Prometheus that was named",
    frozen=False,
)
def prometheus(reach: Reach, case: Case) -> Take:
    """Readings `engine_*` and `app_*` of the last hour, every 30 s. Raises NotHere."""
    import time

    if not reach.prometheus:
        raise NotHere(say("prometheus.none"))
    url = reach.prometheus.rstrip("/")
    until = reach.now()
    got = get(
        f"{url}/api/v1/query_range?query={quote(selector(), safe='')}"
        f"&start={until - PAST:.0f}&end={until:.0f}&step={STEP}",
        deadline=min(time.monotonic() + ANSWER_SECONDS, reach.deadline - 0.2),
        headers={"Accept": "application/json"},
        limit=MAX_BODY,
    )
    shown = Look(
        name="prometheus", target="", outcome="value", at=until,
        touched=[f"GET {url}/api/v1/query_range: 1 times"],
    )  # fmt: skip
    rows = matrix(unchunked(got.headers, got.body)) if got.status == 200 else []
    if not rows:
        reason = got.error or f"status {got.status}"
        failed = say("prometheus.failed", url=url, reason=reason if got.status != 200 else "empty")
        return Take(looks=[shown, _look(until, failed)])
    readings = list(readings_of(case, rows))
    if not readings:
        return Take(looks=[shown, _look(until, say("prometheus.no-match", url=url))])
    return Take(readings=readings, looks=[shown])


def selector() -> str:
    """The query: every name that is known, and no other."""
    times = [f"{name}_{part}" for name in HTTP_TIMES for part in ("sum", "count")]
    names = sorted({*GAUGES, *COUNTERS, *REASONS, *HTTP_COUNTS, *times})
    return '{__name__=~"' + "|".join(names) + '"}'


def matrix(body: bytes) -> list[tuple[dict[str, str], list[tuple[float, float]]]]:
    """(labels, points) of an answer; what does not fit is left out."""
    try:
        told: Any = msgspec.json.decode(body)
        rows = told["data"]["result"]
    except (msgspec.DecodeError, KeyError, TypeError, RecursionError):
        return []
    found = []
    for row in rows[:MAX_SERIES] if isinstance(rows, list) else []:
        try:
            labels = {str(k): str(v)[:300] for k, v in row["metric"].items()}
            points = [(float(at), float(value)) for at, value in row["values"]]
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
        found.append((labels, [point for point in points if point[1] == point[1]]))
    return found


def readings_of(
    case: Case, rows: list[tuple[dict[str, str], list[tuple[float, float]]]]
) -> Iterator[Reading]:
    """Readings of the links whose address is a series' instance."""
    by_link: dict[str, dict[float, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for labels, points in rows:
        link = _link_at(case, labels.get("instance", ""))
        if link is None:
            continue
        for at, value in points:
            sample = Sample(labels.get("__name__", ""), labels, value, "")
            by_link[link.processes[0]][at].append(sample)
    for target, moments in sorted(by_link.items()):
        for at, samples in sorted(moments.items()):
            for name, value in values_of(samples).items():
                yield Reading(quantity=name, target=target, at=at, value=value)


def _link_at(case: Case, instance: str) -> Link | None:
    """The one link on the chain that listens at an instance's port, at its host if that is told."""
    host, _, port = instance.rpartition(":")
    own = [
        link
        for link in case.chain.links
        if link.on_chain and link.processes and link.serves(f":{port}") and port.isdigit()
    ]
    exact = [link for link in own if instance in link.listen]
    if exact or len(own) == 1:
        return (exact or own)[0]
    named = [link for link in own if host in {case.host.name, "localhost", "127.0.0.1"}]
    return named[0] if len(named) == 1 else None


def _look(at: float, reason: Any) -> Look:
    return Look(name="prometheus", target="", outcome="failed", at=at, reason=reason)
