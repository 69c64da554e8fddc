"""What cron ran and will run, from a frozen machine."""

from __future__ import annotations

import os
import time
from calendar import timegm
from pathlib import Path

import pytest

from weaklink.model.fact import Process
from weaklink.model.take import Take
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.root import Root
from weaklink.sources.cron import cron
from weaklink.testing.servers import bare_case

NOW = float(timegm((2026, 12, 1, 15, 20, 30)))
CRON = Process(key="process:h1/-/5@1", pid=5, ppid=1, start_ticks=1, start=1.0, name="cron",
               state="S")  # fmt: skip


def frozen(path: Path, files: dict[str, str]) -> Reach:
    for name, text in files.items():
        file = path / name.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (path / "frozen-at").write_text(str(NOW))
    now = time.monotonic()
    return Reach(root=Root(str(path)), window=0.0, until=now, deadline=now + 2)


def look(path: Path, files: dict[str, str], *more: Process) -> Take:
    return cron(frozen(path, files), bare_case(CRON, *more))


FILES = {
    "/etc/crontab": "SHELL=/bin/sh\n4,34 * * * * app /srv/renew_previews --token abc123\n",
    "/etc/cron.d/backup": "0 3 * * * root /srv/backup\n30 15 * * * root /srv/report\n",
    "/var/spool/cron/crontabs/bob": "*/10 * * * * /home/bob/job\n",
    "/var/log/syslog": (
        "Dec  1 15:04:01 h1 CRON[4121]: (app) CMD (/srv/renew_previews --token abc123)\n"
        "Dec  1 03:00:01 h1 CRON[2000]: (root) CMD (/srv/backup)\n"
    ),
}


def test_what_ran_and_what_runs_next(tmp_path: Path) -> None:
    events = {str(one.details["command"]): one for one in look(tmp_path, FILES).events}
    assert set(events) == {"/srv/renew_previews --token ***", "/srv/report", "/home/bob/job"}
    seen = events["/srv/renew_previews --token ***"]
    assert (seen.details["seen"], seen.details["pid"], seen.details["user"]) == (1, 4121, "app")
    assert seen.at == timegm((2026, 12, 1, 15, 4, 1))
    assert seen.details["next"] == timegm((2026, 12, 1, 15, 34, 0))
    report = events["/srv/report"]
    # Yesterday's run, told because the next one is near; nobody saw that it ran.
    assert report.details["seen"] == 0
    assert report.details["next"] == timegm((2026, 12, 1, 15, 30, 0))
    assert events["/home/bob/job"].details["user"] == "bob"
    assert "abc123" not in str(events)


def test_a_job_that_still_runs(tmp_path: Path) -> None:
    middle = Process(key="m", pid=40, ppid=5, start_ticks=1, start=NOW - 9, name="cron", state="S")
    job = Process(key="j", pid=41, ppid=40, start_ticks=1, start=NOW - 9, name="sh", state="S",
                  command=["/bin/sh", "-c", "/srv/batch"])  # fmt: skip
    (event,) = look(tmp_path, {}, middle, job).events
    assert (event.target, event.at, event.details["running"]) == ("j", NOW - 9, 1)


def test_without_a_daemon_nothing_runs(tmp_path: Path) -> None:
    with pytest.raises(NotHere):
        cron(frozen(tmp_path, FILES), bare_case())


def test_broken_tables_and_logs_are_survived(tmp_path: Path) -> None:
    """P10: anybody may write nonsense into a log."""
    noise = "\x00\x1b[31m CRON[1]: (a) CMD (b\n" * 100 + "* * * * *\n" * 1000
    take = look(tmp_path, {"/etc/crontab": noise, "/var/log/syslog": noise})
    assert take.looks == []
    (tmp_path / "etc/cron.d").mkdir()
    os.mkfifo(tmp_path / "etc/cron.d/pipe")
    assert cron(frozen(tmp_path, {}), bare_case(CRON)).looks == []
