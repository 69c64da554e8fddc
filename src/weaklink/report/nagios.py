"""One line for a monitoring system, with the figures that it may draw."""

from __future__ import annotations

from weaklink.model.case import Case
from weaklink.model.diagnosis import Pain
from weaklink.report.calm import calm_verdict
from weaklink.report.safe import plain
from weaklink.report.sections import unexplained, weak_and_because
from weaklink.report.verdict import nagios_code
from weaklink.report.view import view

STATES = ("OK", "WARNING", "CRITICAL", "UNKNOWN")


def nagios_line(case: Case, language: str = "en") -> str:
    """`WEAKLINK CRITICAL - worker (1 of 3 members): … | p99=10.3s errors=8.1% rate=41.2`."""
    seen = view(case, language)
    state = STATES[nagios_code(case)]
    said = [*weak_and_because(seen), *unexplained(seen)] if state == "CRITICAL" else []
    sentence = (said or [calm_verdict(seen)])[0].items[0].text
    line = f"WEAKLINK {state} - {plain(sentence).replace('|', '/')}"
    drawn = _drawn(seen.pain)
    return f"{line} | {drawn}\n" if drawn else f"{line}\n"


def _drawn(pain: Pain | None) -> str:
    if pain is None or not pain.looked_at:
        return ""
    impact = pain.impact
    parts = []
    if impact.p99_now is not None:
        parts.append(f"p99={impact.p99_now:.4g}s")
    if impact.error_ratio_now is not None:
        parts.append(f"errors={impact.error_ratio_now * 100:.4g}%")
    if impact.rate_now is not None:
        parts.append(f"rate={impact.rate_now:.4g}")
    return " ".join(parts)
