"""When it began: the moment that best splits the requests into few bad ones and many.

Each request is good or bad (an error, or slow for its route); the split is the maximum of the
Bernoulli likelihood, its uncertainty the splits whose likelihood is within 1.92 of it (a 95 %
interval by Wilks' theorem).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from weaklink.model.diagnosis import Onset

WITHIN = 1.92
"""Half the 95 % point of chi-squared with one degree of freedom."""
LEAST_GAIN = 5.0
"""Log likelihood that a split must add: about 1 in 1 000 by chance over the splits of a log."""
EARLIER_SHARE, EARLIER_ROSE = 0.03, 3.0
"""What an earlier step needs to be pain of its own (the thresholds of `pain`)."""
CREEPS = 0.5
"""It creeps where the first third after the onset is less than half as bad as the last."""


def find_onset(times: Sequence[float], bad: Sequence[bool], resolution: float) -> Onset | None:
    """Onset of a rise of the share of bad requests; None where there is none beyond chance.

    Trouble often comes in steps (first slow, then errors): where the requests before the
    strongest step had risen already, and had not calmed down since, the earlier step is the onset.
    """
    found = _strongest(bad)
    if found is None:
        return None
    while True:
        earlier = _strongest(bad[: found.split])
        if earlier is None or not _went_on(bad[: found.split], earlier.split):
            break
        found = earlier
    low, high = times[max(found.low - 1, 0)], times[found.high]
    at = times[found.split]
    plus_minus = max(resolution, at - low, high - at)
    return Onset(at=at, plus_minus_seconds=round(plus_minus, 3), kind=_kind(bad[found.split :]))


class _Split(NamedTuple):
    """A split with the range of splits that fit nearly as well."""

    split: int
    low: int
    high: int


def _strongest(bad: Sequence[bool]) -> _Split | None:
    """The split after which bad requests are more frequent, that the data like best."""
    n = len(bad)
    total = sum(bad)
    if n < 10 or total < 2:
        return None
    whole = _likelihood(total, n)
    gains: list[tuple[float, int]] = []
    seen = 0
    for split in range(1, n):
        seen += bad[split - 1]
        after = total - seen
        if after / (n - split) <= seen / split:
            continue
        gain = _likelihood(seen, split) + _likelihood(after, n - split) - whole
        gains.append((gain, split))
    best, split = max(gains, default=(0.0, 0))
    if best < LEAST_GAIN:
        return None
    near = [place for gain, place in gains if gain >= best - WITHIN]
    return _Split(split, min(near), max(near))


def _went_on(bad: Sequence[bool], split: int) -> bool:
    """Whether a rise at `split` was a real one and lasted to the end of these rows."""
    before, after = bad[:split], bad[split:]
    share, past = sum(after) / len(after), sum(before) / len(before)
    last = after[-max(1, len(after) // 3) :]
    return (
        share >= EARLIER_SHARE
        and share >= EARLIER_ROSE * past
        and sum(last) / len(last) >= CREEPS * share
    )


def _likelihood(hits: int, trials: int) -> float:
    if hits in (0, trials):
        return 0.0
    share = hits / trials
    return hits * math.log(share) + (trials - hits) * math.log(1 - share)


def _kind(bad: Sequence[bool]) -> Literal["step", "creep"]:
    third = len(bad) // 3
    if third < 10:
        return "step"
    first, last = sum(bad[:third]) / third, sum(bad[-third:]) / third
    return "creep" if first < CREEPS * last else "step"
