"""Python stacks as text: py-spy dump, and faulthandler's "most recent call first"."""

from __future__ import annotations

import re
import sys

from weaklink.model.fact import Frame, Stack, StackThread
from weaklink.model.take import Take
from weaklink.parse.origin import APP, STDLIB, origin_of
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_THREADS = 1000
MAX_FRAMES = 100
_PROCESS = re.compile(r"Process (\d{1,9}): (.{1,600})$")
_THREAD = re.compile(
    r'Thread (0x[0-9A-Fa-f]{1,16}|\d{1,10})(?: \((active|idle)(\+gil)?\))?(?:: "(.{0,200})")?$'
)
_FAULT = re.compile(
    r"(?:Current thread|Thread) (0x[0-9a-fA-F]{1,16})(?: \[(.{0,60})\])? "
    r"\(most recent call first\):$"
)
_FRAME = re.compile(r"\s{1,8}(.{1,300}) \(([^()]{1,400}?)(?::(\d{1,9}))?\)$")
_FILE = re.compile(r'\s{1,8}File "(.{1,400})", line (\d{1,9}) in (.{1,300})$')
_SHORT_STDLIB = frozenset(sys.stdlib_module_names)


def _starts(line: str) -> bool:
    bare = line.strip()
    return (
        _FAULT.match(bare) is not None
        or (_THREAD.match(bare) is not None and "(" in bare)
        or _PROCESS.match(bare) is not None
    )


def _goes_on(line: str) -> bool:
    bare = line.strip()
    return (
        not bare
        or _THREAD.match(bare) is not None
        or _FAULT.match(bare) is not None
        or _FRAME.match(line[:900]) is not None
        or _FILE.match(line[:900]) is not None
        or bare.startswith("Python v")
    )


@tool("py-stack", heads=("Thread 0x", "Thread ", "Current thread 0x", "Process "),
      starts=_starts, goes_on=_goes_on, commands=("py-spy",))  # fmt: skip
def py_stack(passage: Passage) -> Take | None:
    """One Stack a process; None where no thread has a frame."""
    stacks: list[Stack] = []
    title = pid = ""
    threads: list[StackThread] = []
    head: tuple[int, str, bool, bool] | None = None
    frames: list[Frame] = []

    def close_thread() -> None:
        nonlocal head, frames
        if head is not None and frames and len(threads) < MAX_THREADS:
            threads.append(
                StackThread(
                    tid=head[0], name=head[1], running=head[2], holds_gil=head[3], frames=frames
                )
            )
        head, frames = None, []

    def close_process() -> None:
        nonlocal threads
        close_thread()
        if threads:
            key = f"process:text/-/{pid or '-'}"
            stacks.append(Stack(process=key, at=0.0, threads=threads, title=title))
        threads = []

    for line in passage.lines:
        bare = line.strip()
        if process := _PROCESS.match(bare):
            close_process()
            pid, title = process[1], quoted(process[2])[:160]
        elif (found := _THREAD.match(bare)) and "(" in bare:
            close_thread()
            head = (
                _tid(found[1]),
                quoted(found[4] or "")[:64],
                found[2] == "active",
                bool(found[3]),
            )
        elif fault := _FAULT.match(bare):
            close_thread()
            head = (_tid(fault[1]), quoted(fault[2] or "")[:64], False, False)
        elif head is not None and len(frames) < MAX_FRAMES and (frame := _frame(line[:900])):
            frames.append(frame)
    close_process()
    return Take(stacks=stacks) if stacks else None


def _tid(text: str) -> int:
    value = int(text, 16) if text.startswith("0x") else int(text)
    return value if value < 1 << 31 else 0


def _frame(line: str) -> Frame | None:
    if found := _FRAME.match(line):
        return Frame(
            function=quoted(found[1])[:200],
            file=quoted(found[2]),
            line=min(int(found[3] or 0), 1 << 30),
            origin=_origin(found[2]),
        )
    if found := _FILE.match(line):
        return Frame(
            function=quoted(found[3])[:200],
            file=quoted(found[1]),
            line=min(int(found[2]), 1 << 30),
            origin=_origin(found[1]),
        )
    return None


def _origin(path: str) -> str:
    """py-spy prints a library's files from their package on: `zmq/sugar/poll.py`, `queue.py`."""
    told = origin_of(path)
    if told != APP or path.startswith("/"):
        return told
    first = path.partition("/")[0].removesuffix(".py")
    if first in _SHORT_STDLIB:
        return STDLIB
    return first[:64] if "/" in path else APP
