"""Show that each fault really hurts users, and that they are well again after it was mended."""

import itertools
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from weaklink.capacity.results import Summary, summary
from weaklink_lab import breaking, chain, client, hurt
from weaklink_lab.draw import Wants, draw
from weaklink_lab.faults import Fault
from weaklink_lab.state import State
from weaklink_lab.truth import Truth

HEALTHY = 4.0
PAIN = 30.0
"""Seconds within which users must feel a fault."""
HEAL = 40.0
"""Seconds after the way out within which all must be well."""
STEP = 6.0


@dataclass(frozen=True, slots=True)
class Proof:
    """What users felt before, during and after a fault; `after` None: it was never well again."""

    fault: str
    seed: int
    hurts: bool
    heals: bool
    before: Summary
    during: Summary
    after: Summary
    seconds_to_pain: float
    seconds_to_heal: float
    trouble: str = ""
    said: str = ""


Ask = Callable[[State, Fault, Truth], str]
"""Asks somebody what is wrong while it hurts; gives what was said."""


def prove(
    faults: Iterable[Fault], seed: int, tell: Callable[[str], None], ask: Ask | None = None
) -> list[Proof]:
    """Put each fault in and take it out, on as few services as they can share."""
    chain.check_host()
    chain.refuse_if_up()
    ordered = sorted(faults, key=lambda fault: repr(breaking.wants_of(fault, seed)))
    proofs = []
    for wants, group in itertools.groupby(ordered, lambda fault: breaking.wants_of(fault, seed)):
        proofs += _on_one_service(list(group), wants, seed, tell, ask)
    return proofs


def _on_one_service(
    group: list[Fault],
    wants: Wants,
    seed: int,
    tell: Callable[[str], None],
    ask: Ask | None,
) -> list[Proof]:
    proofs = []
    try:
        state = chain.up(draw(seed, wants))
        chain.load_start(state)
        time.sleep(3)
        for fault in group:
            proof = _one(state, fault, seed, ask)
            proofs.append(proof)
            tell(line(proof))
    finally:
        for what in chain.down(seed):
            tell(f"could not be removed: {what}")
    return proofs


def _one(state: State, fault: Fault, seed: int, ask: Ask | None) -> Proof:
    began = time.time()
    time.sleep(HEALTHY)
    broke = time.time()
    before = _between(began, broke)
    trouble, truth, said = "", Truth("", ("none",)), ""
    try:
        truth = breaking.enter(state, fault, seed)
    except (RuntimeError, OSError, LookupError) as error:
        trouble = f"way in: {error}"
    usual = _sizes(began, broke)

    def pain() -> bool:
        since = time.time() - STEP
        return _hurt(before, since, time.time()) or _shrank(usual, _sizes(since, time.time()))

    hurts = _wait(pain, PAIN, STEP + 2)
    in_pain = time.time()
    # What began lately and is not answered yet is not in it: look once more from further on.
    time.sleep(0 if hurts else 3)
    during = _answered(in_pain - STEP)
    if ask is not None and not trouble:
        said = ask(state, fault, truth)
    try:
        breaking.mend(state)
    except (RuntimeError, OSError, LookupError) as error:
        trouble += f" way out: {error}"
    out = time.time()
    heals = _wait(lambda: _well(before, time.time() - STEP), HEAL, STEP)
    return Proof(
        fault.id,
        seed,
        hurts,
        heals,
        before,
        during,
        _between(time.time() - STEP, time.time()),
        round(in_pain - broke, 1),
        round(time.time() - out, 1),
        trouble,
        said,
    )


def _sizes(begin: float, end: float) -> dict[str, float]:
    """Give how many bytes an answer has on average, by route, where there are some."""
    columns = client.read(client.file()).between(begin, end)
    sums: dict[str, list[int]] = {}
    for row in range(len(columns)):
        sums.setdefault(columns.route[row], []).append(columns.bytes[row])
    return {route: sum(each) / len(each) for route, each in sums.items() if len(each) >= 3}


def _shrank(usual: dict[str, float], now: dict[str, float]) -> bool:
    # Answers that lack their end hurt as well, however quick they are.
    return any(now[route] < size / 2 for route, size in usual.items() if route in now)


def _between(begin: float, end: float) -> Summary:
    return summary(client.read(client.file()).between(begin, end))


def _answered(since: float) -> Summary:
    columns = client.read(client.file())
    return summary(columns.where(lambda row: columns.intended[row] + columns.latency[row] >= since))


def _hurt(before: Summary, begin: float, _end: float) -> bool:
    return hurt.recent_pain(client.read(client.file()), begin, max(before.p99, 0.05))


def _well(before: Summary, since: float) -> bool:
    columns = client.read(client.file())
    ended = columns.where(lambda row: columns.intended[row] >= since)
    if len(ended) < 20:
        return False
    now = summary(ended)
    return now.p99 < hurt.FACTOR * max(before.p99, 0.05) and now.error_share <= hurt.ERRORS


def _wait(so: Callable[[], bool], seconds: float, least: float) -> bool:
    time.sleep(least)
    deadline = time.monotonic() + seconds - least
    while not so():
        if time.monotonic() > deadline:
            return False
        time.sleep(1.0)
    return True


def line(proof: Proof) -> str:
    """Give a proof as one line."""
    trouble = f"  TROUBLE {proof.trouble}" if proof.trouble else ""
    return (
        f"{proof.fault:26} {'hurts' if proof.hurts else 'NO PAIN'} after "
        f"{proof.seconds_to_pain:4.1f} s: P99 {proof.before.p99:.2f} -> {proof.during.p99:.2f} s, "
        f"errors {proof.during.error_share:.1%}; "
        f"{'well' if proof.heals else 'NOT WELL'} after {proof.seconds_to_heal:4.1f} s: "
        f"P99 {proof.after.p99:.2f} s{proof.said}{trouble}"
    )
