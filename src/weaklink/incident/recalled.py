"""An incident of the past, told from the recording: its stage, its figures, what came and went.

The stage (who runs, who calls whom) is a deep look that a trigger took at that moment, where one is
on file, else the last look around. Figures are of the second they belong to.
"""

from __future__ import annotations

import time

import msgspec

from weaklink.incident.again import one_pain, with_earlier_pain
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
DEEP_BEFORE, DEEP_AFTER = 5.0, 15.0
"""Seconds that a deep look may begin before the pain that it is of (the onset is known to a few
seconds), or after its last slow request (the trigger and its start take some)."""


class NoRecording(Exception):  # noqa: N818 - said to a person
    """Nothing is known of that time. Carries a Message."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason.key)
        self.reason = reason


def recall(options: Options) -> tuple[Case, Options]:
    """The Case of a moment or span, and with which options to judge it; raises NoRecording.

    `options.at` is the moment; without it `since` and `until` are the span. Judged are the requests
    from half an hour before to its end, or to where the recording ends.
    """
    at = options.at if options.at is not None else options.since or 0.0
    since = at - PAST if options.at is not None else (options.since or 0.0) - PAST
    until = options.until or at + AFTER
    recording = Recording.load(folders(options.box), since, until)
    if not recording.seconds:
        raise NoRecording(_why(Recording.load(folders(options.box))))
    until = max(at, min(until, recording.span[1] + 1.0))
    if options.at is not None:
        since, until = one_pain(recording.events(since, until), at, since, until)
    rows = recording.asked(since, until)
    covered = max(since, recording.span[0])
    requests = expand(rows, most=MOST_REQUESTS, covered_from=covered) if rows else []
    stage = _with_requests(_scene(recording, at), requests, since, until)
    begin, end = _window(stage, _felt(stage, since, until), at, until)
    deep = _deep_look(recording, begin, end) if options.deep else None
    if deep is not None:
        stage = _with_requests(deep, requests, since, until)
        begin, end = _window(stage, _felt(stage, since, until), at, until)
    series = recording.series(_is_figure, since=begin, until=end)
    case = grow(stage, window=(begin, end), series=_newest(stage.series, series))
    case = with_past(case, recording, begin)
    case = with_events(case, recording, since, until, lives=True)
    case = with_earlier_pain(case, folders(options.box), until)
    return case, msgspec.structs.replace(options, since=since, until=until)


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


def _scene(recording: Recording, at: float) -> Case:
    """The last look around before the moment; raises NoRecording."""
    packed = recording.scene(at)
    if not packed:
        raise NoRecording(say("recall.no-stage"))
    try:
        return decode_case(case_files.unpack(packed, "recording"), "recording")
    except CaseError:
        raise NoRecording(say("recall.no-stage")) from None


def _deep_look(recording: Recording, begin: float, end: float) -> Case | None:
    """The first deep look that this recording's own trigger took while it hurt, if it is on file.

    One of another moment would lend its sockets and stacks to an hour that had none of them.
    """
    since, until = begin - DEEP_BEFORE, end + DEEP_AFTER
    names = {
        event.text
        for event in recording.events(since, until + LONGEST)
        if event.kind == "case-filed"
    }
    found: list[Case] = []
    for one in case_files.filed():
        if one.path.name in names:
            try:
                found.append(case_files.read_case(one.path))
            except CaseError:
                continue
    there = [case for case in found if since <= case.created <= until]
    return min(there, key=lambda case: case.created, default=None)


def _with_requests(found: Case, requests: list[Requests], since: float, until: float) -> Case:
    """A stage without its figures and verdicts, with the recording's requests."""
    return grow(
        found,
        requests=_merged(found, requests) if requests else found.requests,
        window=(since, until),
        evidence=[],
        findings=[],
        diagnoses=[],
        actions=[],
        pain=None,
    )


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
