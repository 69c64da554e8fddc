"""What a line may begin depends on its shape, save where a head itself holds digits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse import text_tool
from weaklink.parse.beginnings import Beginnings
from weaklink.parse.lines import plain_lines

HEADS = [head for tool in text_tool.tools() for head in (*tool.heads, *tool.needles)]


def test_lines_of_one_shape_are_judged_each_by_its_own_digits() -> None:
    lines = ["GPU 00000000:4E:00.0", "GPU 10000000:4E:00.0", "28231", "x8231"]
    beginnings = Beginnings(lines, text_tool.tools())
    names = [[known.name for known in beginnings.of(at)] for at in range(len(lines))]
    assert "nvidia-smi-q" in names[0]
    assert "nvidia-smi-q" not in names[1]
    assert "socket-count" in names[2]
    assert names[3] == []


def test_the_log_that_a_shape_belonged_to_is_asked_first() -> None:
    lines = [
        "[ 1.000001] NVRM: Xid (PCI:0000:1a:00): 79, pid=1",
        "[ 2.000002] NVRM: Xid (PCI:0000:1a:00): 79, pid=3",
    ]
    beginnings = Beginnings(lines, text_tool.tools())
    for known in list(beginnings.of(0)):
        beginnings.was(0, known)
        assert next(iter(beginnings.of(1))) is known


@given(st.lists(st.tuples(st.sampled_from(HEADS), st.text(max_size=30)), min_size=1, max_size=30))
def test_the_memory_says_what_asking_every_tool_says(pieces: list[tuple[str, str]]) -> None:
    lines = plain_lines("\n".join(head + rest for head, rest in pieces))
    beginnings = Beginnings(lines, text_tool.tools())
    for at, line in enumerate(lines):
        asked = {known.name for known in text_tool.tools() if known.begins(line)}
        assert {known.name for known in beginnings.of(at)} == asked
        assert {known.name for known in beginnings.of(at)} == asked
