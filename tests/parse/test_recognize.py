"""Recognition: prompts, prefixes, wraps, cut ends, several outputs; and never a stumble."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weaklink.parse import text_tool
from weaklink.parse.lines import command_of, plain_lines, unwrapped, without_cut_number
from weaklink.parse.recognize import read_text
from weaklink.parse.text_tool import Passage
from weaklink.testing.pasted import read_pasted

MDSTAT = (
    "Personalities : [raid1]\n"
    "md5 : active raid1 sdb1[1] sda1[0]\n"
    "      524224 blocks super 1.2 [2/1] [U_]\n\n"
    "unused devices: <none>\n"
)
NEIGH = "10.1.2.3 dev ens1 lladdr 02:00:00:00:00:09 REACHABLE\n10.1.2.4 dev ens1  FAILED\n"
XID = "[ 99.000001] NVRM: Xid (PCI:0000:1a:00): 79, pid=1, name=x, GPU has fallen off the bus.\n"
SAMPLES = {"mdstat": MDSTAT, "ip-neigh": NEIGH, "kernel-log": XID}


def tools_of(text: str) -> list[str]:
    return [part.tool for part in read_text(text).parts]


def test_several_outputs_one_after_another_are_told_apart() -> None:
    text = f"root@h1:~# cat /proc/mdstat\n{MDSTAT}root@h1:~# ip n\n{NEIGH}{XID}root@h1:~# \n"
    parts = read_text(text).parts
    assert [part.tool for part in parts] == ["mdstat", "ip-neigh", "kernel-log"]
    assert (parts[0].first, parts[0].last) == (2, 6)
    assert read_text(text).unrecognised == []


def test_outputs_without_prompts_between_them_are_told_apart_too() -> None:
    assert tools_of(MDSTAT + NEIGH + XID) == ["mdstat", "ip-neigh", "kernel-log"]


def test_prose_around_is_left_and_its_lines_are_named() -> None:
    text = f"大家好, 磁盘好像坏了:\n\n{MDSTAT}\nWhat do you think? It was slow since 3 pm.\n"
    reading = read_text(text)
    assert [part.tool for part in reading.parts] == ["mdstat"]
    assert reading.unrecognised == [(1, 1), (9, 9)]


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\x1b[01;31m" + text.replace("\n", "\x1b[0m\n\x1b[K"),
        lambda text: "".join(f"2026-03-02T10:00:00.123456789Z {x}\n" for x in text.splitlines()),
        lambda text: "".join(f"> {x}\n" for x in text.splitlines()),
        lambda text: "".join(f"    {x}\n" for x in text.splitlines()),
        lambda text: f"```\n{text}```\n",
        lambda text: f"Every 2.0s: some command      h1: Mon Mar  2 10:00:00 2026\n\n{text}",
        lambda text: f"(venv) ops@h-1:/srv/app$ some command\n{text}ops@h-1:/srv/app$ ",
    ],
    ids=["crlf", "colours", "container", "quoted", "indented", "fenced", "watch", "prompt"],
)
def test_what_is_around_a_text_does_not_change_what_it_says(name: str, change: object) -> None:
    assert callable(change)
    plain, other = read_pasted(SAMPLES[name]), read_pasted(change(SAMPLES[name]))
    assert [one.text for one in other.findings] == [one.text for one in plain.findings]


def test_a_text_wrapped_at_80_columns_is_joined_again() -> None:
    row = "md7 : active raid6 " + " ".join(f"sd{c}1[{n}]" for n, c in enumerate("abcdefghijkl"))
    places = "U" * 11
    text = f"{row}\n      5242 blocks super 1.2 level 6, algorithm 2 [12/11] [{places}_]\n"
    wrapped = "".join(
        f"{line[at : at + 80]}\n" for line in text.splitlines() for at in range(0, len(line), 80)
    )
    assert wrapped != text
    assert read_pasted(wrapped).findings == read_pasted(text).findings


def test_a_number_at_a_cut_end_is_not_believed() -> None:
    assert without_cut_number(["a: 1", "maxmemory:9"])[-1] == ""
    assert without_cut_number(["a: 1", "Media Error Count: 9"])[-1] == "Media Error Count: 9"
    assert without_cut_number(["a: 1", "sda 1 2 3"])[-1] == "sda 1 2 3"
    assert without_cut_number(["Media Error Count: 9"]) == ["Media Error Count: 9"]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_cut_is_right_or_silent(name: str) -> None:
    text = SAMPLES[name]
    whole = {one.target for one in read_pasted(text).findings if one.verdict == "critical"}
    for at in range(len(text)):
        for one in read_pasted(text[:at]).findings:
            assert one.verdict in {"healthy", "unknown", "warn"} or one.target in whole


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("$ ip r", "ip r"),
        ("root@h1:~# dmesg -T | tail", "dmesg -T | tail"),
        ("[ops@gpu-01 ~]$ nvidia-smi", "nvidia-smi"),
        ("# smartctl -a /dev/sda", "smartctl -a /dev/sda"),
        ("# HELP vllm:num_requests_waiting Number of requests", None),
        ("# gpu   pid  type    sm", None),
        ("> a quoted word", None),
        ("md0 : active raid1 sda1[0]", None),
        ("100% [====>     ] 12 MB/s", None),
        ("Device            r/s     %util", None),
    ],
)
def test_prompts_are_told_from_comments_and_tables(line: str, command: str | None) -> None:
    assert command_of(line) == command


def test_hidden_characters_and_overstrikes_are_taken_out() -> None:
    assert plain_lines("10%\r50%\r100%\nsd\u200ba\x08\n") == ["100%", "sda"]


def test_lines_that_are_as_wide_as_their_rule_are_not_joined() -> None:
    lines = ["-" * 80, "one", "-" * 80]
    assert unwrapped(lines, [1, 2, 3]) is None


def test_a_document_inside_a_text_is_found_and_a_broken_one_left() -> None:
    report = '{"smartctl": {"exit_status": 0},\n "smart_status": {"passed": false}}\n'
    assert tools_of(f"see:\n{report}bye\n") == ["smartctl-json"]
    assert tools_of("see:\n" + report[:-4]) == []
    assert tools_of("[" * 100_000 + "\n") == []


NOISE = st.text(alphabet=string.printable + "\x00\x1b\ud800é中🙂", max_size=400)


@given(NOISE)
@example("md" + "[" * 5000)
@example("{" * 3000)
@example("\x1b[" * 2000)
@example("<gpu id=" + "<a>" * 3000)
def test_noise_is_no_reading(text: str) -> None:
    reading = read_text(text)
    assert reading.failed == ""
    assert all(part.first <= part.last for part in reading.parts)


HEADS = [head for tool in text_tool.tools() for head in (*tool.heads, *tool.needles)]


@given(st.lists(st.tuples(st.sampled_from(HEADS), NOISE), max_size=12))
def test_the_beginning_of_an_output_with_noise_after_it_stops_nobody(
    pieces: list[tuple[str, str]],
) -> None:
    lines = plain_lines("\n".join(head + rest for head, rest in pieces))
    passage = Passage(lines, list(range(1, len(lines) + 1)), "tool --all /dev/sda")
    for tool in text_tool.tools():
        if tool.document is None and lines:
            # Called directly: recognition would hide a stumble.
            tool.read(passage)
            for line in lines:
                tool.begins(line)
                if tool.goes_on is not None:
                    tool.goes_on(line)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "Controllers",
                    "Command Status",
                    "Response Data",
                    "smartctl",
                    "device",
                    "smart_status",
                    "ata_smart_attributes",
                    "table",
                    "raw",
                    "sysstat",
                    "hosts",
                    "statistics",
                    "disk",
                    "dmesg",
                    "msg",
                    "EID:Slt",
                    "State",
                    "DG/VD",
                    "x",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(JSON)
def test_documents_of_any_shape_stop_nobody(value: object) -> None:
    passage = Passage(["{"], [1], "", value)
    for tool in text_tool.tools():
        if tool.document is not None and tool.document(value):
            tool.read(passage)


def test_a_megabyte_of_hostile_text_is_linear() -> None:
    """Doubling the text must not quadruple the work: counted in lines of our own code run."""
    import sys

    def work(text: str) -> int:
        count = 0

        def tracer(frame: object, event: str, argument: object) -> object:
            nonlocal count
            count += 1
            return None

        sys.setprofile(tracer)
        try:
            read_text(text)
        finally:
            sys.setprofile(None)
        return count

    piece = "".join(f"{head}{' x1 [2] {{' * 3}\n" for head in HEADS)
    small, large = work(piece * 4), work(piece * 8)
    assert large < 3 * small
