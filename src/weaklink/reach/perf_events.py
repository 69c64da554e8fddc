"""Where the CPUs are, sampled by the kernel: instruction pointers of all processes, pausing nobody.

A small reader of perf_event_open(2): one software clock event a CPU, its ring buffer read here.
No program is run and no process is stopped; the kernel notes, some 49 times a second and CPU, which
instruction of which process it interrupts. Needs root or CAP_PERFMON (or
kernel.perf_event_paranoid <= 0).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import os
import platform
import struct
import time
from collections.abc import Iterator
from typing import NamedTuple

from weaklink.model.message import say
from weaklink.reach.host import NotAllowed, NotHere
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
"""Of all CPUs together: parsing one costs about a microsecond here."""
PAGES = 16
"""Of the ring buffer: 64 KiB hold 2 000 samples, 40 s of one CPU."""
PAGE = mmap.PAGESIZE

TYPE_SOFTWARE, COUNT_CPU_CLOCK = 1, 0
SAMPLE_IP, SAMPLE_TID = 1, 2
EXCLUDE_HV, EXCLUDE_IDLE, BY_FREQUENCY = 1 << 6, 1 << 7, 1 << 10
FLAG_CLOEXEC = 8
ATTRIBUTE = struct.Struct("<IIQQQQQIIQQQQIiQIHH")
"""struct perf_event_attr up to PERF_ATTR_SIZE_VER5 (112 bytes), linux/perf_event.h."""
HEADER = struct.Struct("<IHH")
SAMPLE = struct.Struct("<QII")
RECORD_SAMPLE = 9
MISC_MODE, MISC_KERNEL = 7, 1
HEAD, TAIL = 1024, 1032
"""Offsets of data_head and data_tail in the ring buffer's first page."""


class CpuSample(NamedTuple):
    """One interrupted instruction; `pid` 0 is the idle task."""

    pid: int
    tid: int
    address: int
    kernel: bool


def sample_cpus(seconds: float, stop: object = None) -> tuple[list[CpuSample], float]:
    """Samples of all CPUs over a span, and the frequency asked for (per second and CPU).

    Raises NotAllowed without the right, NotHere where the kernel has no perf events.
    """
    cpus = sorted(os.sched_getaffinity(0))
    hertz = max(1, min(HERTZ, MOST_A_SECOND // max(1, os.cpu_count() or 1)))
    with contextlib.ExitStack() as stack:
        rings = [stack.enter_context(_ring(cpu, hertz)) for cpu in _online(cpus)]
        wait = getattr(stop, "wait", None)
        if wait is not None:
            wait(seconds)
        else:
            time.sleep(seconds)
        return [sample for ring in rings for sample in read_ring(ring)], float(hertz)


def _online(fallback: list[int]) -> list[int]:
    try:
        with open("/sys/devices/system/cpu/online", encoding="ascii") as file:
            text = file.read(4096)
    except OSError:
        return fallback
    found: list[int] = []
    for part in text.strip().split(","):
        low, _, high = part.partition("-")
        if low.isdigit() and (not high or high.isdigit()):
            found.extend(range(int(low), int(high or low) + 1))
    return found or fallback


@contextlib.contextmanager
def _ring(cpu: int, hertz: int) -> Iterator[mmap.mmap]:
    attribute = ATTRIBUTE.pack(
        TYPE_SOFTWARE, ATTRIBUTE.size, COUNT_CPU_CLOCK, hertz, SAMPLE_IP | SAMPLE_TID, 0,
        EXCLUDE_HV | EXCLUDE_IDLE | BY_FREQUENCY, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    )  # fmt: skip
    descriptor = _open(attribute, cpu)
    try:
        ring = mmap.mmap(descriptor, (1 + PAGES) * PAGE)
        try:
            yield ring
        finally:
            ring.close()
    finally:
        os.close(descriptor)


def _open(attribute: bytes, cpu: int) -> int:
    number = SYSCALL.get(platform.machine())
    if number is None:
        raise NotHere(say("perf.none"))
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(
        ctypes.c_long(number),
        ctypes.c_char_p(attribute),
        ctypes.c_int(-1),
        ctypes.c_int(cpu),
        ctypes.c_int(-1),
        ctypes.c_ulong(FLAG_CLOEXEC),
    )
    if descriptor >= 0:
        return int(descriptor)
    code = ctypes.get_errno()
    if code in (errno.EACCES, errno.EPERM):
        raise NotAllowed(say("perf.not-allowed"), "sudo weaklink")
    if code in (errno.ENOSYS, errno.ENOENT, errno.EOPNOTSUPP, errno.ENODEV):
        raise NotHere(say("perf.none"))
    raise OSError(code, os.strerror(code))


def read_ring(ring: mmap.mmap | bytearray) -> list[CpuSample]:
    """Every sample of a ring buffer (first page: its head and tail); what is torn ends it."""
    (head,) = struct.unpack_from("<Q", ring, HEAD)
    (tail,) = struct.unpack_from("<Q", ring, TAIL)
    size = len(ring) - PAGE
    length = min(head - tail, size)
    start = (head - length) % size
    data = bytes(ring[PAGE + start : PAGE + size]) + bytes(ring[PAGE : PAGE + start])
    return list(parse_records(data[:length]))


def parse_records(data: bytes) -> Iterator[CpuSample]:
    """Samples of a run of whole records; other kinds are passed over, nonsense ends it."""
    at = 0
    while at + HEADER.size <= len(data):
        kind, misc, size = HEADER.unpack_from(data, at)
        if size < HEADER.size or at + size > len(data):
            return
        if kind == RECORD_SAMPLE and size >= HEADER.size + SAMPLE.size:
            address, pid, tid = SAMPLE.unpack_from(data, at + HEADER.size)
            yield CpuSample(pid, tid, address, kernel=misc & MISC_MODE == MISC_KERNEL)
        at += size
