"""Runs another program: the real one, with nothing of ours inherited, and never for too long.

No shell, no search through PATH, no environment; whoever could replace the program is refused.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat as st
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from weaklink.model.message import say
from weaklink.reach.host import NotAllowed, NotHere, TooLate
from weaklink.words import texts

if TYPE_CHECKING:
    import subprocess

texts(
    {
        "exec.not-here": "{tool} is not installed",
        "exec.unsafe": "{path} is not run: {who} could have replaced it",
        "exec.late": "{tool} did not end in time and was killed",
        "exec.refused": "{tool} could not be started: {error}",
    }
)

FOLDERS = ("/usr/sbin", "/usr/bin", "/sbin", "/bin")
"""Where programs are looked for, and nowhere else: root's own folders on every distribution."""
BESIDE_PYTHON = ("py-spy",)
"""Tools that our own installation brings along, in the folder of its Python."""
ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": ":".join(FOLDERS)}
MAX_LINKS = 16
GRACE_SECONDS = 0.5
"""After SIGKILL: a process in D state does not even then end, and is left behind."""


class Ran(NamedTuple):
    """What a program wrote, at most the limit of each, and how it ended (-9: by signal 9)."""

    stdout: bytes
    stderr: bytes
    returncode: int


def find_tool(name: str) -> str:
    """The path of an installed program; raises NotHere."""
    if "/" in name or not name:
        raise NotHere(say("exec.not-here", tool=name))
    folders = [*FOLDERS]
    if name in BESIDE_PYTHON:
        folders.insert(0, os.path.dirname(sys.executable))  # noqa: PTH120
    for folder in folders:
        path = f"{folder}/{name}"
        if os.access(path, os.X_OK) and os.path.isfile(path):  # noqa: PTH113
            return path
    raise NotHere(say("exec.not-here", tool=name))


def run(
    argv: list[str], deadline: float, limit_bytes: int = 1 << 20, stdin: bytes | None = None
) -> Ran:
    """Run a program by its absolute path until `deadline` (monotonic seconds).

    It gets a clean environment, a session of its own, and no descriptor of ours. Output beyond
    `limit_bytes` (of stdout and stderr each) is read and dropped. Raises TooLate (it and all its
    children of that session are killed), NotHere, NotAllowed (others can write it or a folder
    above it).
    """
    import subprocess

    program = trusted(argv[0])
    tool = os.path.basename(argv[0])  # noqa: PTH119
    if deadline <= time.monotonic():
        raise TooLate(say("exec.late", tool=tool))
    try:
        child = subprocess.Popen(
            argv,
            executable=program,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        reason = say("exec.refused", tool=tool, error=os.strerror(error.errno or 0))
        raise NotAllowed(reason) from None
    try:
        output = _talk(child, deadline, limit_bytes, stdin or b"")
        if output is None:
            raise TooLate(say("exec.late", tool=tool))
        try:
            code = child.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise TooLate(say("exec.late", tool=tool)) from None
        return Ran(output[0], output[1], code)
    finally:
        _end(child)


def trusted(path: str) -> str:
    """The file behind an absolute path, every link followed, if only root or we can change it.

    Raises NotHere, and NotAllowed where another user or group can write the file, a link on the
    way or a folder above any of them: then it need not be the program that it says it is.
    """
    if not path.startswith("/"):
        raise NotHere(say("exec.not-here", tool=path))
    here = path
    for _ in range(MAX_LINKS):
        _check_folders(os.path.dirname(here), path)  # noqa: PTH120
        try:
            told = os.lstat(here)
        except OSError:
            raise NotHere(say("exec.not-here", tool=path)) from None
        if not st.S_ISLNK(told.st_mode):
            if not st.S_ISREG(told.st_mode):
                raise NotHere(say("exec.not-here", tool=path))
            _check(told, here, path)
            return here
        _check_owner(told, here, path)
        here = os.path.join(os.path.dirname(here), os.readlink(here))  # noqa: PTH115,PTH118,PTH120
    raise NotHere(say("exec.not-here", tool=path))


def _check_folders(folder: str, path: str) -> None:
    """Every folder from here up to `/`; `..` is walked by the kernel, so by us too."""
    real = os.path.realpath(folder)
    while True:
        try:
            _check(os.stat(real), real, path)  # noqa: PTH116
        except OSError:
            raise NotHere(say("exec.not-here", tool=path)) from None
        if real == "/":
            return
        real = os.path.dirname(real)  # noqa: PTH120


def _check_owner(told: os.stat_result, here: str, path: str) -> None:
    if told.st_uid not in (0, os.geteuid()):
        raise NotAllowed(say("exec.unsafe", path=path, who=f"the owner of {here}"))


def _check(told: os.stat_result, here: str, path: str) -> None:
    _check_owner(told, here, path)
    # In a folder such as /tmp nobody may move or remove what is not his own (sticky bit): what lies
    # in it is as safe as its owner, who is checked for each entry on the way.
    if st.S_ISDIR(told.st_mode) and told.st_mode & st.S_ISVTX:
        return
    own_group = told.st_gid == 0 or (os.geteuid() != 0 and told.st_gid == os.getegid())
    if told.st_mode & st.S_IWOTH or (told.st_mode & st.S_IWGRP and not own_group):
        raise NotAllowed(say("exec.unsafe", path=path, who=f"whoever can write {here}"))


def _talk(
    child: subprocess.Popen[bytes], deadline: float, limit: int, stdin: bytes
) -> tuple[bytes, bytes] | None:
    """Feed and read until both outputs end; None where the deadline came first."""
    import selectors

    kept: dict[int, bytearray] = {}
    to_write = memoryview(stdin)
    with selectors.DefaultSelector() as waiting:
        for stream in (child.stdout, child.stderr):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                waiting.register(stream, selectors.EVENT_READ)
                kept[stream.fileno()] = bytearray()
        if child.stdin is not None:
            os.set_blocking(child.stdin.fileno(), False)
            waiting.register(child.stdin, selectors.EVENT_WRITE)
        streams = list(kept)
        while waiting.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            for ready, _ in waiting.select(left):
                if ready.fileobj is child.stdin:
                    to_write = _feed(ready.fd, to_write)
                    if not to_write:
                        waiting.unregister(child.stdin)
                        child.stdin.close()
                    continue
                data = os.read(ready.fd, 1 << 16)
                if not data:
                    waiting.unregister(ready.fileobj)
                    continue
                into = kept[ready.fd]
                into += data[: max(0, limit - len(into))]
    return bytes(kept[streams[0]]), bytes(kept[streams[1]])


def _feed(descriptor: int, to_write: memoryview) -> memoryview:
    try:
        return to_write[os.write(descriptor, to_write[: 1 << 16]) :]
    except BlockingIOError:
        return to_write
    except BrokenPipeError:
        return to_write[:0]  # it does not want to read the rest


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill its whole session's group, for a child of it may still hold our pipes; then reap it."""
    import subprocess

    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(GRACE_SECONDS)
