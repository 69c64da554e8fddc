"""Reading a log backwards loses no line and doubles none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.reach.log_tail import Tail


@given(
    st.lists(st.text(alphabet="ab\u00e4", max_size=30), max_size=40),
    st.integers(min_value=1, max_value=64),
    st.booleans(),
)
def test_blocks_backwards_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], block: int, ended: bool
) -> None:
    path = tmp_path_factory.mktemp("t") / "a.log"
    text = "\n".join(lines) + ("\n" if ended else "")
    path.write_text(text, encoding="utf-8")
    with Tail(str(path)) as tail:
        blocks = list(tail.backwards(block))
    read = [line for part in reversed(blocks) for line in part if line]
    assert read == [line for line in text.split("\n") if line]


def test_lines_at_gives_whole_lines_only(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("first\nsecond\nthird\nnot ended")
    with Tail(str(path)) as tail:
        assert tail.lines_at(0, 9) == ["first", ""]
        assert tail.lines_at(2, 100) == ["second", "third", ""]
        assert tail.lines_at(7, 3) == [""]


def test_bytes_that_are_no_text_are_kept_as_escapes(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"a\xff\x00b\n")
    with Tail(str(path)) as tail:
        assert next(iter(tail.backwards()))[0] == "a\\xff\x00b"


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    import os

    pipe = tmp_path / "p"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path("/dev/null")):
        with pytest.raises(OSError, match=r"regular|directory"):
            Tail(str(path))
