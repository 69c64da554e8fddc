"""The only place that runs the verbs in order and decides where to look next: clock and budget.

`diagnose` looks and judges, `judge` judges a Case again from the file alone, `look` gives the
findings about devices without asking how users fare. What judges is imported when it is needed:
the first look should not wait for it.
"""

from __future__ import annotations

from weaklink.incident.options import Options, Progress, quiet
from weaklink.model.case import Case

__all__ = ["Options", "Progress", "collect", "diagnose", "judge", "look", "look_around", "recall"]


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
    case = collect(options, progress)
    return judge(_remembering(case, options), options)


def recall(options: Options) -> Case:
    """A moment of the past from the recording, judged; raises NoRecording."""
    from weaklink.incident import recalled

    return recalled.with_source(judge(*recalled.recall(options)))


def _remembering(case: Case, options: Options) -> Case:
    """The Case with what our own recording knows of the half hour before, where there is one."""
    if case.host.frozen:
        return case
    from weaklink.incident.again import with_earlier_pain
    from weaklink.incident.remembered import PAST, folders, with_events, with_past
    from weaklink.recorder.recording import Recording

    start = case.window[0]
    recording = Recording.load(folders(options.box), start - PAST, start)
    if not recording.seconds:
        return case
    case = with_past(case, recording, start)
    case = with_events(case, recording, start - PAST, case.window[1], lives=False)
    return with_earlier_pain(case, folders(options.box), case.window[1])


def look(subject: str | None, options: Options, progress: Progress = quiet) -> Case:
    """Findings of one subject (`cpu`, `disk` …) or of all, without a diagnosis."""
    from weaklink.incident.judgement import with_findings

    return with_findings(collect(options, progress), subject)
