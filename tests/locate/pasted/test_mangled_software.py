"""Texts of software as they arrive: cut off, quoted, wrapped, prefixed; and never a stumble."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.locate.look import looks
from weaklink.locate.reading import case_of
from weaklink.locate.view import View
from weaklink.model.finding import VERDICTS
from weaklink.parse import text_tool
from weaklink.parse.lines import plain_lines
from weaklink.parse.recognize import read_text
from weaklink.parse.text_tool import Passage
from weaklink.report.reading import ReadFinding
from weaklink.testing.pasted import read_pasted

FOLDER = Path(__file__).parent / "samples"
SAMPLES = {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.txt"))}
STEP = 100
LATER = {"kubectl": ["worker-crash-loop"], "vmstat": ["disk-saturated"]}
"""Causes that a text speaks of before its later lines tell better."""


def bad(text: str) -> list[ReadFinding]:
    return [one for one in read_pasted(text).findings if one.verdict in {"warn", "critical"}]


def test_every_sample_is_recognised_and_bad() -> None:
    assert SAMPLES
    for name, text in SAMPLES.items():
        assert bad(text), name


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_left_of_a_cut_text_is_never_judged_worse(name: str) -> None:
    text = SAMPLES[name]
    whole = read_pasted(text)
    causes = {one.cause for one in whole.findings}
    for at in range(STEP, len(text), STEP):
        cut = read_pasted(text[:at])
        assert VERDICTS.index(cut.verdict) <= VERDICTS.index(whole.verdict)
        assert {one.cause for one in cut.findings if one.verdict == "critical"} <= {
            *causes,
            "",  # what is seen, without blame
            *LATER.get(name, ()),
        }


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: f"ops@h-1:/srv$ some-command --all\n{text}ops@h-1:/srv$ ",
        lambda text: "".join(f"2026-03-02T10:00:00.123456789Z {x}\n" for x in text.splitlines()),
        lambda text: "".join(f"> {x}\n" for x in text.splitlines()),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: f"昨晚三点开始变慢，帮忙看看：\n\n```\n{text}```\n谢谢！\n",
        lambda text: "\x1b[31m" + text.replace("\n", "\x1b[0m\n"),
    ],
    ids=["prompt", "container", "quoted", "crlf", "chinese", "colours"],
)
def test_what_stands_around_changes_nothing(name: str, change: Callable[[str], str]) -> None:
    plain, other = bad(SAMPLES[name]), bad(change(SAMPLES[name]))
    assert [one.text for one in other] == [one.text for one in plain]


@pytest.mark.parametrize("name", SAMPLES)
def test_wrapped_at_80_columns_it_says_the_same_or_less(name: str) -> None:
    text = SAMPLES[name]
    wrapped = "".join(
        f"{line[at : at + 80]}\n"
        for line in text.splitlines()
        for at in range(0, max(1, len(line)), 80)
    )
    whole = {(one.verdict, one.cause) for one in bad(text)}
    assert {(one.verdict, one.cause) for one in bad(wrapped)} <= whole


PLACES = st.tuples(
    st.sampled_from(sorted(SAMPLES)),
    st.lists(
        st.tuples(
            st.integers(0, 4000),
            st.integers(0, 40),
            st.sampled_from(["", " ", "9", "\n", "\x00", "é", "%", '"', "(", "-1", "1e9", "é中"]),
        ),
        max_size=9,
    ),
)


@given(PLACES)
def test_damaged_texts_stop_no_reader_and_no_look(
    damage: tuple[str, list[tuple[int, int, str]]],
) -> None:
    name, cuts = damage
    text = SAMPLES[name]
    for at, length, put in cuts:
        text = text[:at] + put + text[at + length :]
    lines = plain_lines(text)
    passage = Passage(lines, list(range(1, len(lines) + 1)), "tool")
    for tool in text_tool.tools():
        # Called directly: recognition would hide a stumble.
        if tool.document is None and lines:
            tool.read(passage)
    view = View(case_of(read_text(text).parts))
    for look in looks():
        list(look.run(view))
