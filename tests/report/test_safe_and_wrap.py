"""Foreign names can neither move the cursor nor break the columns."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from weaklink.report.safe import markdown, plain, visible
from weaklink.report.wrap import pad, width, wrap


def test_escapes_and_direction_marks_are_written_out() -> None:
    assert visible("a\x1b[31mb\n\u202ec\udc80") == "a\\x1b[31mb\\n\\u202ec\\udc80"


def test_what_is_too_long_is_cut_and_says_so() -> None:
    assert visible("x" * 100, limit=10) == "xxxxxxxxx…"


@given(st.text())
def test_nothing_invisible_is_left(text: str) -> None:
    shown = visible(text)
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cf", "Cs")]


def test_markdown_cannot_be_broken_out_of() -> None:
    text = markdown("`rm` <script> [x](y) |a| @here #1")
    assert "\\`rm\\`" in text
    assert "<script" not in text
    assert "\\[x\\]" in text
    assert "\\@here" in text


def test_figures_stay_whole_and_lines_stay_short() -> None:
    lines = wrap("P99 0.21\u00a0->\u00a010.3\u00a0s and more", 16)
    assert [plain(line) for line in lines] == ["P99", "0.21 -> 10.3 s", "and more"]


def test_wide_characters_take_two_columns_and_may_be_broken_between() -> None:
    assert width("缓存 ok") == 7
    assert all(width(line) <= 10 for line in wrap("缓存命中率从九成跌到三成", 10))
    assert pad("缓存", 6) == "缓存  "


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["C"])), st.integers(8, 90))
def test_no_line_is_longer_than_it_may_be(text: str, columns: int) -> None:
    assert all(width(line) <= max(columns, 6) for line in wrap(text, columns, hang="  "))


@given(st.text(alphabet="ab \u00a0缓", max_size=200), st.integers(8, 40))
def test_no_word_is_lost(text: str, columns: int) -> None:
    joined = "".join(wrap(text, columns))
    assert joined.replace(" ", "") == text.replace(" ", "")
