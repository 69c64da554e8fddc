"""Runs looks side by side, each with a deadline, and says of each what became of it."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from weaklink.model.case import Case
from weaklink.model.look import Look
from weaklink.model.look import Outcome as Became
from weaklink.model.message import Message, say
from weaklink.model.take import Take
from weaklink.reach.aside import is_stuck, mark_stuck
from weaklink.reach.host import NotAllowed, NotHere, Reach, TooLate
from weaklink.reach.registry import Probe
from weaklink.words import texts

texts(
    {
        "look.stopped": "told to stop: its time was over",
        "look.no-such-file": "not here: {path}",
        "look.not-permitted": "not permitted: {path}",
        "look.failed": "{error}",
        "look.only-live": "only on a live machine",
    }
)

MAX_REASON = 200
REMEDY_ROOT = "sudo weaklink"


class Outcome(NamedTuple):
    """What one look brought home (empty unless `look.outcome` is `value`), and its record."""

    probe: Probe
    take: Take
    look: Look


class _Running(NamedTuple):
    probe: Probe
    reach: Reach
    thread: threading.Thread
    at: float
    started: float
    done: list[Outcome]


def run_looks(
    probes: Sequence[Probe], hands: Callable[[Probe], Reach], case: Case
) -> list[Outcome]:
    """Run these looks at the same time; outcomes in the order of `probes`.

    Returns when all are done or their deadlines (`Reach.deadline`) are over. One that overruns
    is told to stop (`Reach.stop`), left behind in its daemon thread, and not started again while
    it hangs. Never raises for what a look does.
    """
    running: list[_Running | Outcome] = []
    for probe in probes:
        reach = hands(probe)
        running.append(_start(probe, reach, case))
    return [each if isinstance(each, Outcome) else _wait(each) for each in running]


def _start(probe: Probe, reach: Reach, case: Case) -> _Running | Outcome:
    name = _stuck_name(probe, reach)
    at, started = reach.now(), time.monotonic()
    if is_stuck(name):
        return _without(probe, "timeout", at, say("look.stuck"))
    if reach.root.frozen and not probe.frozen:
        return _without(probe, "absent", at, say("look.only-live"))
    done: list[Outcome] = []
    thread = threading.Thread(
        target=lambda: done.append(_run(probe, reach, case, at, started)),
        name=f"weaklink-{probe.name}",
        daemon=True,
    )
    thread.start()
    return _Running(probe, reach, thread, at, started, done)


def _wait(look: _Running) -> Outcome:
    look.thread.join(look.reach.left())
    if look.done:
        return look.done[0]
    look.reach.stop.set()
    mark_stuck(_stuck_name(look.probe, look.reach), look.thread)
    seconds = time.monotonic() - look.started
    return _without(
        look.probe, "timeout", look.at, say("look.late", seconds=seconds), seconds=seconds
    )


def _run(probe: Probe, reach: Reach, case: Case, at: float, started: float) -> Outcome:
    cpu = time.thread_time()
    outcome = _result(probe, reach, case, at, started)
    look = msgspec.structs.replace(
        outcome.look,
        seconds=time.monotonic() - started,
        cpu_seconds=time.thread_time() - cpu + reach.spent,
    )
    return outcome._replace(look=look)


def _result(probe: Probe, reach: Reach, case: Case, at: float, started: float) -> Outcome:
    try:
        take = probe.run(reach, case)
    except NotHere as outcome:
        return _without(probe, "absent", at, outcome.reason)
    except NotAllowed as outcome:
        return _without(probe, "denied", at, outcome.reason, outcome.remedy)
    except TooLate as outcome:
        return _without(probe, "timeout", at, outcome.reason)
    except TimeoutError:
        seconds = time.monotonic() - started
        return _without(probe, "timeout", at, say("look.late", seconds=seconds))
    except OSError as error:
        return _from_os_error(probe, at, error)
    except Exception as error:
        # Whatever a look does, the others go on, and its failure is said in one line.
        return _without(probe, "failed", at, say("look.failed", error=one_line(error)))
    return Outcome(probe, take, Look(name=probe.name, target="", outcome="value", at=at))


def _from_os_error(probe: Probe, at: float, error: OSError) -> Outcome:
    path = _shown(str(error.filename or error.strerror or ""))
    if isinstance(error, FileNotFoundError | ProcessLookupError | NotADirectoryError):
        return _without(probe, "absent", at, say("look.no-such-file", path=path))
    if error.errno in (errno.EPERM, errno.EACCES):
        return _without(probe, "denied", at, say("look.not-permitted", path=path), REMEDY_ROOT)
    return _without(probe, "failed", at, say("look.failed", error=one_line(error)))


def _without(
    probe: Probe,
    became: Became,
    at: float,
    reason: Message,
    remedy: str = "",
    *,
    seconds: float = 0.0,
) -> Outcome:
    look = Look(
        name=probe.name,
        target="",
        outcome=became,
        at=at,
        seconds=seconds,
        reason=reason,
        remedy=remedy,
    )
    return Outcome(probe, Take(), look)


def one_line(error: BaseException) -> str:
    """Class and message of an exception, redacted, on one line and short; never a traceback."""
    return _shown(f"{type(error).__name__}: {error}")


def _shown(text: str) -> str:
    from weaklink.parse.clean import clean_text
    from weaklink.parse.redact import redact

    line = " ".join(clean_text(text[: 4 * MAX_REASON]).split())
    return redact(line)[:MAX_REASON]


def _stuck_name(probe: Probe, reach: Reach) -> str:
    return f"{probe.name} {reach.root.path}"
