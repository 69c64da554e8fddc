"""Which process lives in which network namespace, and being there for a moment."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from weaklink.reach.host import NotAllowed, NotHere, TooLate
from weaklink.reach.namespaces import CLONE_NEWNET, in_each_netns, in_netns, netns_labels
from weaklink.reach.root import Root
from weaklink.testing.frozen_host import FrozenHost
from weaklink.testing.nobody import run_as_nobody

LISTENS = (
    "import socket, sys, time\n"
    "s = socket.socket(); s.bind(('0.0.0.0', 0)); s.listen(9)\n"
    "print(s.getsockname()[1], flush=True); time.sleep(60)"
)


def can_make_namespaces() -> bool:
    result: list[int] = []

    def attempt() -> None:
        result.append(ctypes.CDLL(None).unshare(CLONE_NEWNET))

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return result == [0]


@pytest.fixture
def elsewhere() -> Iterator[tuple[int, int]]:
    """A process in a network namespace of its own, and the port that it listens on there."""
    if not can_make_namespaces():
        pytest.skip("needs root to make a network namespace")
    process = subprocess.Popen(
        ["unshare", "--net", sys.executable, "-c", LISTENS], stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield process.pid, port
    finally:
        process.kill()
        process.communicate()


def own_inode() -> str:
    return inode_of("thread-self")


def inode_of(pid: int | str) -> str:
    return str(Path(f"/proc/{pid}/ns/net").readlink())


def test_it_is_told_apart_from_ours(elsewhere: tuple[int, int]) -> None:
    pid, _ = elsewhere
    labels = netns_labels(Root(), [pid, os.getpid(), 999_999_999])
    assert labels == {
        pid: inode_of(pid).partition("[")[2].rstrip("]"),
        os.getpid(): "-",
    }


def test_work_is_done_there_and_our_own_threads_stay(elsewhere: tuple[int, int]) -> None:
    pid, port = elsewhere
    before = own_inode()
    there = in_netns(pid, own_inode)
    assert there == inode_of(pid) != before
    assert own_inode() == before
    # The socket stays there, wherever it is used: its loopback is down, ours is up.
    with (
        in_netns(pid, lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as link,
        pytest.raises(OSError, match="unreachable"),
    ):
        link.connect(("127.0.0.1", port))


def test_what_the_work_raises_comes_back(elsewhere: tuple[int, int]) -> None:
    with pytest.raises(ZeroDivisionError):
        in_netns(elsewhere[0], lambda: 1 // 0)


def test_many_are_visited_in_one_thread(elsewhere: tuple[int, int]) -> None:
    pid, _ = elsewhere
    visits = in_each_netns(
        {"gone first": [999_999_999, pid], "gone": [999_999_999], "home": [os.getpid()]},
        own_inode,
        seconds=5,
    )
    assert visits.results["gone first"] == inode_of(pid)
    assert isinstance(visits.results["gone"], NotHere)
    assert visits.results["home"] == own_inode()


def test_a_process_that_is_gone_is_not_here() -> None:
    with pytest.raises(NotHere):
        in_netns(999_999_999, own_inode)


def test_work_that_hangs_is_left_behind(elsewhere: tuple[int, int]) -> None:
    release = threading.Event()
    try:
        with pytest.raises(TooLate):
            in_netns(elsewhere[0], lambda: release.wait(30), seconds=0.2)
    finally:
        release.set()


def test_without_rights_groups_are_still_told_apart(elsewhere: tuple[int, int]) -> None:
    said = run_as_nobody(
        "import os\n"
        "from weaklink.reach.host import NotAllowed\n"
        "from weaklink.reach.namespaces import in_netns, netns_labels\n"
        "from weaklink.reach.root import Root\n"
        f"pid = {elsewhere[0]}\n"
        "in_netns(pid, os.getpid)\n"
        "become_nobody()\n"
        "labels = netns_labels(Root(), [pid, os.getpid()])\n"
        "assert labels[os.getpid()] == '-', labels\n"
        "assert labels[pid].startswith('p'), labels\n"
        "try:\n"
        "    in_netns(pid, os.getpid)\n"
        "except NotAllowed as outcome:\n"
        "    print(outcome.remedy)\n"
    )
    assert said == "sudo weaklink\n"


def test_labels_of_a_frozen_root(tmp_path: Path) -> None:
    host = FrozenHost(tmp_path)
    host.process(10).process(11, netns=4026532999)
    assert netns_labels(host.root(), [10, 11, 12]) == {10: "-", 11: "4026532999", 12: "-"}


def test_no_descriptor_is_left_open(elsewhere: tuple[int, int]) -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    in_netns(elsewhere[0], own_inode)
    before = count()
    for _ in range(20):
        in_netns(elsewhere[0], own_inode)
        with contextlib.suppress(NotHere, NotAllowed):
            in_netns(999_999_999, own_inode)
    for _ in range(100):
        if count() <= before:
            break
        time.sleep(0.02)
    assert count() <= before
