"""Reads the JSON of `py-spy dump --json` into stacks, innermost frame first."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from weaklink.model.fact import Frame, Stack, StackThread
from weaklink.parse.origin import origin_of
from weaklink.parse.redact import redact

MAX_THREADS = 256
MAX_FRAMES = 100
"""Innermost frames kept of a thread; recursion deeper than this repeats itself."""


class DumpError(ValueError):
    """What py-spy wrote is no dump: torn, empty, or of another version."""


class _Frame(msgspec.Struct):
    name: str = ""
    filename: str = ""
    line: int = 0


class _Thread(msgspec.Struct):
    os_thread_id: int | None = None
    thread_id: int = 0
    thread_name: str | None = None
    active: bool = False
    owns_gil: bool = False
    frames: list[_Frame] = []


def read_dump(data: bytes, process: str, at: float) -> Stack:
    """One Stack of a process; raises DumpError."""
    try:
        threads = msgspec.json.decode(data, type=list[_Thread])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise DumpError(str(error)[:200]) from None
    if not any(thread.frames for thread in threads):
        raise DumpError("no frames")
    return Stack(
        process=process,
        at=at,
        threads=[
            StackThread(
                tid=_small(thread.os_thread_id or 0),
                name=redact((thread.thread_name or "")[:64]),
                running=thread.active,
                holds_gil=thread.owns_gil,
                frames=[_frame(one.name, one.filename, one.line) for one in _kept(thread.frames)],
            )
            for thread in threads[:MAX_THREADS]
        ],
    )


def _kept(frames: list[_Frame]) -> list[_Frame]:
    return frames[:MAX_FRAMES]


@lru_cache(maxsize=16384)
def _frame(name: str, path: str, line: int) -> Frame:
    return Frame(
        function=redact(name[:200]),
        file=redact(path[-300:]),
        line=_small(line),
        origin=origin_of(path),
    )


def _small(value: int) -> int:
    return value if 0 <= value < 1 << 31 else 0


def failure(stderr: bytes) -> str:
    """Why py-spy gave up, in one word: `denied`, `gone`, `not-python`, or `failed`."""
    text = stderr[:20_000].decode("utf-8", "replace").lower()
    if "permission denied" in text or "operation not permitted" in text:
        return "denied"
    if "no such process" in text or "check that the process is running" in text:
        return "gone"
    if "failed to find python version" in text or "find a python interpreter" in text:
        return "not-python"
    return "failed"
