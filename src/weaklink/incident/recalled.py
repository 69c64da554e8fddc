"""An incident of the past, told from the recording: its stage, its figures, what came and went.

The stage (who runs, who calls whom) is a deep look that a trigger took at that moment, where one is
on file, else the last look around. Figures are of the second they belong to.
"""

from __future__ import annotations

import time

import msgspec

from weaklink.incident.options import Options
from weaklink.incident.remembered import PAST, folders, with_events, with_past
from weaklink.model.case import Case, CaseError, decode_case, grow
from weaklink.model.diagnosis import Pain
from weaklink.model.message import Message, say
from weaklink.model.requests import Requests
from weaklink.model.series import Series
from weaklink.recorder import case_files
from weaklink.recorder.asked import expand
from weaklink.recorder.recording import Recording
from weaklink.words import texts

texts(
    {
        "recall.nothing": "no recording; `weaklink watch` keeps one",
        "recall.not-then": "the recording does not hold that time: it goes from {since} to {until}",
        "recall.no-stage": "the recording does not tell who ran then",
        "baseline.recording": "own recording, {minutes} min before",
    }
)

AFTER = 300.0
"""Seconds after the moment asked about that are read: most incidents last minutes."""
AROUND = 30.0
"""Seconds around the moment that are the window where no pain is found."""
LONGEST = 180.0
"""Seconds of the window, from the onset: later figures are of its aftermath."""
LEAST = 10.0
MOST_REQUESTS = 60_000
NEAR_DEEP = 150.0
"""Seconds between the moment and the start of a deep look that is of the same incident."""


class NoRecording(Exception):  # noqa: N818 - said to a person
    """Nothing is known of that time. Carries a Message."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason.key)
        self.reason = reason


def recall(options: Options) -> Case:
    """The Case of a moment or span, not judged yet; raises NoRecording.

    `options.at` is the moment; without it `since` and `until` are the span.
    """
    at = options.at if options.at is not None else options.since or 0.0
    since = at - PAST if options.at is not None else (options.since or 0.0) - PAST
    until = options.until or at + AFTER
    recording = Recording.load(folders(options.box), since, until)
    if not recording.seconds:
        raise NoRecording(_why(Recording.load(folders(options.box))))
    stage = _stage(recording, at, deep=options.deep)
    rows = recording.asked(since, until)
    if rows:
        covered = max(since, recording.span[0])
        requests = expand(rows, most=MOST_REQUESTS, covered_from=covered)
        stage = grow(stage, requests=_merged(stage, requests))
    stage = grow(stage, window=(since, until))
    pain = _felt(stage, since, until)
    begin, end = _window(stage, pain, at, until)
    series = recording.series(_is_figure, since=begin, until=end)
    case = grow(stage, window=(begin, end), series=_newest(stage.series, series))
    case = with_past(case, recording, begin)
    return with_events(case, recording, since, until, lives=True)


def span_of(case: Case, options: Options) -> Options:
    """Options to judge it with: requests from half an hour before to the end of what was read."""
    at = options.at if options.at is not None else options.since or case.window[0]
    return msgspec.structs.replace(
        options,
        since=(at if options.at is not None else options.since or at) - PAST,
        until=options.until or at + AFTER,
    )


def with_source(case: Case) -> Case:
    """The judged Case with `before` said to be from the recording, where its requests are."""
    recorded = any(rows.resolution == 1.0 and rows.method[:1] == [""] for rows in case.requests)
    pain = case.pain
    if not recorded or pain is None or pain.impact.baseline is None:
        return case
    baseline = say("baseline.recording", minutes=pain.impact.baseline.args.get("minutes", 0))
    told = msgspec.structs.replace(
        pain, impact=msgspec.structs.replace(pain.impact, baseline=baseline)
    )
    diagnoses = [
        *case.diagnoses[:-1],
        *(msgspec.structs.replace(one, pain=told) for one in case.diagnoses[-1:]),
    ]
    return grow(case, pain=told, diagnoses=diagnoses)


def _is_figure(quantity: str, target: str) -> bool:
    return not target.startswith("agent:")


def _stage(recording: Recording, at: float, *, deep: bool) -> Case:
    """The Case to build on, without its figures and verdicts."""
    found = _deep_look(at) if deep else None
    if found is None:
        packed = recording.scene(at)
        if not packed:
            raise NoRecording(say("recall.no-stage"))
        try:
            found = decode_case(case_files.unpack(packed, "recording"), "recording")
        except CaseError:
            raise NoRecording(say("recall.no-stage")) from None
    return grow(found, evidence=[], findings=[], diagnoses=[], actions=[], pain=None)


def _deep_look(at: float) -> Case | None:
    """The filed Case whose look began nearest after the moment."""
    best: tuple[float, Case] | None = None
    for one in case_files.filed():
        if not at - NEAR_DEEP <= one.modified <= at + NEAR_DEEP + 60:
            continue
        try:
            case = case_files.read_case(one.path)
        except CaseError:
            continue
        far = abs(case.created - at)
        if far <= NEAR_DEEP and (best is None or far < best[0]):
            best = far, case
    return best[1] if best else None


def _merged(stage: Case, recorded: list[Requests]) -> list[Requests]:
    """Recorded requests, and those of logs that the recording does not follow."""
    sources = {rows.source for rows in recorded}
    return [*recorded, *(rows for rows in stage.requests if rows.source not in sources)]


def _felt(stage: Case, since: float, until: float) -> Pain:
    from weaklink.locate.chain import discover
    from weaklink.locate.entry import log_writers
    from weaklink.observe.pain import feel

    chain = discover(stage)
    writers = log_writers(stage, chain.links)
    requests = [
        msgspec.structs.replace(rows, link=writers.get(rows.source, rows.link))
        for rows in stage.requests
    ]
    return feel(grow(stage, chain=chain, requests=requests), since, until).pain


def _window(stage: Case, pain: Pain, at: float, until: float) -> tuple[float, float]:
    """From the onset on, as long as it hurt, but not beyond LONGEST."""
    if pain.onset is None or pain.shape.id == "none":
        return at - AROUND, min(until, at + AROUND)
    begin = pain.onset.at - pain.onset.plus_minus_seconds - 1.0
    slow = [
        end
        for rows in stage.requests
        for end, duration, status in zip(rows.end, rows.duration, rows.status, strict=True)
        if end >= begin and (status >= 500 or (duration or 0.0) >= (pain.impact.p99_before or 1.0))
    ]
    last = max(slow, default=begin + LEAST)
    return begin, min(until, max(begin + LEAST, min(last, begin + LONGEST)))


def _newest(deep: list[Series], recorded: list[Series]) -> list[Series]:
    """The recording's figures, and of a deep look those that the recording has not."""
    known = {(row.quantity, row.target) for row in recorded}
    return [*recorded, *(row for row in deep if (row.quantity, row.target) not in known)]


def _why(everything: Recording) -> Message:
    if not everything.seconds:
        return say("recall.nothing")
    since, until = everything.span
    return say("recall.not-then", since=_shown(since), until=_shown(until))


def _shown(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
