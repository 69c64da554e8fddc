"""py-spy's JSON as stacks, and where a frame comes from."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.origin import origin_of
from weaklink.parse.py_spy import MAX_FRAMES, DumpError, failure, read_dump


def dump(**more: object) -> bytes:
    frames = [
        {
            "name": "decode",
            "filename": "/v/lib/python3.11/site-packages/av/frame.py",
            "line": 9,
            "module": None,
            "short_filename": "frame.py",
            "locals": None,
        },
        {"name": "render", "filename": "/srv/app/worker.py", "line": 88},
    ]
    thread = {
        "pid": 7,
        "thread_id": 1,
        "thread_name": "MainThread",
        "os_thread_id": 7,
        "active": True,
        "owns_gil": True,
        "frames": frames,
        **more,
    }
    return json.dumps([thread]).encode()


def test_a_dump_becomes_a_stack() -> None:
    stack = read_dump(dump(), "process:h/-/7@1", 5.0)
    thread = stack.threads[0]
    assert (thread.tid, thread.running, thread.holds_gil) == (7, True, True)
    assert [(f.function, f.origin, f.line) for f in thread.frames] == [
        ("decode", "av", 9),
        ("render", "app", 88),
    ]
    assert (stack.process, stack.at, stack.runtime) == ("process:h/-/7@1", 5.0, "python")


def test_endless_recursion_is_cut() -> None:
    frames = [{"name": "f", "filename": "/a.py", "line": 1}] * 5000
    assert len(read_dump(dump(frames=frames), "p", 0.0).threads[0].frames) == MAX_FRAMES


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"[{", dump()[:200], dump(frames=[])])
def test_a_torn_dump_is_said(data: bytes) -> None:
    with pytest.raises(DumpError):
        read_dump(data, "p", 0.0)


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        ("/v/lib/python3.11/site-packages/redis/client.py", "redis"),
        ("/usr/lib/python3/dist-packages/six.py", "six"),
        ("/usr/lib/python3.11/asyncio/base_events.py", "stdlib"),
        ("/usr/lib/python311.zip/os.py", "stdlib"),
        ("<frozen importlib._bootstrap>", "stdlib"),
        ("/srv/app/worker.py", "app"),
        ("av/container/input.pyx", "av"),
        ("<string>", "app"),
        ("", "app"),
    ],
)
def test_origin(path: str, origin: str) -> None:
    assert origin_of(path) == origin


def test_why_it_gave_up() -> None:
    assert failure(b"Permission Denied: Try running again with elevated permissions") == "denied"
    assert (
        failure(b"Error: Failed to get process executable name. Check that the process is running.")
        == "gone"
    )
    assert failure(b"Error: Failed to find python version from target process") == "not-python"
    assert failure(b"\xff") == "failed"


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    failure(data)
    with pytest.raises(DumpError):
        read_dump(data, "p", 0.0)
