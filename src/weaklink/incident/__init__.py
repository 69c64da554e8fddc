"""The only place that runs the verbs in order and decides where to look next: clock and budget.

`diagnose` looks and judges, `judge` judges a Case again from the file alone, `look` gives the
findings about devices without asking how users fare. What judges is imported when it is needed:
the first look should not wait for it.
"""

from __future__ import annotations

from weaklink.incident.options import Options, Progress, quiet
from weaklink.model.case import Case

__all__ = ["Options", "Progress", "collect", "diagnose", "judge", "look", "look_around"]


def collect(options: Options, progress: Progress = quiet) -> Case:
    """Everything that can be seen here within the window, as a Case that nobody judged yet."""
    from weaklink.incident.collecting import Collector

    return Collector(options, progress).run()


def look_around(options: Options) -> Case:
    """Who runs, who calls whom, what changed: facts for the recording, nothing judged."""
    from weaklink.incident.scene import look_around as around

    return around(options)


def judge(case: Case, options: Options | None = None) -> Case:
    """The Case with chain, pain, evidence, findings and one more Diagnosis; reads nothing else."""
    from weaklink.incident.judgement import judged

    return judged(case, options or Options())


def diagnose(options: Options, progress: Progress = quiet) -> Case:
    """Look at this machine (or a frozen root) and judge: the Case with its newest Diagnosis."""
    return judge(collect(options, progress), options)


def look(subject: str | None, options: Options, progress: Progress = quiet) -> Case:
    """Findings of one subject (`cpu`, `disk` …) or of all, without a diagnosis."""
    from weaklink.incident.judgement import with_findings

    return with_findings(collect(options, progress), subject)
