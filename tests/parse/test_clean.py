"""Any bytes become text that can be written as JSON."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.clean import clean_text


def test_what_is_fine_stays() -> None:
    assert clean_text("nginx: worker") == clean_text(b"nginx: worker") == "nginx: worker"
    assert clean_text("推理") == "推理"


def test_bytes_that_are_no_utf8_show_as_escapes_whichever_way_they_came() -> None:
    assert clean_text(b"a\xff") == clean_text("a\udcff") == "a\\xff"
    assert clean_text("a\x00b") == "a\\x00b"
    assert clean_text("\ud800") == "\\ud800"


@given(st.binary(max_size=200))
def test_all_bytes_can_be_written(raw: bytes) -> None:
    msgspec.json.encode(clean_text(raw))
    assert "\x00" not in clean_text(raw)


@given(st.text(alphabet=st.characters(), max_size=50))
def test_all_text_can_be_written(text: str) -> None:
    msgspec.json.encode(clean_text(text))
