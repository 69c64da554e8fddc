"""A Message becomes a sentence whatever its arguments are, and never an exception."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weaklink.model.message import Message, say
from weaklink.report.phrase import Voice, phrase
from weaklink.report.safe import plain
from weaklink.words import texts

texts(
    {
        "test.phrase.all": "{wait:seconds}, {share:percent}, {size:bytes}, {at:clock}, {n}",
        "test.phrase.part": "it fell[ from {before}] to {now}",
        "test.phrase.spec": "{n:.1f} {name:>5}",
    }
)
VOICE = Voice(utc_offset=3600)


def test_specs_of_ours() -> None:
    said = phrase(
        say("test.phrase.all", wait=0.21, share=0.081, size=2.5 * 2**30, at=3600.0, n=12480), VOICE
    )
    assert plain(said) == "0.21 s, 8.1 %, 2.5 GiB, 02:00:00, 12 480"


def test_a_pid_is_a_name_not_an_amount() -> None:
    said = phrase(say("no.such.key", culprit_pid=27481, port=8080.0, count=27481), VOICE)
    assert plain(said) == "no.such.key (count 27 481, culprit_pid 27481, port 8080)"


def test_a_part_is_said_only_where_its_argument_is_known() -> None:
    assert phrase(say("test.phrase.part", now=3), VOICE) == "it fell to 3"
    assert phrase(say("test.phrase.part", now=3, before=9), VOICE) == "it fell from 9 to 3"


def test_python_specs_work_and_a_missing_argument_is_a_question_mark() -> None:
    assert phrase(say("test.phrase.spec", n=1.26, name="x"), VOICE) == "1.3     x"
    assert phrase(say("test.phrase.part"), VOICE) == "it fell to ?"


def test_a_key_of_another_version_shows_as_itself() -> None:
    assert phrase(say("no.such.key", pid=7), VOICE) == "no.such.key (pid 7)"


def test_arguments_are_never_read_as_a_format() -> None:
    assert phrase(say("test.phrase.part", now="{before}\x1b"), VOICE) == "it fell to {before}\\x1b"


@given(st.dictionaries(st.sampled_from(["n", "name", "now"]), st.text() | st.floats()))
def test_never_an_exception(args: dict[str, str | float]) -> None:
    for key in ("test.phrase.all", "test.phrase.part", "test.phrase.spec"):
        assert phrase(Message(key=key, args=dict(args)), VOICE)
