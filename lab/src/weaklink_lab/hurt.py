"""Whether users were really hurt, judged from what the load generator saw, and since when."""

from dataclasses import dataclass

from weaklink.capacity.results import Columns, Summary, quantile, summary

FACTOR = 5.0
"""So many times the healthy P99 is a hurt; the lab's faults must do at least this."""
ERRORS = 0.02
"""So large a share of failed requests is a hurt."""


@dataclass(frozen=True, slots=True)
class Hurt:
    """What users felt before and during a fault; `yes` is the judgement."""

    yes: bool
    before: Summary
    during: Summary
    onset: float | None
    """When users began to be hurt (epoch seconds), or None where they were not."""


def judge(columns: Columns, before: tuple[float, float], during: tuple[float, float]) -> Hurt:
    """Compare two windows of intended starts, both in epoch seconds."""
    healthy, sick = columns.between(*before), columns.between(*during)
    was, now = summary(healthy), summary(sick)
    yes = now.p99 >= FACTOR * was.p99 or now.error_share > max(ERRORS, 5 * was.error_share)
    onset = pain_began(columns, before[1], during[1], was.p99) if yes else None
    return Hurt(yes, was, now, onset)


def pain_began(columns: Columns, begin: float, end: float, healthy_p99: float) -> float | None:
    """Give the first intended start from which on users were clearly worse off.

    A request is bad when it failed or took more than twice the healthy P99; the pain has begun
    with the first bad one that is followed by at least a tenth of bad ones within 4 s.
    """
    bound = 2.0 * healthy_p99
    rows = sorted(
        (columns.intended[row], columns.failed(row) or columns.latency[row] > bound)
        for row in range(len(columns))
        if begin <= columns.intended[row] < end
    )
    for number, (at, bad) in enumerate(rows):
        if not bad:
            continue
        following = [is_bad for when, is_bad in rows[number:] if when < at + 4.0]
        if len(following) >= 5 and sum(following) >= 0.1 * len(following):
            return at
    return None


def recent_pain(columns: Columns, since: float, healthy_p99: float) -> bool:
    """Tell from what has been answered so far whether users are hurt already."""
    rows = columns.where(lambda row: columns.intended[row] + columns.latency[row] >= since)
    if not len(rows):
        return True
    failed = sum(rows.failed(row) for row in range(len(rows)))
    slow = quantile(rows.latency, 0.99) > FACTOR * healthy_p99
    return slow or failed > ERRORS * len(rows)
