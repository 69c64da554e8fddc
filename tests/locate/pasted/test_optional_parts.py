"""Texts of the looks: no part in brackets within another, for `render` knows only one level."""

from __future__ import annotations

import re

from weaklink import words
from weaklink.locate.look import looks


def test_optional_parts_do_not_nest() -> None:
    assert looks()
    nested = [key for key, text in words.catalogue().items() if re.search(r"\[[^\]]*\[", text)]
    assert not nested
