"""What gunicorn and uvicorn say: workers killed for silence, at boot or in the middle of work.

"Perhaps out of memory?" is gunicorn's guess after every SIGKILL, its own included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.log_rules import Rule, judge
from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure
from weaklink.locate.view import View
from weaklink.model.fact_text_log import Saying
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.app.timeout": "WORKER TIMEOUT: worker {pid} did not answer its arbiter in time "
        "and was killed[; {others} more]: it was blocked (an async worker: its event loop)",
        "finding.app.timeout-guess": "WORKER TIMEOUT: worker {pid} did not answer its arbiter in "
        "time and was killed by it[; {others} more]: it was blocked (an async worker: its event "
        "loop); that memory was short is gunicorn's guess only, the kernel's log would show it",
        "finding.app.boot-timeout": "worker {pid} was killed {seconds} s after its boot, before it "
        "served: loading takes longer than the timeout[; {others} more], so it starts again and "
        "again",
        "finding.app.killed": "worker {pid} ended by SIGKILL[; {others} more]: by whom the text "
        "does not show; that memory was short is gunicorn's guess only",
        "finding.app.died": "worker {pid} died by signal {signal}[; {others} more]",
        "finding.app.exited": "worker {pid} ended with code {code}[; {others} more]",
        "finding.app.crash-loop": "{count} workers were booted within {seconds} s: they do not "
        "stay up",
        "finding.app.exception": "a worker ended with an exception[ ({times} times)]",
        "finding.app.boot-failed": "workers fail to boot: the service does not start",
        "finding.app.port-in-use": "its port is in use: it does not start[ ({where})]",
        "finding.app.started": "it started; its log tells no trouble",
        "finding.uvicorn.exception": "requests end with an exception[ ({times} times)]: HTTP 500",
        "finding.uvicorn.limit": "its concurrency limit is reached: requests get 503"
        "[ ({times} times)]",
        "finding.uvicorn.port-in-use": "its port is in use: it does not start",
        "finding.uvicorn.start-failed": "the application's startup failed",
        "finding.uvicorn.files": "it ran out of file descriptors: connections are not accepted",
        "finding.uvicorn.child-died": "worker {pid} died",
        "finding.uvicorn.errors": "{bad} of {all} answers in the text are errors of the server "
        "(5xx)",
    }
)
GUNICORN = {
    "exception": Rule("critical", "worker-crash-loop", 0.7, "the traceback below"),
    "boot-failed": Rule("critical", "worker-crash-loop", 0.85, "the traceback above"),
    "port-in-use": Rule("critical", "", 0.9, "ss -ltnp: who listens there"),
}
UVICORN = {
    "exception": Rule("critical", "bad-deploy", 0.4, "the traceback below; since when"),
    "limit": Rule("critical", "thread-pool-exhausted", 0.5, "--limit-concurrency; what is slow"),
    "port-in-use": Rule("critical", "", 0.9, "ss -ltnp: who listens there"),
    "start-failed": Rule("critical", "worker-crash-loop", 0.7, "the traceback above"),
    "files": Rule("critical", "fd-exhausted", 0.9, "ls /proc/PID/fd | wc -l; ulimit -n"),
    "child-died": Rule("critical", "worker-crash-loop", 0.7, "dmesg: an OOM kill? a segfault?"),
}
BOOT = 150.0
"""Seconds after its boot in which a killed worker is taken to have been starting still."""
LOOP, LOOP_SECONDS = 5, 600.0
ERRORS = 0.05


@look("app")
def app_logs(view: View) -> Iterable[Judged]:
    """Workers of gunicorn, then uvicorn's errors."""
    said = Said(view, "app", "process")
    rows = [fact for fact in view.case.software if isinstance(fact, Saying)]
    ours = [row for row in rows if row.tool == "gunicorn"]
    if ours:
        found = [*_workers(said, ours), *judge(said, ours, GUNICORN, "finding.app.")]
        yield from found
        if not found and any(row.code in {"started", "booting", "listening"} for row in ours):
            yield said.finding("healthy", "finding.app.started", "gunicorn", ours[0].line, sure=0.5)
    theirs = [row for row in rows if row.tool == "uvicorn"]
    yield from judge(said, theirs, UVICORN, "finding.uvicorn.")
    yield from _answers(said, theirs)


