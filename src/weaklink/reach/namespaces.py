"""Network namespaces: which process lives in which, and doing something inside another one.

Every statement about a socket names its namespace. The label is `-` for the one of the host's
init process, else the inode number that `/proc/PID/ns/net` shows. That link needs the right to
trace the process; the inode of `/proc/PID/net/tcp` tells namespaces apart for anybody, so an
unprivileged look still groups processes correctly, under `p<inode>` where the number is hidden.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from weaklink.model.message import say
from weaklink.model.target import HOST_NETNS
from weaklink.reach.host import NotAllowed, NotHere, TooLate
from weaklink.reach.root import Root
from weaklink.words import texts

texts(
    {
        "netns.denied": "entering the network namespace of process {pid} needs CAP_SYS_ADMIN",
        "netns.gone": "process {pid} is gone, and its network namespace with it",
        "netns.late": "no answer from the network namespace of process {pid} in {seconds} s",
    }
)

CLONE_NEWNET = 0x4000_0000
"""Flag of setns(2) for a network namespace, include/uapi/linux/sched.h."""

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def netns_labels(root: Root, pids: Iterable[int]) -> dict[int, str]:
    """The label of each process's network namespace; processes that are gone are left out."""
    if root.frozen:
        return _frozen_labels(root, pids)
    home = _mark(1) or _mark(os.getpid())
    labels: dict[int, str] = {home: HOST_NETNS}
    found: dict[int, str] = {}
    hidden: dict[int, int] = {}
    for pid in pids:
        mark = _mark(pid)
        if not mark:
            continue
        if mark not in labels:
            inode = _inode(pid)
            if not inode:
                hidden[pid] = mark
                continue
            labels[mark] = str(inode)
        found[pid] = labels[mark]
    for pid, mark in hidden.items():
        found[pid] = labels.get(mark, f"p{mark}")
    return found


def _mark(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}/net/tcp").st_ino  # noqa: PTH116
    except OSError:
        return 0


def _inode(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino  # noqa: PTH116
    except OSError:
        return 0


def _frozen_labels(root: Root, pids: Iterable[int]) -> dict[int, str]:
    home = _frozen_inode(root, "1") or _frozen_inode(root, "self")
    found = {}
    for pid in pids:
        inode = _frozen_inode(root, str(pid))
        found[pid] = HOST_NETNS if inode in (home, "") else inode
    return found


def _frozen_inode(root: Root, pid: str) -> str:
    try:
        inode = root.link(f"/proc/{pid}/ns/net").partition("[")[2].rstrip("]")
    except OSError:
        return ""
    return inode if inode.isdigit() else ""


def in_netns(pid: int, work: Callable[[], T], *, seconds: float = 2.0) -> T:
    """Run `work` inside the network namespace of a process and return what it returns.

    Sockets that it creates stay in that namespace wherever they are used afterwards. It runs in
    a thread made for it, which ends with it, so that no other thread of ours is ever moved.
    Raises NotAllowed, NotHere (the process is gone), TooLate, or what `work` raises.
    """
    own = os.getpid()
    if pid == own or _mark(pid) == _mark(own) != 0:
        return work()
    done = in_each_netns({pid: [pid]}, work, seconds=seconds)
    if pid not in done.results:
        raise TooLate(say("netns.late", pid=pid, seconds=seconds))
    result = done.results[pid]
    if isinstance(result, BaseException):
        raise result
    return result


class Visits(NamedTuple, Generic[K, T]):
    """What `work` returned, or the exception, by namespace; those that time left out are missing.

    `cpu_seconds` is what the visiting thread used, which the caller's own clock does not count.
    """

    results: dict[K, T | BaseException]
    cpu_seconds: float


def in_each_netns(
    spaces: Mapping[K, Sequence[int]], work: Callable[[], T], *, seconds: float
) -> Visits[K, T]:
    """Run `work` in many namespaces, one after the other, in one thread made for it.

    `spaces` gives for each namespace some processes that live in it, tried in turn since each
    may end meanwhile. Never raises; see Visits.
    """
    results: dict[K, T | BaseException] = {}
    cpu = [0.0]

    def run() -> None:
        for name, pids in spaces.items():
            try:
                _enter_one(pids)
                outcome: T | BaseException = work()
            except BaseException as error:
                outcome = error  # handed over to the one who asked
            results[name] = outcome
            cpu[0] = time.thread_time()

    thread = threading.Thread(target=run, name="weaklink-netns", daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    return Visits(dict(results), cpu[0])


def _enter_one(pids: Sequence[int]) -> None:
    gone: BaseException = NotHere(say("netns.gone", pid=pids[0] if pids else 0))
    for pid in pids:
        try:
            descriptor = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, ProcessLookupError):
            continue
        except OSError:
            gone = NotAllowed(say("netns.denied", pid=pid), "sudo weaklink")
            continue
        try:
            enter(descriptor)
        except OSError:
            raise NotAllowed(say("netns.denied", pid=pid), "sudo weaklink") from None
        finally:
            os.close(descriptor)
        return
    raise gone


def enter(descriptor: int) -> None:
    """Move the calling THREAD into the network namespace of an open descriptor (setns(2)).

    Raises OSError. Python 3.11 has no os.setns, hence libc's.
    """
    if hasattr(os, "setns"):
        os.setns(descriptor, CLONE_NEWNET)
        return
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
