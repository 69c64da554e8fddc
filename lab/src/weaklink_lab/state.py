"""What the lab has made, written before it is made, so that `down` can always take it back."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from weaklink_lab.spec import Member, Spec
from weaklink_lab.truth import Truth

HOME = "WEAKLINK_LAB_HOME"
USUAL = Path("/run/weaklink-lab")
FOLDER = Path(os.environ.get(HOME, USUAL))
"""Where the lab keeps its state; another folder (and seed) makes a second lab beside the first."""


@dataclass(slots=True)
class Broken:
    """A fault that is in: its name, when it went in (epoch seconds), what its way out needs."""

    fault: str
    seed: int
    at: float
    notes: dict[str, Any] = field(default_factory=dict)
    truth: Truth | None = None


@dataclass(slots=True)
class State:
    """All that `down` needs to know; `pids` are by member, for looking, never for killing."""

    spec: Spec
    made_netns_folder: bool = False
    ready: bool = False
    pids: dict[str, int] = field(default_factory=dict)
    idle_memory: dict[str, int] = field(default_factory=dict)
    """Bytes of anonymous memory that each worker had before its first request."""
    load: int = 0
    load_factor: float = 1.0
    broken: Broken | None = None

    def group(self, member: Member) -> str:
        """Give the cgroup of a member."""
        return f"{self.spec.root}/{member.name}"

    def folder(self, member: Member) -> Path:
        """Give where the files of a member live."""
        return FOLDER / member.name

    def groups(self) -> list[str]:
        """Give every cgroup the lab may have made, what is inside first."""
        return [*map(self.group, self.spec.members), self.spec.root, self.spec.neighbour]

    def namespaces(self) -> list[str]:
        """Give every network namespace the lab may have made."""
        return [*(member.name for member in self.spec.members), self.spec.hub]


def save(state: State) -> None:
    """Write the state so that a crash leaves either the old or the new one."""
    FOLDER.mkdir(mode=0o755, exist_ok=True)
    unfinished = FOLDER / ".state.part"
    unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(state)))
    unfinished.replace(FOLDER / "state.json")


def load() -> State | None:
    """Give the state, or None where no lab is up."""
    try:
        raw = (FOLDER / "state.json").read_bytes()
    except FileNotFoundError:
        return None
    return msgspec.json.decode(raw, type=State)


def need() -> State:
    """Give the state of the lab that is up; raises LookupError where there is none."""
    state = load()
    if state is None or not state.ready:
        raise LookupError("no service is up: start one with `weaklink-lab up`")
    return state


def forget() -> None:
    """Remove the folder with everything in it."""
    shutil.rmtree(FOLDER, ignore_errors=True)


@contextmanager
def alone() -> Iterator[None]:
    """Keep a second command from changing this lab at the same time; labs beside it go on."""
    path = FOLDER.with_name(f".{FOLDER.name}.lock")
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Whoever held it has removed the file by now: then this lock keeps nobody out.
        if path.exists() and path.stat().st_ino == os.fstat(descriptor).st_ino:
            break
        os.close(descriptor)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


@contextmanager
def one_drill(wait: Callable[[], None]) -> Iterator[None]:
    """Keep a second drill off this machine: two at a time would measure each other.

    `wait` is called once where another one is running, before waiting for its end.
    """
    descriptor = os.open(FOLDER.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wait()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