def _workers(said: Said, rows: list[Saying]) -> Iterator[Finding]:
    def of(code: str) -> list[Saying]:
        return [row for row in rows if row.code == code]

    booted = {row.about: row for row in of("booting")}
    late, killed = of("worker-timeout"), [*of("killed"), *of("terminated")]
    at_boot = [row for row in late if (_age(row, booted) or BOOT) < BOOT]
    guess = {row.about for row in killed}
    if at_boot:
        row = at_boot[0]
        yield said.finding(
            "critical",
            "finding.app.boot-timeout",
            row.about,
            booted[row.about].line,
            row.line,
            cause="worker-crash-loop",
            sure=0.85,
            next="raise --timeout, load the model before forking (--preload) or from local disk",
            pid=row.about,
            seconds=figure(_age(row, booted), 0),
            more=_others(at_boot),
        )
    running = [row for row in late if row not in at_boot]
    if running:
        row = running[0]
        again = next((one for one in killed if one.about == row.about), None)
        yield said.finding(
            "critical",
            "finding.app.timeout-guess" if row.about in guess else "finding.app.timeout",
            row.about,
            row.line,
            again.line if again else "",
            cause="event-loop-blocked",
            sure=0.75,
            next="py-spy dump of a worker that is blocked; dmesg -T | grep -i oom at that second",
            pid=row.about,
            more=_others(running),
        )
    alone = [row for row in killed if row.about not in {one.about for one in late}]
    if alone:
        yield said.finding(
            "critical", "finding.app.killed", alone[0].about, alone[0].line,
            cause="worker-crash-loop", sure=0.6,
            next="dmesg -T | grep -i oom at that second; was there a WORKER TIMEOUT before",
            pid=alone[0].about, more=_others(alone),
        )  # fmt: skip
    died = of("died")
    if died:
        signal = died[0].words.get("signal") or figure(died[0].values.get("signal"))
        calm = signal in {"15", "SIGTERM"}
        yield said.finding(
            "warn" if calm else "critical", "finding.app.died", died[0].about, died[0].line,
            cause="worker-crash-loop", sure=0.4 if calm else 0.75,
            next="dmesg: a segfault? who stops it", pid=died[0].about, signal=signal,
            more=_others(died),
        )  # fmt: skip
    ended = [row for row in of("exited") if row.values.get("code")]
    if ended:
        yield said.finding(
            "critical", "finding.app.exited", ended[0].about, ended[0].line,
            cause="worker-crash-loop", sure=0.7, next="the traceback above", pid=ended[0].about,
            code=figure(ended[0].values["code"]), more=_others(ended),
        )  # fmt: skip
    yield from _loop(said, of("booting"), bool(late or killed or died or ended))


def _loop(said: Said, boots: list[Saying], told: bool) -> Iterator[Finding]:
    times = [row.seconds for row in boots if row.seconds is not None]
    if told or len(times) < LOOP:
        return
    span = max(times) - min(times)
    # All workers of a start boot in the same second or two.
    if 5.0 < span <= LOOP_SECONDS:
        yield said.finding(
            "warn", "finding.app.crash-loop", "gunicorn", boots[0].line, boots[-1].line,
            cause="worker-crash-loop", sure=0.5, next="why they end: the lines before each boot",
            count=len(boots), seconds=figure(span, 0),
        )  # fmt: skip


def _age(row: Saying, booted: dict[str, Saying]) -> float | None:
    born = booted.get(row.about)
    if born is None or born.seconds is None or row.seconds is None:
        return None
    age = row.seconds - born.seconds
    return age if age >= 1 else None


def _others(rows: list[Saying]) -> dict[str, str | int | float]:
    count = sum(row.count for row in rows) - 1
    return {"others": count} if count > 0 else {}


def _answers(said: Said, rows: list[Saying]) -> Iterator[Finding]:
    counts = {row.code: row for row in rows}
    bad = [counts[code] for code in ("request-500", "request-503") if code in counts]
    good = counts["request"].count if "request" in counts else 0
    wrong = sum(row.count for row in bad)
    if wrong and wrong >= ERRORS * (wrong + good) and "exception" not in counts:
        yield said.finding(
            "critical" if wrong > 0.3 * (wrong + good) else "warn",
            "finding.uvicorn.errors", "uvicorn", bad[0].line, sure=0.7,
            next="the application's own log of those seconds", bad=wrong, all=wrong + good,
        )  # fmt: skip
