"""Where the CPUs are, sampled by the kernel: instruction pointers of all processes, pausing nobody.

A small reader of perf_event_open(2). No program is run and no process is stopped; the kernel
notes, some 49 times a second and CPU, which instruction of which process it interrupts. For all
processes that needs root or CAP_PERFMON (or kernel.perf_event_paranoid <= 0); without it, one's own
processes can still be sampled where the kernel allows that (<= 2).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import mmap
import os
import platform
import struct
import threading
import time
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.model.message import say
from weaklink.reach.host import NotAllowed, NotHere
from weaklink.reach.perf_ring import PAGE, CpuSample, read_ring
from weaklink.words import texts

texts(
    {
        "perf.not-allowed": "sampling of CPUs needs root or CAP_PERFMON",
        "perf.none": "this kernel has no perf events",
    }
)

SYSCALL = {"x86_64": 298, "aarch64": 241}
"""Number of perf_event_open(2)."""
HERTZ = 49
"""Samples a second and CPU: odd, so that it does not beat with timers of 50 or 100 Hz."""
MOST_A_SECOND = 1_500
"""Of all CPUs together: parsing one costs 3 microseconds here, so 6 s cost 25 ms."""
MOST_SAMPLES = 60_000
"""Kept of one look, some 10 MB; 40 s of the most there are. What comes after counts as lost."""
PAGES = 16
"""Of a ring: 64 KiB hold 2 700 samples, and it is emptied every DRAIN_SECONDS."""
DRAIN_SECONDS = 2.0
MOST_DESCRIPTORS = 256
"""For one's own processes: one a thread and CPU, a quarter of what a process usually may open."""
REMEDY = "sudo weaklink"

TYPE_SOFTWARE, COUNT_CPU_CLOCK = 1, 0
SAMPLE_IP, SAMPLE_TID = 1, 2
INHERIT, EXCLUDE_KERNEL, EXCLUDE_HV, EXCLUDE_IDLE = 1 << 1, 1 << 5, 1 << 6, 1 << 7
BY_FREQUENCY = 1 << 10
FLAG_CLOEXEC = 8
DISABLE, SET_OUTPUT = 0x2401, 0x2405
"""PERF_EVENT_IOC_DISABLE and PERF_EVENT_IOC_SET_OUTPUT."""
ATTRIBUTE = struct.Struct("=IIQQQQQIIQQQQIiQIHH")
"""struct perf_event_attr up to PERF_ATTR_SIZE_VER5 (112 bytes), linux/perf_event.h."""


class Sampling(NamedTuple):
    """What was sampled. `hertz` samples a second would be one CPU in full.

    `lost` counts samples that found no room. `everybody` False: only own processes were seen, and
    perhaps without their time in the kernel.
    """

    samples: list[CpuSample]
    hertz: float
    seconds: float
    lost: int = 0
    everybody: bool = True


class _Ring(NamedTuple):
    descriptor: int
    ring: mmap.mmap


