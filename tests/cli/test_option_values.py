"""Options are understood as a person types them, and refused in one line."""

from __future__ import annotations

import argparse
import contextlib
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.cli import options

NOW = datetime.fromisoformat("2026-03-01T12:00:00").timestamp()


@pytest.mark.parametrize(
    ("text", "seconds"), [("10s", 10), ("3m", 180), ("1.5h", 5400), ("10", 10), ("2 d", 172800)]
)
def test_durations(text: str, seconds: float) -> None:
    assert options.duration(text) == seconds


def test_moments() -> None:
    assert options.moment("10m", NOW) == NOW - 600
    assert options.moment("11:30", NOW) == NOW - 1800
    assert options.moment("12:30:00", NOW) == NOW + 1800 - 86400  # the last such time
    assert options.moment("2026-03-01T07:04:10Z", NOW) == 1_772_348_650.0
    assert options.moment("2026-03-01 12:00", NOW) == NOW


@pytest.mark.parametrize("text", ["25:00", "yesterday", "", "1e9x", "0001-01-01", "12:60", "99"])
def test_no_moment(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        options.moment(text, NOW)


@given(st.text(max_size=40))
def test_any_text_is_a_value_or_one_error(text: str) -> None:
    for read in (options.duration, options.window, options.moment, options.entry, options.root):
        with contextlib.suppress(argparse.ArgumentTypeError):
            read(text)


@pytest.mark.parametrize("text", ["0s", "500s"])
def test_a_window_has_bounds(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        options.window(text)


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "http://", "gopher://x/", "http://u:p@h/", "http://h/a b", "http://[x/"],
)
def test_urls_that_are_not_asked(url: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        options.entry(url)


def test_a_url_that_is_asked() -> None:
    assert options.entry("https://h:8443/v1/x?y=1") == "https://h:8443/v1/x?y=1"


def test_a_root_holds_a_proc(tmp_path: Path) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="no frozen host"):
        options.root(str(tmp_path))
    (tmp_path / "proc").mkdir()
    assert options.root(str(tmp_path)) == str(tmp_path)
