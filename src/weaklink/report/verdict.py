"""The exit code and the one word behind it: nothing hurts, it hurts, could not run, too blind."""

from __future__ import annotations

from typing import Literal

from weaklink.model.case import Case
from weaklink.model.finding import worst

Word = Literal["nothing-hurts", "hurts", "critical-finding", "too-blind"]
EXITS: dict[Word, int] = {"nothing-hurts": 0, "hurts": 1, "critical-finding": 1, "too-blind": 3}
CANNOT_RUN = 2
NAGIOS = {0: 0, 1: 2, 2: 3, 3: 3}
"""Exit code to that of a monitoring plugin: OK, CRITICAL, UNKNOWN; latent findings are 1."""


def verdict(case: Case) -> Word:
    """What the last diagnosis comes to. Where nothing told how users fare, that is no health."""
    diagnosis = case.diagnoses[-1] if case.diagnoses else None
    pain = diagnosis.pain if diagnosis else case.pain
    if pain is not None and pain.looked_at and pain.shape.id != "none":
        return "hurts"
    if worst(case.findings) == "critical":
        return "critical-finding"
    if diagnosis is None and pain is None:
        return "nothing-hurts"  # a look: its findings are the whole of it
    blind = (diagnosis is not None and diagnosis.too_blind) or pain is None or not pain.looked_at
    return "too-blind" if blind else "nothing-hurts"


def exit_code(case: Case) -> int:
    """0 nothing that hurts, 1 users hurt or a critical finding, 3 too blind to say."""
    return EXITS[verdict(case)]


def nagios_code(case: Case) -> int:
    """The same for a monitoring system: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN."""
    code = exit_code(case)
    if code == 0 and worst(case.findings) == "warn":
        return 1
    return NAGIOS[code]
