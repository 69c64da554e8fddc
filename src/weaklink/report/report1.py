"""The structs of `weaklink/report/1`: what other programs read. Every field is always written.

Times are RFC 3339 in UTC with a Z, durations seconds, ratios 0 to 1. Later versions add fields
and never change what one means. `causes` holds only causes that may be said: it is empty where
nothing hurts or nothing is sure enough; what else was weighed is under `candidates`.
"""

from __future__ import annotations

from typing import Literal

from weaklink.model.base import Whole

SCHEMA: Literal["weaklink/report/1"] = "weaklink/report/1"


class ShapeOut(Whole, frozen=True):
    """Which shape users' pain has; `mixed` are shapes seen beside it."""

    id: str
    words: str
    confidence: float
    runner_up: str | None
    mixed: list[str]
    semantic_looked_at: bool
    recovered: bool


class NowBefore(Whole, frozen=True):
    """One quantity now and before; null where unknown."""

    now: float | None
    before: float | None


class SliceOut(Whole, frozen=True):
    """How one part of the users fares."""

    by: str
    name: str
    requests: int
    bad: int
    p50_seconds: float | None
    p99_seconds: float | None
    p99_seconds_before: float | None
    hurt: bool


class ImpactOut(Whole, frozen=True):
    """What users feel, against before. `looked_at` false: nothing told, so nothing is claimed."""

    looked_at: bool
    requests_per_second: NowBefore
    p50_seconds: NowBefore
    p99_seconds: NowBefore
    error_ratio: NowBefore
    shed_ratio: float | None
    in_flight: int | None
    oldest_in_flight_seconds: float | None
    slices: list[SliceOut]
    window: list[str]
    baseline: str | None
    still_on: bool


class OnsetOut(Whole, frozen=True):
    """When it began; `kind` is step or creep."""

    at: str | None
    plus_minus_seconds: float
    kind: str


class ChangeOut(Whole, frozen=True):
    """Something that happened around the onset."""

    at: str | None
    plus_minus_seconds: float
    kind: str
    target: str
    text: str
    source: str


class LinkOut(Whole, frozen=True):
    """One link of the chain; `state` is '' where nothing told how it fares."""

    key: str
    name: str
    role: str
    program: str
    pids: list[int]
    listen: list[str]
    netns: str
    group: str
    state: str
    on_chain: bool
    entry: bool
    own_seconds: float | None
    wait_seconds: float | None


class HopOut(Whole, frozen=True):
    """One edge, key `source>dest`."""

    key: str
    source: str
    dest: str
    address: str
    connections: int
    via: list[str]
    seconds: float | None


class ChainOut(Whole, frozen=True):
    """The chain as found."""

    links: list[LinkOut]
    hops: list[HopOut]


class EvidenceOut(Whole, frozen=True):
    """One piece of evidence; `strength` 0 means looked for and absent."""

    id: str
    sign: str
    kind: str
    target: str
    link: str
    value: float | None
    baseline: float | None
    strength: float
    onset: str | None
    plus_minus_seconds: float
    text: str
    command: str


class MemberOut(Whole, frozen=True):
    """One member of the link that the cause sits on."""

    key: str
    name: str
    pids: list[int]
    listen: list[str]


class CauseOut(Whole, frozen=True, rename={"for_": "for"}):
    """One cause, weighed for one link: a node or an edge of the chain; `target` is the culprit."""

    id: str
    layer: str
    title: str
    because: str
    probability: float
    sureness: str
    named: bool
    link: str
    target: str
    members: list[MemberOut]
    kinds: list[str]
    for_: list[EvidenceOut]
    against: list[EvidenceOut]
    wrong_if: str | None
    next_danger: str | None
    args: dict[str, str | int | float]


class UnexplainedOut(Whole, frozen=True):
    """The weakest link where no cause fits, and what is furthest off near it."""

    link: str
    score: float
    evidence: list[EvidenceOut]


class FindingOut(Whole, frozen=True):
    """A judgement about one device or text, whatever users feel."""

    verdict: str
    target: str
    subject: str
    text: str
    line: str
    cause: str
    sure: float
    next: str


class StepOut(Whole, frozen=True):
    """One step of the plan; nothing of it was applied."""

    action: str
    cause: str
    target: str
    what: str
    harm: str
    harm_note: str
    preview: list[str]
    expect: str | None
    undo: list[str]
    expires_after_seconds: float | None
    cannot: str | None
    applied: bool


class UnseenOut(Whole, frozen=True):
    """A look that gave no value: denied, timeout or failed; never counted as healthy."""

    look: str
    target: str
    outcome: str
    reason: str
    remedy: str


class CostOut(Whole, frozen=True):
    """What the diagnosis cost, and what it left a trace of."""

    looks: int
    window_seconds: float
    cpu_seconds: float
    touched: list[str]


class Report1(Whole, frozen=True):
    """`weaklink/report/1`: one diagnosis, as the last judgement of a Case has it."""

    schema: Literal["weaklink/report/1"]
    case_id: str
    case: str | None
    """Path of the Case on file, null where it is not filed; `not_filed` says why."""
    not_filed: str | None
    version: str
    host: str
    at: str | None
    window: list[str]
    entry: str
    note: str
    verdict: str
    exit: int
    blind: bool
    shape: ShapeOut | None
    impact: ImpactOut | None
    onset: OnsetOut | None
    changes: list[ChangeOut]
    chain: ChainOut
    causes: list[CauseOut]
    candidates: list[CauseOut]
    ruled_out: list[str]
    unexplained: UnexplainedOut | None
    findings: list[FindingOut]
    plan: list[StepOut]
    unseen: list[UnseenOut]
    next_look: str | None
    cost: CostOut