def sample_cpus(
    seconds: float, stop: threading.Event | None = None, own: Iterable[int] = ()
) -> Sampling:
    """Samples of all CPUs over a span; where that is not allowed, of the processes in `own`.

    Ends early when `stop` is set. Raises NotAllowed without the right to either, NotHere where
    the kernel has no perf events.
    """
    stop = stop or threading.Event()
    cpus = online_cpus()
    hertz = max(1, min(HERTZ, MOST_A_SECOND // len(cpus)))
    everybody = True
    with contextlib.ExitStack() as held:
        try:
            rings = _of_machine(held, cpus, hertz)
        except NotAllowed:
            rings = _of_processes(held, cpus, hertz, own)
            everybody = False
        samples, lost, took = _collect(rings, seconds, stop)
    return Sampling(samples, float(hertz), took, lost, everybody)


def _collect(
    rings: list[_Ring], seconds: float, stop: threading.Event
) -> tuple[list[CpuSample], int, float]:
    """Empty the rings now and then until the time is over: (samples, lost, seconds)."""
    samples: list[CpuSample] = []
    lost: list[int] = []
    started = time.monotonic()
    going = True
    while going:
        left = started + seconds - time.monotonic()
        going = not stop.wait(max(0.0, min(DRAIN_SECONDS, left))) and left > DRAIN_SECONDS
        if not going:
            for one in rings:
                # After this nothing is written any more, so that the last reading is not torn.
                with contextlib.suppress(OSError):
                    fcntl.ioctl(one.descriptor, DISABLE, 0)
        for one in rings:
            samples += read_ring(one.ring, lost)
        if len(samples) > MOST_SAMPLES:
            lost.append(len(samples) - MOST_SAMPLES)
            del samples[MOST_SAMPLES:]
    return samples, sum(lost), time.monotonic() - started


def _of_machine(held: contextlib.ExitStack, cpus: list[int], hertz: int) -> list[_Ring]:
    rings = []
    for cpu in cpus:
        descriptor = _open(_attribute(hertz, 0), -1, cpu)
        if descriptor is not None:  # else the CPU went offline meanwhile
            held.callback(os.close, descriptor)
            rings.append(_mapped(held, descriptor))
    if not rings:
        raise NotHere(say("perf.none"))
    return rings


def _of_processes(
    held: contextlib.ExitStack, cpus: list[int], hertz: int, own: Iterable[int]
) -> list[_Ring]:
    """One event a thread and CPU, inherited by threads that start meanwhile; one ring a CPU.

    The kernel maps no ring for an inherited event that follows its thread over all CPUs.
    """
    threads = _threads(own, max(1, MOST_DESCRIPTORS // len(cpus)))
    rings: dict[int, _Ring] = {}
    for tid in threads:
        for cpu in cpus:
            descriptor = _open_own(hertz, tid, cpu)
            if descriptor is None:
                break  # it ended, or is not ours
            held.callback(os.close, descriptor)
            if cpu in rings:
                fcntl.ioctl(descriptor, SET_OUTPUT, rings[cpu].descriptor)
            else:
                rings[cpu] = _mapped(held, descriptor)
    if not rings:
        raise NotAllowed(say("perf.not-allowed"), REMEDY)
    return list(rings.values())


def _open_own(hertz: int, tid: int, cpu: int) -> int | None:
    """With its time in the kernel where that is allowed; None where the thread is not to be had."""
    for more in (INHERIT, INHERIT | EXCLUDE_KERNEL):
        try:
            return _open(_attribute(hertz, more), tid, cpu)
        except NotAllowed:
            continue
    return None


def _threads(pids: Iterable[int], most: int) -> list[int]:
    """Threads of these processes, at most `most`: the oldest of each first."""
    rows: list[list[int]] = []
    for pid in pids:
        with contextlib.suppress(OSError):
            names = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
            rows.append(sorted(int(name) for name in names if name.isdigit()))
    longest = max((len(row) for row in rows), default=0)
    return [row[n] for n in range(min(longest, most)) for row in rows if n < len(row)][:most]


def online_cpus() -> list[int]:
    """Numbers of the CPUs that run; those that we may run on where the kernel does not tell."""
    try:
        with open("/sys/devices/system/cpu/online", encoding="ascii") as file:
            found = parse_cpus(file.read(4096))
    except (OSError, UnicodeDecodeError):
        found = []
    return found or sorted(os.sched_getaffinity(0))


def parse_cpus(text: str) -> list[int]:
    """`0-2,5` as numbers; parts that are none are left out."""
    found: list[int] = []
    for part in text.strip().split(","):
        low, _, high = part.partition("-")
        if low.isdecimal() and (not high or high.isdecimal()):
            found += range(int(low), min(int(high or low), int(low) + 8191) + 1)
    return found


def _mapped(held: contextlib.ExitStack, descriptor: int) -> _Ring:
    ring = mmap.mmap(descriptor, (1 + PAGES) * PAGE)
    held.callback(ring.close)
    return _Ring(descriptor, ring)


def _attribute(hertz: int, more: int) -> bytes:
    flags = EXCLUDE_HV | EXCLUDE_IDLE | BY_FREQUENCY | more
    head = (TYPE_SOFTWARE, ATTRIBUTE.size, COUNT_CPU_CLOCK, hertz, SAMPLE_IP | SAMPLE_TID, 0, flags)
    return ATTRIBUTE.pack(*head, *[0] * 12)


def _open(attribute: bytes, pid: int, cpu: int) -> int | None:
    """A descriptor; None where that thread or CPU is gone. Raises NotAllowed, NotHere, OSError."""
    number = SYSCALL.get(platform.machine())
    if number is None:
        raise NotHere(say("perf.none"))
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(
        ctypes.c_long(number),
        ctypes.create_string_buffer(attribute, len(attribute)),  # the kernel may write its size
        ctypes.c_int(pid),
        ctypes.c_int(cpu),
        ctypes.c_int(-1),
        ctypes.c_ulong(FLAG_CLOEXEC),
    )
    if descriptor >= 0:
        return int(descriptor)
    code = ctypes.get_errno()
    if code in (errno.ESRCH, errno.ENODEV):
        return None
    raise _refusal(code)


def _refusal(code: int) -> Exception:
    if code in (errno.EACCES, errno.EPERM):
        return NotAllowed(say("perf.not-allowed"), REMEDY)
    if code in (errno.ENOSYS, errno.ENOENT, errno.EOPNOTSUPP):
        return NotHere(say("perf.none"))
    return OSError(code, os.strerror(code), "perf_event_open")
