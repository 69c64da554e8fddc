"""The only place that runs the verbs in order and decides where to look next: clock and budget.

`diagnose` looks and judges, `judge` judges a Case again from the file alone, `look` gives the
findings about devices without asking how users fare.
"""

from __future__ import annotations

from weaklink.incident.collecting import collect
from weaklink.incident.judgement import judge
from weaklink.incident.options import Options, Progress, quiet
from weaklink.model.case import Case

__all__ = ["Options", "Progress", "collect", "diagnose", "judge", "look"]


def diagnose(options: Options, progress: Progress = quiet) -> Case:
    """Look at this machine (or a frozen root) and judge: the Case with its newest Diagnosis."""
    return judge(collect(options, progress), options)


def look(subject: str | None, options: Options, progress: Progress = quiet) -> Case:
    """Findings of one subject (`cpu`, `disk` …) or of all, without a diagnosis."""
    from weaklink.incident.judgement import judge_devices

    return judge_devices(collect(options, progress, subject=subject), subject)
