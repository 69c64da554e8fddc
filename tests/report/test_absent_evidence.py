"""What was looked for and is not there is said so, not as if it had been seen."""

from __future__ import annotations

from weaklink.model.case import Case, grow
from weaklink.model.evidence import evidence
from weaklink.report.sections import statement
from weaklink.report.view import view
from weaklink.testing.recorded_case import worked_incident


def test_an_absent_sign_is_not_said_as_if_it_were_there() -> None:
    from weaklink.locate.looks.progress import STOPPED

    def said(strength: float) -> str:
        item = evidence(STOPPED, "process:h/-/7@1", strength, pid=7, how="stopped")
        case: Case = grow(worked_incident(), evidence=[item])
        return statement(view(case), item)

    assert said(1.0).startswith("pid 7 is stopped")
    assert said(0.0).startswith("not seen: ")
    assert "pid 7" not in said(0.0)
