"""Crontabs and cron's log: what ran when, and what runs next."""

from __future__ import annotations

from calendar import timegm

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.crontab import last_run, next_run, read_cron_log, read_crontab

NOW = float(timegm((2026, 12, 1, 15, 20, 30)))  # a Tuesday


def one(line: str) -> tuple[float | None, float | None]:
    jobs = read_crontab(line, with_user=False, user="app")
    assert len(jobs) == 1
    return last_run(jobs[0], NOW), next_run(jobs[0], NOW)


def at(*clock: int) -> float:
    return float(timegm((2026, *clock, 0)))


@pytest.mark.parametrize(
    ("line", "last", "following"),
    [
        ("*/30 * * * * x", at(12, 1, 15, 0), at(12, 1, 15, 30)),
        ("4 15 * * * x", at(12, 1, 15, 4), at(12, 2, 15, 4)),
        ("@hourly x", at(12, 1, 15, 0), at(12, 1, 16, 0)),
        ("0 3 * * sun x", at(11, 29, 3, 0), at(12, 6, 3, 0)),
        ("0 3 * * 7 x", at(11, 29, 3, 0), at(12, 6, 3, 0)),
        ("0 3 1 * mon x", at(12, 1, 3, 0), at(12, 7, 3, 0)),
        ("20,21 15 * dec * x", at(12, 1, 15, 20), at(12, 1, 15, 21)),
        ("10-50/20 * * * * x", at(12, 1, 15, 10), at(12, 1, 15, 30)),
        ("0 0 31 12 * x", None, None),
    ],
)
def test_runs(line: str, last: float | None, following: float | None) -> None:
    assert one(line) == (last, following)


def test_local_time_counts() -> None:
    job = read_crontab("0 16 * * * root x", with_user=True)[0]
    assert job.user == "root"
    assert last_run(job, NOW, 3600) == at(12, 1, 15, 0)


def test_only_jobs_are_jobs_and_secrets_are_gone() -> None:
    text = (
        "# m h dom mon dow\nSHELL=/bin/sh\nMAILTO = ops\n\n17 * * * * root cd / && run-parts x\n"
        "99 * * * * root bad\n* * *\n*/0 * * * * root bad\n@reboot root once\n"
        "5 * * * * app /srv/refresh --token abc123 --all\n"
    )
    jobs = read_crontab(text, with_user=True)
    assert [job.command for job in jobs] == [
        "cd / && run-parts x",
        "/srv/refresh --token *** --all",
    ]
    assert jobs[0].schedule == "17 * * * *"


def test_the_log_tells_what_ran() -> None:
    text = "\n".join(
        [
            "Dec  1 15:04:01 web1 CRON[4121]: (app) CMD (/srv/renew_previews --password=x)",
            "2026-12-01T15:05:01.250000+00:00 web1 CRON[4122]: (root) CMD (   cd / && true)",
            "Dec  1 15:06:00 web1 sshd[1]: CMD (nothing)",
            "Dec 31 23:59:01 web1 crond[9]: (root) CMD (old)",
        ]
    )
    runs = read_cron_log(text, NOW)
    assert [(run.pid, run.user, run.command) for run in runs] == [
        (9, "root", "old"),
        (4121, "app", "/srv/renew_previews --password=***"),
        (4122, "root", "cd / && true"),
    ]
    assert runs[1].at == at(12, 1, 15, 4) + 1
    assert runs[2].at == at(12, 1, 15, 5) + 1.25
    assert runs[0].at < at(1, 1, 1, 0)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    for job in read_crontab(text, with_user=True) + read_crontab(text, with_user=False):
        last_run(job, NOW)
        next_run(job, NOW)
    read_cron_log(text, NOW)
    read_cron_log(f"Dec  1 15:04:01 h CRON[1]: (a) CMD ({text})", NOW)
