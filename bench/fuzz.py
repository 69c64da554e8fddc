"""Fuzzes every reader, recognition and the looks behind it with atheris. Development only.

    pip install atheris && python bench/fuzz.py [-max_total_time=60] [CORPUS_FOLDER]

A crash is a reader's exception, a look that failed, or a text that takes longer than 20 s.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["weaklink.parse", "weaklink.locate"]):
    from weaklink.locate.reading import judge_text
    from weaklink.parse import text_tool
    from weaklink.parse.lines import plain_lines
    from weaklink.parse.recognize import read_text
    from weaklink.parse.text_tool import Passage

TOOLS = text_tool.tools()


def one_input(data: bytes) -> None:
    """The first byte chooses a reader and the second one of its heads; the rest is text."""
    if len(data) < 3:
        return
    known = TOOLS[data[0] % len(TOOLS)]
    heads = (*known.heads, *known.needles, "")
    text = heads[data[1] % len(heads)] + data[2:].decode("utf-8", "surrogateescape")
    lines = plain_lines(text)
    passage = Passage(lines, list(range(1, len(lines) + 1)), known.name)
    if lines and known.document is None:
        for read in (known.read, *text_tool.further_readers(known.name)):
            read(passage)
    case = judge_text([read_text(text)])
    failed = [one for one in case.findings if one.message.key == "read.look-failed"]
    if failed:
        raise AssertionError(failed)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
