"""What may never return is done aside."""

from __future__ import annotations

import threading

import pytest

from weaklink.reach.aside import aside, is_stuck
from weaklink.reach.host import TooLate


def test_results_and_errors_come_through() -> None:
    assert aside("adds", lambda: 1 + 1, 5) == 2
    with pytest.raises(ZeroDivisionError):
        aside("raises", lambda: 1 // 0, 5)


def test_what_hangs_is_left_and_not_started_again() -> None:
    release = threading.Event()
    runs: list[int] = []

    def hang() -> None:
        runs.append(1)
        release.wait(30)

    try:
        for _ in range(2):
            with pytest.raises(TooLate):
                aside("hangs aside", hang, 0.1)
        assert len(runs) == 1
        assert is_stuck("hangs aside")
    finally:
        release.set()
