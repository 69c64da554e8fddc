"""What every room's tests share: skipping what this machine lacks, and saying why."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "weaklink",
    deadline=None,  # the machine that runs these tests may be busy: time says nothing here
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("weaklink")

SERVERS = {
    "nginx": "nginx",
    "redis": "redis-server",
    "redis-server": "redis-server",
    "openssl": "openssl",
    "setpriv": "setpriv",
    "strace": "strace",
    "ip": "ip",
}
"""Name in `@pytest.mark.needs(...)` to the program that must be installed (`make services`)."""
NO_SKIP = "WEAKLINK_NO_SKIP"


def missing(need: str) -> str:
    """Why a need cannot be met here; '' where it can. `root` is a need like a server's name."""
    if need == "root":
        return "" if os.geteuid() == 0 else "needs root"
    program = SERVERS.get(need, need)
    folders = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin"
    if shutil.which(program, path=folders):
        return ""
    return f"{program} is not installed (make services)"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose needs are not met, with the reason; fail it under WEAKLINK_NO_SKIP=1."""
    for mark in item.iter_markers("needs"):
        for need in mark.args:
            if reason := missing(str(need)):
                if os.environ.get(NO_SKIP) == "1":
                    pytest.fail(f"skipping is not allowed here: {reason}", pytrace=False)
                pytest.skip(reason)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Under WEAKLINK_NO_SKIP=1 a skip from inside a test is a failure too."""
    outcome = yield
    if os.environ.get(NO_SKIP) != "1" or outcome is None:
        return
    report = outcome.get_result()  # type: ignore[unreachable]
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipping is not allowed here: {report.longrepr}"


@pytest.fixture
def no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """No colour, and the texts' own language."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
