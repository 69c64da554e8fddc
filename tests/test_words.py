"""The plain renderer never raises, whatever a Message lacks or a text asks for."""

from __future__ import annotations

from weaklink.model.message import say
from weaklink.words import render, texts

texts(
    {
        "test.words": "{count} things[ in {place}], for {wait:seconds} and {share:.1f}",
    }
)


def test_parts_in_brackets_are_left_out_and_specs_passed_over() -> None:
    assert render(say("test.words", count=3, wait=1.5, share=0.25)) == "3 things, for 1.5 and 0.2"
    full = say("test.words", count=3, place="here", wait=1.5, share="x")
    assert render(full) == "3 things in here, for 1.5 and x"


def test_a_missing_argument_is_a_question_mark() -> None:
    assert render(say("test.words", count=1, share=1.0)) == "1 things, for ? and 1.0"
