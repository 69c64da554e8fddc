"""A diagnosis: what users feel, which link, why, how sure, and what was not seen."""

from __future__ import annotations

from typing import Literal

from weaklink.model.base import Record
from weaklink.model.message import Message
from weaklink.model.plan import Plan

ShapeId = Literal[
    "total-outage", "widespread-timeouts", "intermittent-spikes", "semantic-anomaly", "none"
]
Sureness = Literal["certain", "very-likely", "likely", "possible"]


class Shape(Record, frozen=True):
    """Which of the four shapes (or none), how sure, what else it could be, and mixtures."""

    id: ShapeId
    confidence: float
    runner_up: ShapeId | None = None
    mixed: list[ShapeId] = []
    semantic_looked_at: bool = False
    recovered: bool = False
    """It hurt inside the window that was read and does not any more."""


class Slice(Record, frozen=True):
    """How one part of the users fares: `by` route, member, client, status or size."""

    by: str
    name: str
    requests: int
    bad: int
    p50: float | None = None
    p99: float | None = None
    p99_before: float | None = None
    hurt: bool = False


class Impact(Record, frozen=True):
    """Now against before. Durations in seconds, rates per second; None where unknown."""

    rate_now: float | None = None
    rate_before: float | None = None
    p50_now: float | None = None
    p50_before: float | None = None
    p99_now: float | None = None
    p99_before: float | None = None
    error_ratio_now: float | None = None
    error_ratio_before: float | None = None
    shed_ratio_now: float | None = None
    in_flight: int | None = None
    oldest_in_flight: float | None = None
    slices: list[Slice] = []
    window: tuple[float, float] | None = None
    """What `now` means, epoch seconds."""
    baseline: Message | None = None
    """Where `before` comes from and how old it is."""
    still_on: bool = True


class Onset(Record, frozen=True):
    """When users' pain began; `kind` step or creep."""

    at: float
    plus_minus_seconds: float
    kind: Literal["step", "creep"] = "step"


class Pain(Record, frozen=True):
    """What observe concludes; the other rooms read it from the Case."""

    shape: Shape
    entry: str = ""
    """Key of the entry link whose users these are; the others fare better."""
    impact: Impact = Impact()
    onset: Onset | None = None
    looked_at: bool = True
    """False where nothing told how users fare: then `none` does not mean healthy."""


class JudgedCause(Record, frozen=True):
    """A cause as weighed for one link. `for_` and `against` are evidence ids, strongest first."""

    id: str
    link: str
    target: str
    log_odds: float
    probability: float
    sure: Sureness
    members: list[str] = []
    for_: list[str] = []
    against: list[str] = []
    kinds: list[str] = []
    """Independent kinds of evidence that speak for it."""
    named: bool = False
    """True where it may be said: users hurt, two kinds or one decisive sign, probable enough."""
    args: dict[str, str | int | float] = {}
    """What fills in its sentence."""


class Unexplained(Record, frozen=True):
    """The weakest link where no cause of the catalogue fits, and what is furthest off near it."""

    link: str
    score: float
    evidence: list[str] = []


class Diagnosis(Record, frozen=True):
    """The result of one judgement of a Case."""

    at: float
    pain: Pain
    causes: list[JudgedCause] = []
    """Chosen causes first (named), then the others, best first."""
    ruled_out: list[str] = []
    """Ids of causes that were looked for and do not fit."""
    unexplained: Unexplained | None = None
    changes: list[int] = []
    """Indexes into the Case's events: what changed around the onset, nearest first."""
    plan: Plan = Plan()
    next_look: Message | None = None
    too_blind: bool = False
