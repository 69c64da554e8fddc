"""Runs every reader and every look over hostile text and says which takes longest a megabyte.

Development only: `.venv/bin/python bench/hostile.py [SECONDS]` prints what took longer.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator

from weaklink.locate.reading import judge_text
from weaklink.parse import text_tool
from weaklink.parse.recognize import read_text
from weaklink.parse.text_tool import Passage, Tool

MEGABYTE = 1 << 20
LONGEST = 20
FILLERS = (
    "a", " ", "1", "1 ", "a ", "[", "{", "(", '"', "\\", "=", ":", ": ", "a=", "a=1 ", "a: 1, ",
    "-", "<a>", "/", "/a", ".", "1.", "1,1", "%", "|", "| a ", "\t", "\x1b[1m", "\x00", "\ud800",
    "é", "中", "10.0.0.1:1 ", "0x1f ", "[1] ", "at a.b(c:1) ", "#", "'a' ", "kB ", "ffff-", "sda ",
)  # fmt: skip


def texts_of(known: Tool) -> Iterator[tuple[str, str]]:
    """Hostile megabytes for one reader: its own heads, over and over, and then one endless line."""
    heads = (known.heads + known.needles)[:6] or ("x",)
    for filler in FILLERS:
        line = filler * max(1, 90 // len(filler))
        yield f"lines of {filler!r}", f"{line}\n" * (MEGABYTE // (len(line) + 1))
        yield f"one line of {filler!r}", filler * (MEGABYTE // len(filler))
    for head in heads:
        line = f"{head} 1 2 3 a b: 4 /x=5\n"
        yield f"{head!r} again and again", line * (MEGABYTE // len(line))
        yield f"{head!r} in one line", f"{head} " * (MEGABYTE // (len(head) + 1))
        for filler in ("a", " ", "1 ", "[", "=1 ", ": "):
            body = filler * (20_000 // len(filler))
            yield f"{head!r} and long {filler!r}", f"{head} {body}\n" * 50


def took(run: Callable[[], object]) -> float:
    """CPU seconds, at most LONGEST."""
    began = time.process_time()
    signal.setitimer(signal.ITIMER_REAL, LONGEST * 2)
    try:
        run()
    except TimeoutError:
        return float(LONGEST)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return time.process_time() - began


def _stop(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    """Print what took longer than the given seconds (1)."""
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    signal.signal(signal.SIGALRM, _stop)
    whole: dict[str, str] = {}
    for known in text_tool.tools():
        for name, text in texts_of(known):
            whole.setdefault(name, text)
            if only and only != known.name:
                continue
            lines = text.split("\n")
            passage = Passage(lines, list(range(1, len(lines) + 1)), known.name)
            seconds = took(lambda passage=passage, known=known: _read(known, passage))  # type: ignore[misc]
            if seconds > limit:
                print(f"{seconds:6.2f} s  reader {known.name}: {name}", flush=True)
    if only:
        return
    for name, text in whole.items():
        seconds = took(lambda text=text: judge_text([read_text(text)]))  # type: ignore[misc]
        if seconds > limit:
            print(f"{seconds:6.2f} s  whole: {name}", flush=True)


def _read(known: Tool, passage: Passage) -> None:
    for read in (known.read, *text_tool.further_readers(known.name)):
        read(passage)
        if known.starts is not None:
            for line in passage.lines[:20000]:
                known.starts(line[:2000])
        if known.goes_on is not None:
            for line in passage.lines[:20000]:
                known.goes_on(line)


if __name__ == "__main__":
    main()
